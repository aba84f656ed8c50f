// SPDX-License-Identifier: Apache-2.0
#include "cli/options/testing/reference.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/options/listed.h"

namespace tenon::cli::testing {
namespace {

constexpr std::string_view kHead = R"(# Command line

<!-- Made from src/cli/options/table.cc. The test OptionReference.IsThePageInTheDocuments says how to update it. -->

A flag counts before its environment variable, the variable before the file of `tenon controller --config`, the file
before the default. An empty variable counts as unset.
Durations have Go's syntax: `10s`, `1m30s`, `720h`. Exit codes: 0 done, 1 error, 2 invalid command line; `tenon plan`
returns 3 if pods are unschedulable.
)";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string line_of(const Row& row, Command command) {
  std::string flags;
  for (const std::string_view flag : split(row.flag, ',')) flags += (flags.empty() ? "" : ", ") + code(flag);
  const std::string fallback = value_kind(row, command).fallback;
  return fmt::format("| {} | {} | {} | {} | {} |\n", flags,
                     row.from_environment.has(command) ? code(variable(row)) : "",
                     escaped(possible_values(row, command, "`")),
                     row.required || is_positional(row) ? "required"
                     : fallback.empty()                 ? ""
                                                        : code(fallback),
                     escaped(full_help(row)));
}

std::string section(const CommandRow& command) {
  std::string text = fmt::format("\n## {}\n{}.\n", command.full_name(), command.help);
  for (const Group group : kGroups) {
    std::string lines;
    for (const Row& row : option_rows()) {
      const bool listed = row.field != nullptr && !row.hidden && row.group == group;
      if (listed && row.in.has(command.command)) lines += line_of(row, command.command);
    }
    if (lines.empty()) continue;
    text +=
        fmt::format("\n### {}\n| option | variable | values | default | meaning |\n| --- | --- | --- | --- | --- |\n{}",
                    heading(group), lines);
  }
  return text;
}

std::string ignored() {
  std::string text =
      "\n## Options without effect\nThey are accepted so that the command line of Karpenter works unchanged; the "
      "process "
      "reports each that is given.\n\n| option | variable | subcommands |\n| --- | --- | --- |\n";
  for (const Row& row : option_rows()) {
    if (row.field != nullptr) continue;
    std::vector<std::string> commands;
    bool has_variable = false;
    for (const CommandRow& command : command_rows()) {
      if (row.in.has(command.command)) commands.push_back(code(command.full_name()));
      has_variable |= row.from_environment.has(command.command);
    }
    text += fmt::format("| {} | {} | {} |\n", code(row.flag), has_variable ? code(variable(row)) : "",
                        join(commands, ", "));
  }
  return text;
}

}  // namespace

std::string reference_page() {
  std::string page(kHead);
  for (const CommandRow& command : command_rows()) page += section(command);
  return page + ignored();
}

}  // namespace tenon::cli::testing

// SPDX-License-Identifier: Apache-2.0
#include "cli/options/testing/reference.h"

#include <fmt/format.h>

#include "base/instant.h"
#include "base/text.h"
#include "cli/options/table.h"

namespace tenon::cli::testing {
namespace {

constexpr Group kGroups[] = {Group::kInput,     Group::kOutput, Group::kDemo,       Group::kCluster,
                             Group::kDecisions, Group::kAws,    Group::kLeadership, Group::kMonitoring};

constexpr std::string_view kHead = R"(# Options

<!-- Made from src/cli/options/table.cc. The test OptionReference.IsThePageInTheDocuments says how to update it. -->

A flag counts before its environment variable, the variable before the default. An empty variable counts as unset.
Durations have Go's syntax: `10s`, `1m30s`, `720h`. Exit codes: 0 done, 1 error, 2 invalid command line; `tenon plan`
returns 3 if pods are unschedulable.
)";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// The type and the default of a member.
struct Shown {
  std::string type, fallback;
};

Shown show(const std::string* value) { return {"text", *value}; }
Shown show(const std::vector<std::string>*) { return {"text, repeatable", ""}; }
Shown show(const bool* value) { return {"true or false", *value ? "true" : "false"}; }
Shown show(const double* value) { return {"number", fmt::format("{}", *value)}; }
Shown show(const Duration* value) { return {"duration", *value == Duration::zero() ? "" : format_go_duration(*value)}; }
Shown show(std::monostate) { return {}; }
template <class Integer>
Shown show(const Integer* value) {
  return {"integer", std::to_string(*value)};
}

std::string values(const Row& row, const Shown& shown) {
  std::vector<std::string> allowed;
  for (const std::string& value : row.allowed) allowed.push_back(code(value));
  if (!allowed.empty()) return join(allowed, ", ");
  if (row.range) return fmt::format("{} from {} to {}", shown.type, row.range->min, row.range->max);
  if (row.file) return shown.type == "text" ? "path" : "path, repeatable";
  return shown.type;
}

Shown shown_value(const Row& row, Command command) {
  static CommandLine defaults;
  return std::visit([](auto value) { return show(value); }, row.field(defaults, command));
}

std::string line_of(const Row& row, Command command) {
  const Shown shown = shown_value(row, command);
  std::string flags;
  for (const std::string_view flag : split(row.flag, ',')) flags += (flags.empty() ? "" : ", ") + code(flag);
  const bool required = row.required || !row.flag.starts_with('-');
  return fmt::format("| {} | {} | {} | {} | {} |\n", flags,
                     row.from_environment.has(command) ? code(variable(row)) : "", escaped(values(row, shown)),
                     required                 ? "required"
                     : shown.fallback.empty() ? ""
                                              : code(shown.fallback),
                     escaped(std::string(row.help) + (row.names.empty() ? "" : ": " + row.names)));
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

std::string default_text(const Row& row, Command command) { return shown_value(row, command).fallback; }

std::string reference_page() {
  std::string page(kHead);
  for (const CommandRow& command : command_rows()) page += section(command);
  return page + ignored();
}

}  // namespace tenon::cli::testing

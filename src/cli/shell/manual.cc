// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/manual.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

#include "base/text.h"
#include "cli/options/listed.h"

namespace tenon::cli {
namespace {

// Returns text in which roff sees neither escapes nor requests; hyphens stay hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string page_name(const CommandRow& command) {
  std::string name = command.full_name();
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string head(std::string_view name, std::string_view help) {
  return fmt::format(".TH {} 1 \"\" \"tenon {}\" \"Tenon\"\n.SH NAME\n{} \\- {}\n", roff(name), TENON_VERSION,
                     roff(name), roff(help));
}

std::string option(const Row& row, Command command) {
  std::string flags;
  for (const std::string_view flag : split(row.flag, ',')) {
    flags += (flags.empty() ? "" : ", ") + ("\\fB" + roff(flag) + "\\fR");
  }
  const bool value = row.takes_value && !is_positional(row);
  std::string text = ".TP\n" + flags;
  if (value)
    text += " \\fI" + roff(row.allowed.empty() ? value_kind(row, command).type : join(row.allowed, "|")) + "\\fR";
  text += "\n" + roff(full_help(row)) + ".";
  const std::string fallback = value_kind(row, command).fallback;
  if (row.required && !is_positional(row)) text += " Required.";
  if (value && !fallback.empty()) text += " Default: " + roff(fallback) + ".";
  if (row.from_environment.has(command)) text += " Environment: \\fB" + roff(variable(row)) + "\\fR.";
  return text + "\n";
}

std::string options(Command command) {
  std::string text;
  std::optional<Group> group;
  for (const Row* row : listed_rows(command)) {
    if (group != row->group) text += fmt::format(".SS {}\n", roff(heading(row->group)));
    group = row->group;
    text += option(*row, command);
  }
  return text.empty() ? text : ".SH OPTIONS\n" + text;
}

std::string command_page(const CommandRow& command) {
  std::string arguments, below;
  for (const Row* row : listed_rows(command.command)) {
    if (is_positional(*row)) arguments += " \\fI" + roff(row->flag) + "\\fR";
  }
  for (const CommandRow& child : command_rows()) {
    if (child.parent == command.command) below += fmt::format(".BR {} (1)\n", roff(page_name(child)));
  }
  return head(page_name(command), command.help) +
         fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIoptions\\fR]{}\n.SH DESCRIPTION\n{}.\n", roff(command.full_name()),
                     arguments, roff(command.help)) +
         options(command.command) + ".SH SEE ALSO\n" + below + ".BR tenon (1)\n";
}

std::string main_page() {
  std::string commands;
  for (const CommandRow& command : command_rows()) {
    commands += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(page_name(command)), roff(command.help));
  }
  return head("tenon", "node autoscaler for Kubernetes, compatible with Karpenter's APIs") +
         ".SH SYNOPSIS\n\\fBtenon\\fR \\fIsubcommand\\fR [\\fIoptions\\fR]\n.br\n\\fBkubectl tenon\\fR "
         "\\fIsubcommand\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n" +
         roff(kAppHelp) +
         "\nA flag counts before its environment variable, the variable before the file of "
         "tenon controller \\-\\-config, the file before the default. "
         "An empty variable counts as unset. Unknown flags are errors. Durations have Go's syntax: 10s, 1m30s, 720h.\n"
         ".SH SUBCOMMANDS\n" +
         commands +
         ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nError.\n.TP\n2\nInvalid command line.\n.TP\n3\nPods are "
         "unschedulable "
         "(tenon plan).\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> manual_pages() {
  std::vector<std::pair<std::string, std::string>> pages = {{"tenon.1", main_page()}};
  for (const CommandRow& command : command_rows()) {
    pages.emplace_back(page_name(command) + ".1", command_page(command));
  }
  return pages;
}

int run_man(const ManOptions& options, std::ostream& err) {
  for (const auto& [name, page] : manual_pages()) {
    const std::string path = options.folder + "/" + name;
    std::ofstream file(path);
    file << page;
    file.close();
    if (!file) {
      err << "tenon man: cannot write " << path << ": " << std::strerror(errno) << "\n";
      return kExitError;
    }
  }
  return kExitDone;
}

}  // namespace tenon::cli

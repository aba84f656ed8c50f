// Builds a CLI11 parser from the table of options and runs it; main() calls it once. CLI11 reports errors and --help by
// exceptions, which end here as an exit code and a text. A row without a member is an option of Karpenter that has no
// effect; the caller logs its name.
// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/instant.h"
#include "base/result.h"
#include "cli/options/config_file.h"
#include "cli/options/table.h"

namespace tenon::cli {
namespace {

// Adds the option of one member; the member's type decides how the value is read.
class FieldOption {
 public:
  FieldOption(CLI::App& app, const Row& row) : app_(app), row_(row), flag_(row.flag) {}

  CLI::Option* operator()(std::monostate) const {
    CHECK(false, flag_ + ": a subcommand accepts it but has no member for it");
    return nullptr;
  }
  CLI::Option* operator()(bool* value) const {
    if (!row_.takes_value) return app_.add_flag(flag_, *value);
    return app_.add_option(flag_, *value)->default_str(*value ? "true" : "false");
  }
  // Go's syntax.
  CLI::Option* operator()(Duration* value) const {
    const auto set = [value, flag = flag_](const std::string& text) {
      const auto parsed = parse_go_duration(text);
      if (!parsed) throw CLI::ValidationError(flag, "\"" + text + "\" is not a duration such as 10s or 1m30s");
      *value = *parsed;
    };
    CLI::Option* option = app_.add_option_function<std::string>(flag_, set);
    return *value == Duration::zero() ? option : option->default_str(format_go_duration(*value));
  }
  CLI::Option* operator()(std::vector<std::string>* value) const { return app_.add_option(flag_, *value); }
  CLI::Option* operator()(std::string* value) const { return app_.add_option(flag_, *value)->capture_default_str(); }
  template <class Number>
  CLI::Option* operator()(Number* value) const {
    CLI::Option* option = app_.add_option(flag_, *value)->capture_default_str();
    if (!row_.range) return option;
    return option->check(CLI::Range(static_cast<Number>(row_.range->min), static_cast<Number>(row_.range->max)));
  }

 private:
  CLI::App& app_;
  const Row& row_;
  const std::string flag_;
};

// Accepts an option without effect, so that the command line of Karpenter works unchanged.
CLI::Option* add_ignored(CLI::App& app, const Row& row, CommandLine& line, const std::string& name) {
  CLI::Option* option = app.add_option_function<std::string>(
      std::string(row.flag), [&line, name](const std::string&) { line.without_effect.push_back(name); });
  if (!row.takes_value) option->expected(0, 1);
  return option->group("");
}

void add_row(CLI::App& app, const Row& row, Command command, CommandLine& line) {
  const bool has_variable = row.from_environment.has(command);
  CLI::Option* option = nullptr;
  if (row.field == nullptr) {
    option = add_ignored(app, row, line, std::string(row.flag) + (has_variable ? " (" + variable(row) + ")" : ""));
  } else {
    option = std::visit(FieldOption(app, row), row.field(line, command));
    option->description(std::string(row.help) + (row.names.empty() ? "" : ": " + row.names));
    option->group(row.hidden ? "" : std::string(heading(row.group)));
  }
  if (has_variable) option->envname(variable(row));
  if (!row.allowed.empty()) option->check(CLI::IsMember(row.allowed));
  if (row.file) option->type_name("FILE");
  if (row.required || !row.flag.starts_with('-')) option->required();
}

// Gives the options that neither a flag nor a variable has set the values of the file.
// Errors: kInvalid, with the file, the line and the option.
Status apply_config(CLI::App& app, const std::string& path) {
  for (const ConfigSetting& setting : TRY(read_config_file(path))) {
    const std::string where = path + ": line " + std::to_string(setting.line) + ": " + setting.name;
    const bool known = std::ranges::any_of(option_rows(), [&](const Row& row) {
      return row.in.has(Command::kController) && !row.hidden && long_flag(row) == "--" + setting.name;
    });
    if (!known || setting.name == "config") return fail(Code::kInvalid, where + ": no option of tenon controller");
    CLI::Option* option = app.get_option("--" + setting.name);
    if (option->count() > 0) continue;
    try {
      option->add_result(setting.value);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      return fail(Code::kInvalid, where + ": " + error.what());
    }
  }
  return ok();
}

// kubectl runs a plugin as kubectl-tenon.
std::string app_name(int argc, const char* const* argv) {
  return argc > 0 && std::string_view(argv[0]).ends_with("kubectl-tenon") ? "kubectl tenon" : "tenon";
}

}  // namespace

std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine& line, std::ostream& out,
                                      std::ostream& err) {
  CLI::App app{std::string(kAppHelp), app_name(argc, argv)};
  app.require_subcommand(1);
  std::map<Command, CLI::App*> apps;
  for (const CommandRow& command : command_rows()) {
    CLI::App& parent = command.parent ? *apps.at(*command.parent) : app;
    CLI::App* sub = parent.add_subcommand(std::string(command.name), std::string(command.help));
    sub->parse_complete_callback([] {});  // CLI11 then reads the variables of a parsed subcommand only
    apps.emplace(command.command, sub);
    for (const Row& row : option_rows()) {
      if (row.in.has(command.command)) add_row(*sub, row, command.command, line);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? kExitDone : kExitUsage;
  }
  for (const CommandRow& command : command_rows()) {  // a child after its parent
    if (apps.at(command.command)->parsed()) line.command = command.command;
  }
  if (line.command == Command::kController && !line.controller.config.empty()) {
    if (const Status applied = apply_config(*apps.at(Command::kController), line.controller.config); !applied) {
      err << "tenon controller: --config: " << applied.error().message << "\n";
      return kExitUsage;
    }
  }
  return std::nullopt;
}

}  // namespace tenon::cli

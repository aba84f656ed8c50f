// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/completion.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "cli/options/listed.h"

namespace tenon::cli {
namespace {

// Returns "demo advance": the words that select a subcommand.
std::string words_of(const CommandRow& command) { return command.full_name().substr(std::string("tenon ").size()); }

bool takes_value(const Row& row) { return row.takes_value && !is_positional(row); }

std::vector<std::string> flags_of(const Row& row) {
  std::vector<std::string> flags;
  for (const std::string_view flag : split(row.flag, ',')) flags.emplace_back(flag);
  return flags;
}

// Returns the words below a subcommand (nullopt: of tenon itself): subcommands, allowed positional values, flags.
std::string bash_words(std::optional<Command> parent) {
  std::vector<std::string> words;
  for (const CommandRow& command : command_rows()) {
    if (command.parent == parent) words.emplace_back(command.name);
  }
  for (const Row* row : parent ? listed_rows(*parent) : std::vector<const Row*>()) {
    const auto more = is_positional(*row) ? row->allowed : flags_of(*row);
    words.insert(words.end(), more.begin(), more.end());
  }
  words.emplace_back("--help");
  return join(words, " ");
}

std::string bash_values(const CommandRow& command) {
  std::string text;
  for (const Row* row : listed_rows(command.command)) {
    if (!takes_value(*row)) continue;
    std::vector<std::string> patterns;
    for (const std::string& flag : flags_of(*row))
      patterns.push_back(fmt::format("\"{} {}\"", words_of(command), flag));
    const std::string action = !row->allowed.empty() ? fmt::format("words=\"{}\"", join(row->allowed, " "))
                               : row->file           ? "compopt -o default; return"
                                                     : "return";
    text += fmt::format("    {}) {} ;;\n", join(patterns, " | "), action);
  }
  return text;
}

std::string bash() {
  std::string commands, values, words = fmt::format("      \"\") words=\"{}\" ;;\n", bash_words({}));
  for (const CommandRow& command : command_rows()) {
    const std::string path = words_of(command);
    const auto space = path.rfind(' ');
    const std::string before = space == std::string::npos ? "" : path.substr(0, space);
    commands += fmt::format("      \"{} {}\") command=\"{}\" ;;\n", before, command.name, path);
    values += bash_values(command);
    bool files = false;
    for (const Row* row : listed_rows(command.command)) files = files || (is_positional(*row) && row->file);
    words += fmt::format("      \"{}\") {}words=\"{}\" ;;\n", path, files ? "compopt -o default; " : "",
                         bash_words(command.command));
  }
  return fmt::format(R"(# Completion of tenon for bash: source <(tenon completion bash)
_tenon() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command="" words="" i
  COMPREPLY=()
  # bash takes --output=json for three words.
  if [[ $prev == "=" ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [[ $cur == "=" ]]; then cur=""; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
{}    esac
  done
  case "$command $prev" in
{}    *)
      case "$command" in
{}      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -F _tenon tenon kubectl-tenon
)",
                     commands, values, words);
}

// Quotes a text for a shell, in single quotes; `also` is escaped with a backslash before.
std::string quoted(std::string_view text, std::string_view also = {}) {
  std::string out = "'";
  for (const char c : text) {
    if (also.find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string zsh_value(const Row& row) {
  std::vector<std::string> allowed = row.allowed;
  if (!allowed.empty()) return ":value:(" + join(allowed, " ") + ")";
  return row.file ? ":file:_files" : ":value: ";
}

std::string zsh_specs(const CommandRow& command) {
  std::string specs = " '(- *)--help[Print help]'";
  bool positional = false;
  for (const Row* row : listed_rows(command.command)) {
    if (is_positional(*row)) {
      specs += " " + quoted("1" + zsh_value(*row));
      positional = true;
      continue;
    }
    const bool repeats = value_kind(*row, command.command).type.ends_with("repeatable");
    std::string help(row->help);
    std::string escaped;
    for (const char c : help) escaped += (c == '[' || c == ']' || c == ':' ? "\\" : "") + std::string(1, c);
    for (const std::string& flag : flags_of(*row)) {
      const std::string value = takes_value(*row) ? (flag.starts_with("--") ? "=" : "") : "";
      specs += " \\\n        " + quoted((repeats ? "*" : "") + flag + value + "[" + escaped + "]" +
                                        (takes_value(*row) ? zsh_value(*row) : ""));
    }
  }
  std::string below;
  for (const CommandRow& child : command_rows()) {
    if (child.parent == command.command) below += (below.empty() ? "" : " ") + std::string(child.name);
  }
  if (!below.empty() && !positional) specs += " " + quoted("1:command:(" + below + ")");
  return specs;
}

std::string zsh() {
  std::string names, cases;
  for (const CommandRow& command : command_rows()) {
    if (command.parent) continue;
    names += "    " + quoted(fmt::format("{}:{}", command.name, command.help), "") + "\n";
    cases += fmt::format("      {})\n        _arguments{}\n        ;;\n", command.name, zsh_specs(command));
  }
  return fmt::format(R"(#compdef tenon kubectl-tenon
# Completion of tenon for zsh: source <(tenon completion zsh), or a file _tenon in a folder of $fpath
_tenon() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
{}  )
  _arguments -C '(- *)--help[Print help]' '1:command:->command' '*::argument:->arguments'
  case $state in
    command) _describe command commands ;;
    arguments)
      case $words[1] in
{}      esac
      ;;
  esac
}}
if [[ $funcstack[1] == _tenon ]]; then _tenon "$@"; else compdef _tenon tenon kubectl-tenon; fi
)",
                     names, cases);
}

std::string fish_option(const Row& row, const std::string& condition) {
  std::string line = "complete -c tenon -n " + condition;
  if (is_positional(row)) {
    if (row.allowed.empty()) return row.file ? line + " -F\n" : "";
    return line + " -f -a " + quoted(join(row.allowed, " "), "\\") + "\n";
  }
  line += " -l " + long_flag(row).substr(2);
  if (const std::string letter = short_flag(row); !letter.empty()) line += " -s " + letter.substr(1);
  if (takes_value(row)) {
    line += row.file ? " -r -F" : " -x";
    if (!row.allowed.empty()) line += " -a " + quoted(join(row.allowed, " "), "\\");
  }
  return line + " -d " + quoted(row.help, "\\") + "\n";
}

std::string fish() {
  std::string text = "# Completion of tenon for fish: tenon completion fish | source\ncomplete -c tenon -f\n";
  for (const CommandRow& command : command_rows()) {
    std::string parent = "__fish_use_subcommand";
    for (const CommandRow& other : command_rows()) {
      if (command.parent == other.command) parent = "'__fish_seen_subcommand_from " + std::string(other.name) + "'";
    }
    text += fmt::format("complete -c tenon -n {} -a {} -d {}\n", parent, command.name, quoted(command.help, "\\"));
  }
  for (const CommandRow& command : command_rows()) {
    const std::string condition = "'__fish_seen_subcommand_from " + std::string(command.name) + "'";
    for (const Row* row : listed_rows(command.command)) text += fish_option(*row, condition);
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  CHECK(shell == "fish", "the table of options allows these three");
  return fish();
}

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include "aws/command_words.h"

namespace tenon::aws {

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size();
    if (escapes && (quote == '\0' || command[i + 1] == '"' || command[i + 1] == '\\')) {
      word += command[++i];
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') return fail(Code::kInvalid, "a quote is not closed");
  if (in_word) words.push_back(std::move(word));
  if (words.empty()) return fail(Code::kInvalid, "it names no program");
  return words;
}

}  // namespace tenon::aws

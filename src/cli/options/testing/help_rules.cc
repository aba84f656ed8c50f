// SPDX-License-Identifier: Apache-2.0
#include "cli/options/testing/help_rules.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::cli::testing {
namespace {

// With these a text is no phrase of its own.
constexpr std::string_view kHeadless[] = {
    "of",   "its", "it",   "their", "that", "this", "these", "those", "the same", "or",      "and", "also",  "as", "by",
    "with", "for", "from", "if",    "when", "then", "where", "how",   "what",     "whether", "why", "which", "who"};

}  // namespace

std::string help_problem(std::string_view help) {
  if (help.empty()) return "it is empty";
  if (help.size() > kMaxHelp) return "it has " + std::to_string(help.size()) + " columns";
  if (help.front() < 'A' || help.front() > 'Z') return "it does not begin with a capital letter";
  if (help.find('\n') != std::string_view::npos) return "it has more than one line";
  if (help.ends_with('.') && !help.ends_with("...")) return "it ends with a full stop";
  if (help.find(' ') == std::string_view::npos) return "it is a single word";
  const std::string lower = to_lower(help);
  for (const std::string_view start : kHeadless) {
    if (lower.starts_with(std::string(start) + " ")) return "it begins with \"" + std::string(start) + "\"";
  }
  return {};
}

}  // namespace tenon::cli::testing

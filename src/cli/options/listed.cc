// SPDX-License-Identifier: Apache-2.0
#include "cli/options/listed.h"

#include <fmt/format.h>

#include "base/instant.h"
#include "base/text.h"

namespace tenon::cli {
namespace {

ValueKind kind_of(const std::string* value) { return {"text", *value}; }
ValueKind kind_of(const std::vector<std::string>*) { return {"text, repeatable", ""}; }
ValueKind kind_of(const bool* value) { return {"true or false", *value ? "true" : "false"}; }
ValueKind kind_of(const double* value) { return {"number", fmt::format("{}", *value)}; }
ValueKind kind_of(const Duration* value) {
  return {"duration", *value == Duration::zero() ? "" : format_go_duration(*value)};
}
ValueKind kind_of(std::monostate) { return {}; }
template <class Integer>
ValueKind kind_of(const Integer* value) {
  return {"integer", std::to_string(*value)};
}

}  // namespace

std::vector<const Row*> listed_rows(Command command) {
  std::vector<const Row*> listed;
  for (const Group group : kGroups) {
    for (const Row& row : option_rows()) {
      const bool shown = row.field != nullptr && !row.hidden && row.group == group;
      if (shown && row.in.has(command)) listed.push_back(&row);
    }
  }
  return listed;
}

bool is_positional(const Row& row) { return !row.flag.starts_with('-'); }

std::string short_flag(const Row& row) {
  const auto [first, rest] = cut(row.flag, ',');
  return rest.empty() ? std::string() : std::string(first);
}

ValueKind value_kind(const Row& row, Command command) {
  CommandLine defaults;
  ValueKind kind = std::visit([](auto value) { return kind_of(value); }, row.field(defaults, command));
  if (row.file) kind.type = kind.type == "text" ? "path" : "path, repeatable";
  return kind;
}

std::string possible_values(const Row& row, Command command, std::string_view quote) {
  std::vector<std::string> allowed;
  for (const std::string& value : row.allowed) allowed.push_back(std::string(quote) + value + std::string(quote));
  if (!allowed.empty()) return join(allowed, ", ");
  const std::string type = value_kind(row, command).type;
  return row.range ? fmt::format("{} from {} to {}", type, row.range->min, row.range->max) : type;
}

std::string full_help(const Row& row) { return std::string(row.help) + (row.names.empty() ? "" : ": " + row.names); }

}  // namespace tenon::cli

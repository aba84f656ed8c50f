// The options of a subcommand as people see them: what completions, manual pages and the reference page list.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/table.h"

namespace tenon::cli {

// In the order of --help and of the pages.
inline constexpr Group kGroups[] = {Group::kInput,     Group::kOutput, Group::kDemo,       Group::kCluster,
                                    Group::kDecisions, Group::kAws,    Group::kLeadership, Group::kMonitoring};

// Returns the rows of the subcommand without hidden options and those without effect, group by group.
std::vector<const Row*> listed_rows(Command command);
bool is_positional(const Row& row);
// Returns the short form, "-o" of "-o,--output"; empty: none.
std::string short_flag(const Row& row);

// What the value of an option is, and its default.
struct ValueKind {
  std::string type;      // "text", "integer", "duration", "true or false", …
  std::string fallback;  // empty: none
};
ValueKind value_kind(const Row& row, Command command);
// Returns what people may write: the allowed values in quotes of `quote`, else the range, else the type.
std::string possible_values(const Row& row, Command command, std::string_view quote);
// Returns the help text with the names behind it, as --help prints it.
std::string full_help(const Row& row);

}  // namespace tenon::cli

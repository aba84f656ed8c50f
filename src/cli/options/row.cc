// SPDX-License-Identifier: Apache-2.0
#include "cli/options/row.h"

#include "base/check.h"

namespace tenon::cli {

std::string long_flag(const Row& row) { return std::string(row.flag.substr(row.flag.rfind(',') + 1)); }

std::string variable(const Row& row) {
  std::string name = long_flag(row);
  name.erase(0, name.find_first_not_of('-'));
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

std::string_view heading(Group group) {
  switch (group) {
    case Group::kInput: return "Input";
    case Group::kOutput: return "Output";
    case Group::kDemo: return "Demo";
    case Group::kCluster: return "Cluster";
    case Group::kDecisions: return "Decisions";
    case Group::kAws: return "AWS";
    case Group::kLeadership: return "Leader election";
    case Group::kMonitoring: return "Logs, metrics and probes";
  }
  CHECK(false, "not a group");
  return {};
}

}  // namespace tenon::cli

// The table of options. A new option is a row of table.cc and a member in cli/options/options.h.
// Thread rule: any thread; the table never changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/options/row.h"

namespace tenon::cli {

struct CommandRow {
  Command command;
  std::string_view name;  // "advance", below `parent`
  std::string_view help;  // imperative: "Run the controllers against a cluster"
  std::optional<Command> parent = {};
  // Returns "tenon demo advance".
  std::string full_name() const;
};

inline constexpr std::string_view kAppHelp =
    "Tenon: a node autoscaler for Kubernetes, compatible with Karpenter's APIs; not affiliated.";

// In the order of --help.
const std::vector<CommandRow>& command_rows();  // commands.cc
const std::vector<Row>& option_rows();
std::vector<Row> aws_rows();         // its part about AWS, table_aws.cc
std::vector<Row> monitoring_rows();  // about the log, metrics and profiles, table_monitoring.cc

}  // namespace tenon::cli

// The subcommands, in the order in which --help lists them.
// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table.h"

namespace tenon::cli {

using enum Command;

std::string CommandRow::full_name() const {
  std::string full = "tenon";
  for (const CommandRow& other : command_rows()) {
    if (parent == other.command) full = other.full_name();
  }
  return full + " " + std::string(name);
}

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows = {
      {kDemo, "demo", "Run an embedded cluster that Tenon scales, for use with kubectl"},
      {kAdvance, "advance", "Advance the clock of a running demo: tenon demo advance 720h", kDemo},
      {kController, "controller", "Run the controllers against a cluster"},
      {kPlan, "plan", "Decide from manifests on disk which nodes to launch or remove and which pods fit"},
      {kWhy, "why", "Explain why a pod is placed or unschedulable, or why a node is launched, kept or removed"},
      {kConvert, "convert", "Convert Provisioners, AWSNodeTemplates and v1beta1 objects to the v1 API"},
      {kAdopt, "adopt", "Report what forbids or changes if Tenon takes over a cluster that Karpenter v1 runs"},
      {kValidate, "validate",
       "Check manifests as an API server, the webhooks and the controller would, before applying them"},
      {kInstall, "install", "Print what an installation needs: IAM policies, a CloudFormation template, manifests"},
      {kFakeAws, "fake-aws", "Run the emulated AWS endpoints alone"},
      {kVersion, "version", "Print the version, with -o json also the commit, the compiler and the API versions"},
      {kCompletion, "completion", "Print a script that completes command lines of tenon in a shell"},
      {kMan, "man", "Write the manual pages of all subcommands to a folder"},
  };
  return rows;
}

}  // namespace tenon::cli

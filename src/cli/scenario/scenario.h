// A walkthrough as data: steps that a user would take, and what must be seen after each. Read from examples/scenarios,
// compiled into the binary.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/meta.h"

namespace tenon::cli {

struct ExpectedNode {
  std::string type, capacity_type;
  int pods = 0;             // running, without daemons
  model::StringMap labels;  // that the node must have, among others
  std::string to_string() const;
};

struct Expectation {
  std::optional<std::vector<ExpectedNode>> nodes;  // in any order
  model::StringMap instance_tags;                  // on every running instance, among others; "*": any value
  std::vector<std::string> events;                 // that this step must have brought: "Reason" or "Reason: some words"
  model::StringMap pool_resources;                 // in the status of NodePool default, among others
  std::string price_per_hour;                      // of all nodes; empty: not looked at
  bool replacement_first = false;                  // a node that went had to wait for its replacement to be initialized
  std::optional<int> max_disrupted;                // nodes going at the same time, at most
  Duration empty_for{0};                           // a node that went had no pods for so long, at least
  bool replaced = false, kept = false;             // no node from before the step is left; every one is
  std::string drifted;                             // why NodeClaims drifted; empty: not looked at
};

struct Step {
  std::string title;
  std::vector<std::string> apply;  // manifests of the scenario's folder
  std::string scale_deployment;    // empty: nothing is scaled
  int scale_replicas = 0;
  std::string delete_all;  // "NodeClaim": every object of the kind is deleted
  // JSON merge patches for NodePool and EC2NodeClass default; empty: none
  std::string patch_node_pool, patch_node_class;
  Duration advance{0};  // before it is waited for the cluster to settle
  Expectation expect;
};

struct Scenario {
  std::string name, summary, manifests;
  std::vector<Step> steps;
};

std::vector<std::string> scenario_names();
// Errors: kNotFound, naming the scenarios that there are.
Result<Scenario> load_scenario(std::string_view name);
// Errors: kInvalid, with the step and the field.
Result<Scenario> parse_scenario(std::string_view yaml);
// The text of a manifest in a folder of examples/.
Result<std::string> example_manifest(std::string_view folder, std::string_view file);

}  // namespace tenon::cli

// A walkthrough as data: the steps that a user takes, and what must be observed after each. Read from
// examples/scenarios, compiled into the binary.
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
  int pods = 0;             // running, without daemon pods
  model::StringMap labels;  // that the node must have; others are allowed
  std::string to_string() const;
};

struct Expectation {
  std::optional<std::vector<ExpectedNode>> nodes;  // of NodePools and Provisioners, in any order
  model::StringMap instance_tags;                  // on every running instance; others are allowed; "*": any value
  std::vector<std::string> events;                 // that this step must bring: "Reason" or "Reason: some words"
  model::StringMap pool_resources;                 // in the status of the pool default; others are allowed
  int pending_pods = 0;                            // exactly so many
  std::string price_per_hour;                      // of all nodes; empty: not checked
  bool replacement_first = false;                  // a removed node had to wait for its replacement to be initialized
  std::optional<int> max_disrupted;                // at most so many nodes are disrupted at the same time
  Duration empty_for{0};                           // a removed node had no pods for at least this long
  bool replaced = false, kept = false;             // no node from before the step remains; all of them remain
  std::string drifted;                             // reason of NodeClaims' drift; empty: not checked
};

struct Step {
  std::string title;
  std::vector<std::string> apply;  // manifests of the scenario's folder
  std::string scale_deployment;    // empty: nothing is scaled
  int scale_replicas = 0;
  std::string delete_all;                // "NodeClaim": every object of the kind is deleted
  std::string delete_kind, delete_name;  // one object; empty: none
  // JSON merge patches for NodePool and EC2NodeClass default; empty: no patch
  std::string patch_node_pool, patch_node_class;
  Duration advance{0};  // before the wait for the cluster to settle
  Expectation expect;
};

struct Scenario {
  std::string name, summary, manifests;
  std::vector<Step> steps;
};

std::vector<std::string> scenario_names();
// Errors: kNotFound, naming the existing scenarios.
Result<Scenario> load_scenario(std::string_view name);
// Errors: kInvalid, with the step and the field.
Result<Scenario> parse_scenario(std::string_view yaml);
// Returns the text of a manifest in a folder of examples/.
Result<std::string> example_manifest(std::string_view folder, std::string_view file);

}  // namespace tenon::cli

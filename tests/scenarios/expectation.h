// The question and the expectations of a scenario file. One document is of kind Expectation; the others are manifests.
//
//   kind: Expectation
//   mode: provision              # or disrupt
//   flags: {minValuesPolicy: BestEffort, preferencePolicy: Ignore, maxInstanceTypes: 3, maxNodes: 5,
//           nodePrice: "0.01",       # without it 0
//           adoptionWait: 1h,        # without it 0s: a NodeClaim here does not say who launched its node
//           featureGates: "ReservedCapacity=false", ignoreDraRequests: false, reservedCapacityMode: Strict,
//           schedulerConfig: {podTopologySpread: {…}}, afterEdit: file}
//   priceAtMost: 1.25            # the plan's, USD an hour
//   boundAtLeast: 1.2            # the proven one
//   stepsAtMost: 4000            # of work
//   exit: 0
//   error: text                  # on standard error
//   plan: {totals: {newNodes: 1}}
//   rule: NodePool.spec.limits   # or noRule: text (rule.h); not in packing/, where only the numbers matter
//
// The plan must contain at least the content of `plan`: objects by member, lists whole and in order. A null requires
// that the member is missing; in a text, * matches any text. An empty object or list requires an empty one.
//
// In packing/ priceAtMost and boundAtLeast are the values that were reached, stepsAtMost is a third more: a change with
// worse results fails there, and one with better results may lower the limits.
//
// A document of kind Pods (or Nodes) represents many objects that differ only in size: as a Pod, with
//
//   sizes: [[40, 700m, 1500Mi], [2, 1, 4Gi]]   # how many; cpu and memory of their one container (of the node)
//   ports: [{containerPort: 80, hostPort: 80}]  # of that container; may be left out
//
// A document of kind Cluster represents nodes that Karpenter's controllers made, each with its NodeClaim, and pods:
//
//   nodes:
//   - {name: n1, type: std.4}        # of pool default, on-demand, in east-a, two hours old, consolidatable
//   - {name: n2, type: std.4, pool: spot, zone: east-b, capacityType: spot, labels: {team: a},
//      ready: false, conditions: {Consolidatable: null, Drifted: "2026-09-01T11:00:00Z"},  # of the NodeClaim
//      node: {…}, claim: {…}}        # laid over what is made: objects by member, null takes away
//   pods:
//   - {name: a, node: n1, cpu: 500m, memory: 512Mi}  # running and ready, labelled app: web, of a ReplicaSet
//   - {name: b, node: n1, cpu: 1, memory: 1Gi, count: 3, pod: {…}}  # b-0, b-1, b-2
//
// `why` runs `tenon why` for nodes: {n1: "text with *"}.
//
// Instance types come from catalog.json beside the file, unless the file has a document of kind Catalog, with
// instanceTypes as in catalog/plan_catalog.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plan/plan_command.h"

namespace tenon::scenarios {

// The scenario files of a folder, by name.
std::vector<std::string> scenario_files(const std::string& folder);

struct Expectation {
  cli::PlanOptions options;  // for the file itself, as JSON
  int exit = 0;
  std::string error;
  std::optional<boost::json::value> plan;
  std::map<std::string, std::string> why;  // node → what `tenon why` says
  std::optional<model::Price> price_at_most, bound_at_least;
  std::optional<int64_t> steps_at_most;
  std::vector<std::string> reversed;  // files with the expanded documents, in the opposite order
};

// Writes the documents that must be separate files (a catalog, a scheduler configuration) below `scratch`, which must
// exist. `without`: the path of a field that is removed from the file first (rule.h); empty: none.
// Errors: kInvalid, kNotFound: the scenario cannot be read.
Result<Expectation> read_expectation(const std::string& file, const std::string& scratch,
                                     const std::string& without = {});

struct Answer {
  int exit = 0;
  std::string out, err;
};
Answer ask(const cli::PlanOptions& options);
// Returns the place where the answer to `wanted.options` differs from the expectation, prices and steps excepted; empty
// if it does not differ.
std::string unmet(const Expectation& wanted, const Answer& answer);

// '*' matches any text.
bool glob(std::string_view pattern, std::string_view text);

// Returns the same documents in the opposite order.
std::string reversed_documents(const std::string& text);

// Returns the place where `actual` lacks a part of `wanted`; empty if it contains all of it.
std::string difference(const boost::json::value& wanted, const boost::json::value& actual, const std::string& path);

}  // namespace tenon::scenarios

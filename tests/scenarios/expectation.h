// What a scenario file asks and expects. One document is of kind Expectation; the others are manifests.
//
//   kind: Expectation
//   mode: provision              # or disrupt
//   flags: {minValuesPolicy: BestEffort, preferencePolicy: Ignore, maxInstanceTypes: 3, nodePrice: "0.01",
//           featureGates: "ReservedCapacity=false", ignoreDraRequests: false, reservedCapacityMode: Strict,
//           schedulerConfig: {podTopologySpread: {…}}, afterEdit: file}
//   priceAtMost: 1.25            # the plan's, USD an hour
//   boundAtLeast: 1.2            # the proven one
//   stepsAtMost: 4000            # of work
//   exit: 0
//   error: text                  # on standard error
//   plan: {totals: {newNodes: 1}}
//
// The plan holds at least what stands under `plan`: objects by member, lists whole and in order. A wanted null stands
// for a member that is missing; in a wanted text, * stands for any text. An empty object or list wants an empty one.
//
// In packing/ priceAtMost and boundAtLeast are what was reached, stepsAtMost is a third more: a change that does worse
// somewhere shows there, and one that does better may ask for more.
//
// A document of kind Pods (or Nodes) stands for many, alike but for their size: as a Pod, with
//
//   sizes: [[40, 700m, 1500Mi], [2, 1, 4Gi]]   # how many; cpu and memory of their one container (of the node)
//
// Instance types come from catalog.json beside the file, unless the file has a document of kind Catalog, with
// instanceTypes as in catalog/plan_catalog.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plan_command.h"

namespace tenon::scenarios {

// The scenario files of a folder, by name.
std::vector<std::string> scenario_files(const std::string& folder);

struct Expectation {
  cli::PlanOptions options;  // for the file itself, as JSON
  int exit = 0;
  std::string error;
  std::optional<boost::json::value> plan;
  std::optional<model::Price> price_at_most, bound_at_least;
  std::optional<int64_t> steps_at_most;
  std::vector<std::string> reversed;  // files with what stands for many documents, in the opposite order
};

// Writes what must be files of their own (a catalog, a scheduler configuration) below `scratch`, which has to be there.
// Errors: kInvalid, kNotFound: the scenario cannot be read.
Result<Expectation> read_expectation(const std::string& file, const std::string& scratch);

// The same documents in the opposite order.
std::string reversed_documents(const std::string& text);

// Where `actual` lacks something of `wanted`; empty if it holds all of it.
std::string difference(const boost::json::value& wanted, const boost::json::value& actual, const std::string& path);

}  // namespace tenon::scenarios

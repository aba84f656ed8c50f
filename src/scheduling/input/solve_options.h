// The options of solve() and of the simulations on the same model. The defaults are those of the controller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/price.h"

namespace tenon::scheduling {

enum class PreferencePolicy { kRespect, kIgnore };
enum class MinValuesPolicy { kStrict, kBestEffort };

struct SolveOptions {
  PreferencePolicy preferences = PreferencePolicy::kRespect;
  MinValuesPolicy min_values = MinValuesPolicy::kStrict;
  model::Price node_price{};               // per node and hour, beside its instance
  std::optional<int64_t> max_nodes;        // of the cluster; std::nullopt: no limit
  size_t max_instance_types = 600;         // in a NodeClaim
  int64_t improvement_steps = 20'000'000;  // of the search from one start; about 40 ns each
  bool all_or_nothing = false;             // a plan with unschedulable pods is not improved
  bool reserved_capacity = true;           // feature gate ReservedCapacity
  // A pod that could run on a reservation waits while other nodes of this plan use all of it, and does not fall back to
  // other capacity. parity: karpenter reservationmanager.go ReservedOfferingModeStrict
  bool strict_reserved = false;
  // For simulations of consolidation: these nodes (by name) are gone and their pods are pending, …
  std::vector<std::string> removed_nodes;
  // … but remain domains of topology spreads, as kube-scheduler counts a node until it is deleted, …
  bool gone_nodes_are_domains = false;
  // … and no node may be launched (false), or only offerings below this price.
  bool may_launch = true;
  std::optional<model::Price> launch_below;  // per new node, exclusive
  std::vector<std::string> closed_nodes;     // these accept no pods; pods that run there stay
  bool explain = false;   // Unschedulable::reasons name an irreducible set of constraints; it takes several solves
  size_t runners_up = 0;  // cheaper types to name per new node, at most
};

}  // namespace tenon::scheduling

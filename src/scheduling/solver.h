// solve(): decides where the scheduler can bind the pending pods, and which nodes to launch for the others. Pure and
// deterministic: equal input, equal bytes. Work is limited in steps, not in seconds.
//
//   Solution s = solve(snapshot, {});
//   CHECK(check_solution(snapshot, {}, s).has_value());
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/shared.h"
#include "model/price.h"
#include "scheduling/snapshot.h"
#include "scheduling/type_names.h"

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
  std::vector<std::string> without_nodes;
  // … but remain domains of topology spreads, as kube-scheduler counts a node until it is deleted, …
  bool gone_nodes_are_domains = false;
  // … and no node may be launched (false), or only offerings below this price.
  bool may_launch = true;
  std::optional<model::Price> launch_below;  // per new node, exclusive
  std::vector<std::string> closed_nodes;     // these accept no pods; pods that run there stay
  bool explain = false;   // Unschedulable::reasons name an irreducible set of constraints; it takes several solves
  size_t runners_up = 0;  // cheaper types to name per new node, at most
};

// One reason why a pod cannot be placed; rendered by console/ and the event recorder.
struct Reason {
  std::string subject;     // a NodePool, a Node, an instance type
  std::string constraint;  // resources, requirement, taint, limit, topology, volume, port, offering, nodepool, pod
  std::string detail;      // in words: "cpu: 32 asked, 16 is the most any type has"
  std::string field;       // its path: "pod.spec.nodeSelector[kubernetes.io/arch]"; empty: no single field
  friend bool operator==(const Reason&, const Reason&) = default;
};

// A type of the NodePool's catalog that is cheaper than the launched type, and the reason why it was not chosen.
struct RunnerUp {
  std::string instance_type;
  model::Price price;      // of its cheapest available offering
  std::string constraint;  // as in Reason
  std::string detail;
  friend bool operator==(const RunnerUp&, const RunnerUp&) = default;
};

struct Launch {
  std::string instance_type, zone, zone_id, capacity_type, reservation_id;
  model::Price price;
  friend bool operator==(const Launch&, const Launch&) = default;
};

// Relaxed preferences, in words.
using GivenUp = Shared<std::vector<std::string>>;

struct PlannedNode {
  std::string id;  // "new-0", …: by plan order
  std::string pool;
  std::vector<std::string> pods;     // keys, sorted
  model::Resources requests;         // of its pods and of the DaemonSet pods that will run there
  model::Requirements requirements;  // of the NodeClaim, without the list of instance types
  Shared<model::StringMap> labels;
  std::vector<model::Taint> taints, startup_taints;
  TypeNames instance_types;  // all that can hold its pods, cheapest first
  Launch launch;             // the cheapest offering now
  GivenUp relaxed;           // by its pods
  bool min_values_relaxed = false;
  std::vector<RunnerUp> runners_up;  // types that the pool may launch, then the others; each by price, highest first
};

struct Unschedulable {
  std::string message;          // one line, as in the FailedScheduling event of the autoscaler
  std::vector<Reason> reasons;  // by NodePool in the order of trial; with `explain` one or more for each
};

struct Solution {
  std::vector<PlannedNode> new_nodes;
  std::map<std::string, std::vector<std::string>> existing;  // node name → pod keys, sorted
  std::map<std::string, Unschedulable> unschedulable;        // pod key → reason
  std::map<std::string, GivenUp> relaxed;                    // pod key → relaxed preferences; no entry: none
  std::map<std::string, bool> pools_without_types;           // NodePools without usable types → only due to minValues
  model::Price price;                                        // sum over `launch`
  int64_t steps = 0;                                         // work done, for tests and --stats
};

Solution solve(const Snapshot& snapshot, const SolveOptions& options);
// Returns true if there is a pod to place. Much faster than a solve() without pods, which compiles the cluster first.
bool anything_to_place(const Snapshot& snapshot, const SolveOptions& options);

// Validates a solution with code that shares nothing with the solver: capacity on every listed type, taints,
// requirements, ports, volumes, limits, topology, prices. Errors: kInternal, with the node, the pod and the broken
// rule.
Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

struct Bound {
  model::Price price;
  int64_t steps = 0;  // work done
};

// Returns a lower bound of Solution::price of any plan that places all the pods that solve() places; zero if no better
// one is found. It bounds the price of the instances: a plan with n new nodes costs at least this plus n times
// SolveOptions::node_price. If solve() gives each pod the heaviest NodePool that it could have, the bound does not hold
// for plans with lighter NodePools, which are worse at any price.
Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options);
// The same for a known plan: a bound for any plan that places the pods that this one places.
Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling

// solve(): where the pending pods go, and which nodes to buy for those that fit nowhere. Pure and deterministic: equal
// input, equal bytes. Work is limited in steps, never in seconds.
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
  model::Price node_price{};               // what one more node costs beside its instance
  std::optional<int64_t> max_nodes;        // that the cluster may have; none: no limit
  size_t max_instance_types = 600;         // that a NodeClaim may list
  int64_t improvement_steps = 20'000'000;  // of the searches together; some 40 ns each
  bool all_or_nothing = false;             // a plan that leaves pods behind is not improved
  bool reserved_capacity = true;           // feature gate ReservedCapacity
  // A pod that could run on a reservation waits while other nodes of this plan use it up, and falls back to no other
  // capacity. parity: karpenter reservationmanager.go ReservedOfferingModeStrict
  bool strict_reserved = false;
  // Consolidation asks "what if": these nodes (by name) are gone and their pods are pending, …
  std::vector<std::string> without_nodes;
  // … but stay domains of topology spreads, as kube-scheduler counts a node until it is deleted, …
  bool gone_nodes_are_domains = false;
  // … and nothing may be bought (false), or only offerings cheaper than this.
  bool may_launch = true;
  std::optional<model::Price> launch_below;  // per new node, exclusive
  std::vector<std::string> closed_nodes;     // these take no pods; what runs on them stays
  bool explain = false;   // Unschedulable::reasons name an irreducible set of constraints; it takes some solves
  size_t runners_up = 0;  // cheaper types to name per new node, at most
};

// Why something is not so, in pieces; rendered by console/ and the event recorder.
struct Reason {
  std::string subject;     // a NodePool, a Node, an instance type
  std::string constraint;  // resources, requirement, taint, limit, topology, volume, port, nodepool, pod
  std::string detail;      // in words: "cpu: 32 asked, 16 is the most any type has"
  std::string field;       // where it stands: "pod.spec.nodeSelector[kubernetes.io/arch]"; empty: in no one place
  friend bool operator==(const Reason&, const Reason&) = default;
};

// A type of the NodePool's catalog that is cheaper than what a node launches, and why it cannot be that node.
struct RunnerUp {
  std::string instance_type;
  model::Price price;      // its cheapest offering that can be had
  std::string constraint;  // as in Reason; also port, reservation
  std::string detail;
  friend bool operator==(const RunnerUp&, const RunnerUp&) = default;
};

struct Launch {
  std::string instance_type, zone, zone_id, capacity_type, reservation_id;
  model::Price price;
  friend bool operator==(const Launch&, const Launch&) = default;
};

// Preferences that were given up, in words.
using GivenUp = Shared<std::vector<std::string>>;

struct PlannedNode {
  std::string id;  // "new-0", …: by plan order
  std::string pool;
  std::vector<std::string> pods;     // keys, sorted
  model::Resources requests;         // pods and the daemons that will run there
  model::Requirements requirements;  // all that is not left open; without the instance-type list
  Shared<model::StringMap> labels;
  std::vector<model::Taint> taints, startup_taints;
  TypeNames instance_types;  // all that can hold it, cheapest first
  Launch launch;             // the cheapest of them now
  GivenUp relaxed;           // by its pods
  bool min_values_relaxed = false;
  std::vector<RunnerUp> runners_up;  // what the pool may buy first, then the rest; nearest in price first
};

struct Unschedulable {
  std::string message;          // one line, as in the FailedScheduling event of the autoscaler
  std::vector<Reason> reasons;  // per NodePool, as they were tried; with `explain` one or more of each
};

struct Solution {
  std::vector<PlannedNode> new_nodes;
  std::map<std::string, std::vector<std::string>> existing;  // node name → pod keys, sorted
  std::map<std::string, Unschedulable> unschedulable;        // pod key → why
  std::map<std::string, GivenUp> relaxed;                    // pod key → preferences given up; none: not listed
  std::map<std::string, bool> pools_without_types;           // NodePools that can buy nothing → only for minValues
  model::Price price;                                        // sum over launch
  int64_t steps = 0;                                         // work done, for tests and --stats
};

Solution solve(const Snapshot& snapshot, const SolveOptions& options);
// Whether there is a pod to place at all. It costs next to nothing, a solution of nothing does not.
bool anything_to_place(const Snapshot& snapshot, const SolveOptions& options);

// Re-validates a solution from scratch with code that shares nothing with the solver: capacity on every listed type,
// taints, requirements, limits, weights, topology, prices. Errors: kInternal, naming node, pod and the broken rule.
Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

struct Bound {
  model::Price price;
  int64_t steps = 0;  // work done
};

// A lower bound on Solution::price of any plan that places all the pods that solve() places; zero if nothing better is
// known. It bounds what the instances cost: a plan with n new nodes costs at least this and n times
// SolveOptions::node_price. Where solve() gives each pod the heaviest NodePool that it could have, plans that use
// lighter ones are not bounded: they are worse at any price.
Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options);
// The same where the plan is known already: of any plan that places the pods that it places.
Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling

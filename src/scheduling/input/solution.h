// Solution: the result of solve(). Names refer to the objects of its Snapshot. Immutable by convention; equal snapshots
// and options give equal solutions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/shared.h"
#include "model/price.h"
#include "model/requirement.h"
#include "model/resources.h"
#include "model/taint.h"
#include "scheduling/input/type_names.h"

namespace tenon::scheduling {

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
using RelaxedPreferences = Shared<std::vector<std::string>>;

struct PlannedNode {
  std::string id;  // "new-0", …: by plan order
  std::string pool;
  std::vector<std::string> pods;     // keys, sorted
  model::Resources requests;         // of its pods and of the DaemonSet pods that will run there
  model::Requirements requirements;  // of the NodeClaim, without the list of instance types
  Shared<model::StringMap> labels;
  std::vector<model::Taint> taints, startup_taints;
  TypeNames instance_types;    // all that can hold its pods, cheapest first
  Launch launch;               // the cheapest offering now
  RelaxedPreferences relaxed;  // by its pods
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
  std::map<std::string, RelaxedPreferences> relaxed;         // pod key → relaxed preferences; no entry: none
  std::map<std::string, bool> pools_without_types;           // NodePools without usable types → only due to minValues
  model::Price price;                                        // sum over `launch`
  int64_t steps = 0;                                         // work done, for tests and --stats
};

}  // namespace tenon::scheduling

// Problem: a Snapshot compiled for the solver. Names become dense indexes, pods of one shape become one class, and the
// parts of a pool that a class may use become a set of rows, where a row is one (instance type, offering) that can be
// launched.
//
//   pool rows, cheapest first:   0: t3.medium/spot/b   1: t3.medium/spot/a   2: c5.large/spot/b …
//   class "web":                 mask {0, 1, 2, …}     one set operation instead of one comparison per pod and type
//
// compile() of search_state/compile.h makes it. The functions of PoolProblem are in pool_rows.cc, those of TopologyKey,
// PodMatcher and Group in compile_counts.cc, those of Problem in compile_pods.cc.
//
// Built once per solve. Const afterwards, except for caches and, in a WhatIf, Group::eligible. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/shared.h"
#include "model/requirement.h"
#include "scheduling/compile/room_index.h"
#include "scheduling/compile/row_set.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

inline constexpr int kNone = -1;
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kPico = static_cast<double>(model::kPicoPerUsd);  // in a dollar, where programmes count
inline constexpr int kHostKey = 0;  // the index of kubernetes.io/hostname among the topology keys

struct Row {
  size_t type = 0;  // index into PoolProblem::types
  const model::Offering* offering = nullptr;
  model::Price price;
  int reservation = kNone;  // index into Problem::reservations
};

// An instance type as one pool launches it.
struct TypeProblem {
  const model::InstanceType* type = nullptr;
  Amounts free;     // allocatable minus `daemons`
  Amounts daemons;  // requests of the DaemonSet pods that would run there
  std::vector<model::HostPort> daemon_ports;
  Amounts charge;  // its capacity, by PoolProblem::limited
  std::vector<size_t> rows;
};

// The domains of a topology key that a pool's nodes can have.
struct KeyInPool {
  bool defined = false;             // its nodes have the label
  bool of_type = false;             // rows decide the value
  bool open = false;                // the pods of a node must agree on one value
  int settled = kNone;              // the only domain, if the pool defines a single one
  std::vector<const RowSet*> rows;  // of_type: by domain; null: no rows
};

// Pods of a topology group on one node.
struct HostCount {
  size_t group = 0;
  int matched = 0, owners = 0;  // pods that the rule counts; pods that have the rule
};

struct PoolProblem {
  const model::NodePool* pool = nullptr;
  std::shared_ptr<const TypeIndex> all_types;  // of all types, also those that its requirements exclude
  std::string name;
  model::Requirements requirements;  // template, labels, pool and class name; with minValues
  model::Requirements loose;         // those that rows do not decide and that leave more than one value
  std::vector<TypeProblem> types;    // by name
  std::vector<Row> rows;             // by price, type name, zone, capacity type
  RoomIndex room;                    // of the rows, by the free amounts of their types
  std::vector<std::string> limited;  // resources with a limit
  Amounts left;                      // of the limits
  std::vector<std::pair<std::string, int>> min_values;
  std::vector<KeyInPool> keys;                                                         // by Problem::keys
  mutable std::map<std::string, std::map<std::string, RowSet>, std::less<>> by_label;  // label → value → rows

  bool is_type_key(std::string_view key) const;
  // Computes the rows that these requirements leave. A label that the pool itself decides leaves all or none. Returns
  // false if there are none.
  bool rows_for(const model::Requirements& requirements, RowSet& out) const;
  // Returns the rows whose type or offering has a value that the requirement allows.
  RowSet rows_allowed(const model::Requirement& requirement) const;
  // Removes from `allowed` the rows whose daemons use one of these host ports.
  void drop_port_conflicts(const std::vector<model::HostPort>& ports, RowSet& allowed) const;
  const std::map<std::string, RowSet>& rows_by_value(const std::string& key) const;
  // Returns true if its nodes will have this label.
  bool defines(const std::string& key) const;
  // Returns the rows that can be in this domain of a topology key; null if there are none.
  const RowSet* rows_in(const std::string& key, const std::string& value) const;
  // Returns true if some type has several values of this label (other than by its offerings), so that the pods of a
  // node must agree on one.
  bool multi_valued(std::string_view key) const;
  RowSet all() const { return RowSet(rows.size(), true); }
};

struct NodeProblem {
  const NodeView* view = nullptr;
  std::string name;
  bool initialized = false;
  const model::StringMap* labels = nullptr;  // with hostname; of the snapshot or of Problem::made_labels
  std::vector<model::Taint> taints;
  Amounts free;  // allocatable minus pods and DaemonSet pods that do not run yet
  std::vector<model::HostPort> ports;
  std::map<std::string, int> volume_room;  // driver → volumes that may still be attached
  std::set<std::string> volumes;           // claims already attached
  std::vector<int> domains;                // by topology key
  std::vector<HostCount> host;             // pods that run here
  bool removable = false;                  // it is in Problem::removable
  std::vector<HostCount> counted;          // then: its part of the counts of its domains, by group
};

// One way to satisfy a pod's node requirements: a required node term with an alternative of its volumes.
struct Variant {
  model::Requirements node;  // selector and term, which spread constraints use
  model::Requirements all;   // with the volume's
  std::vector<RowSet> rows;  // by pool
  RowSet nodes;              // existing nodes whose labels and taints fit
};

// A preferred anti-affinity keeps its own pod away but blocks no other pod.
enum class GroupKind { kSpread, kAffinity, kAntiAffinity, kPreferredAntiAffinity };

struct PodMatcher {
  std::optional<model::LabelSelector> selector;
  std::set<std::string> namespaces;
  bool all_namespaces = false;
  bool matches(const model::ObjectMeta& pod) const;
};

// The nodes whose pods a spread counts. The first filter of a Problem selects all nodes.
struct NodeFilter {
  std::vector<model::Requirements> terms;  // any of them
  std::vector<model::Requirements> own;    // the requirements of its pods, whether the filter uses them or not
  bool honor_taints = false;
  std::vector<model::Toleration> tolerations;
  std::vector<RowSet> rows;  // by pool
  RowSet nodes;              // existing ones
};

// One topology rule with the pods that it counts. parity: karpenter topologygroup.go. For affinity with several terms
// kube-scheduler counts a pod only if it matches all of them, so `matchers` has all.
struct Group {
  GroupKind kind = GroupKind::kSpread;
  int key = kHostKey;
  std::vector<PodMatcher> matchers;
  int max_skew = 1, min_domains = 0;
  bool soft = false;  // a spread that its own pods only prefer: it keeps no other pod away
  std::string identity;
  size_t filter = 0;                // index into Problem::filters: the nodes that it counts
  std::vector<int> eligible;        // by domain: nodes and pools for which it counts for the minimum; with
                                    // Problem::removable, nodes only, including those that may go
  std::vector<int> counts, owners;  // by domain, of running pods
  int total = 0;                    // matching pods that run anywhere
  // Returns true for a required spread that counts the pods of some nodes only.
  bool takes_sides() const { return kind == GroupKind::kSpread && filter != 0 && !soft; }
  bool keeps_apart() const { return kind == GroupKind::kAntiAffinity || kind == GroupKind::kPreferredAntiAffinity; }
  bool matches(const model::ObjectMeta& pod) const;
};

struct GroupUse {
  size_t group = 0;
  bool owned = false, matched = false;
};

// A class of pods at one stage of relaxing its preferences.
struct Form {
  std::vector<model::Toleration> tolerations;
  Shared<std::vector<Variant>> variants;       // forms with equal requests and equal places share them
  std::vector<GroupUse> host_uses;             // groups by hostname
  std::vector<std::pair<int, GroupUse>> uses;  // (key, use) of the other groups, by key
  RelaxedPreferences relaxed;                  // so far
};

struct PodClass {
  const model::Pod* sample = nullptr;
  std::vector<size_t> pods;  // indexes into Problem::pods
  Amounts requests;
  std::vector<model::HostPort> ports;
  std::vector<std::pair<std::string, std::string>> volumes;  // (driver, claim; empty: no other pod uses it)
  std::vector<Form> forms;                                   // the strictest first; at least one
  std::string problem;                                       // the reason why its pods cannot be planned
  std::span<const size_t> pools;  // with offerings for one such pod; an element of Problem::choices
  int heaviest = 0;               // weight of the heaviest pool that can launch a node for one such pod
};

struct PodProblem {
  PodPtr pod;
  uint32_t pod_class = 0;
  bool runs = false;                                                 // on a node that may go: not pending yet
  Shared<std::vector<std::pair<std::string, std::string>>> volumes;  // (driver, claim)
};

struct TopologyKey {
  std::string name;
  std::map<std::string, int> ids;
  std::vector<std::string> values;
  int id(const std::string& value);
  int find(const std::string& value) const;
};

struct Problem {
  const Snapshot* snapshot = nullptr;
  SolveOptions options;
  std::unordered_set<std::string_view> removable;  // nodes; limits and rows are as if they were gone
  std::vector<std::string> resources;
  std::vector<PoolProblem> pools;  // weight descending, then name descending, as Karpenter tries them
  std::vector<std::pair<std::string, std::string>> pools_left_out;  // name, reason
  std::map<std::string, bool> pools_without_types;                  // some of them; as in Solution
  std::vector<NodeProblem> nodes;                                   // initialized first, then by name
  std::deque<model::StringMap> made_labels;                         // of nodes without a hostname label
  std::vector<PodProblem> pods;                                     // by key
  std::vector<PodClass> classes;                                    // by the key of their first pod
  std::set<std::vector<size_t>> choices;                            // lists of pools, each once
  std::vector<TopologyKey> keys;                                    // 0 is hostname
  std::vector<NodeFilter> filters;
  std::vector<Group> groups;
  std::vector<std::pair<std::string, int>> reservations;  // id, instances left
  std::vector<const model::DaemonSet*> daemons;
  int64_t node_room = INT64_MAX;  // nodes that the cluster may still launch; negative: it has too many
  bool soft_taints = false;       // some pool or node has a PreferNoSchedule taint

  Amounts amounts(const model::Resources& resources_of) const;
  size_t resource(std::string_view name) const;  // resources.size() if no pod requests it
  // Returns how much less this pool weighs than the heaviest one that can launch a node for one such pod.
  int64_t lightness(size_t pod_class, size_t pool) const {
    return int64_t{classes[pod_class].heaviest} - pools[pool].pool->weight;
  }
};

}  // namespace tenon::scheduling

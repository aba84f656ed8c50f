// Problem: a Snapshot compiled for the solver. Names become dense indexes, pods of one shape become one class, and what
// a class may use of a pool becomes a set of rows, where a row is one (instance type, offering) that can be bought.
//
//   pool rows, cheapest first:   0: t3.medium/spot/b   1: t3.medium/spot/a   2: c5.large/spot/b …
//   class "web":                 mask {0, 1, 2, …}     one set operation instead of one comparison per pod and type
//
// Built once per solve; const afterwards, apart from caches. Not thread-safe.
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

#include "model/requirement.h"
#include "scheduling/room_index.h"
#include "scheduling/row_set.h"
#include "scheduling/solver.h"

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

// An instance type as one pool buys it.
struct TypeProblem {
  const model::InstanceType* type = nullptr;
  Amounts free;     // allocatable less the daemons that would run there
  Amounts daemons;  // their requests
  std::vector<model::HostPort> daemon_ports;
  Amounts charge;  // its capacity, by PoolProblem::limited
  std::vector<size_t> rows;
};

// What a pool's nodes can be, by a topology key.
struct KeyInPool {
  bool defined = false;             // they carry the label
  bool of_type = false;             // rows decide the value
  bool open = false;                // the pods of a node must agree on one
  int settled = kNone;              // the one domain there is, where the pool says so
  std::vector<const RowSet*> rows;  // of_type: by domain, null if there are none
};

// Pods of a group on one node.
struct HostCount {
  size_t group = 0;
  int matched = 0, owners = 0;  // counted there; with the rule themselves
};

struct PoolProblem {
  const model::NodePool* pool = nullptr;
  std::shared_ptr<const TypeIndex> all_types;  // of all, whatever its requirements leave of them
  std::string name;
  model::Requirements requirements;  // template, labels, pool and class name; with minValues
  model::Requirements loose;         // those of them that rows do not decide and that leave more than one value
  std::vector<TypeProblem> types;    // by name
  std::vector<Row> rows;             // by price, type name, zone, capacity type
  RoomIndex room;                    // of the rows, by what their types have free
  std::vector<std::string> limited;  // resources with a limit
  Amounts left;                      // of the limits
  std::vector<std::pair<std::string, int>> min_values;
  std::vector<KeyInPool> keys;                                                         // by Problem::keys
  mutable std::map<std::string, std::map<std::string, RowSet>, std::less<>> by_label;  // label → value → rows

  bool is_type_key(std::string_view key) const;
  // The rows that these requirements leave (of what the pool itself decides, all or none); false if none.
  bool rows_for(const model::Requirements& requirements, RowSet& out) const;
  // The rows whose type or offering has a value that the requirement allows.
  RowSet rows_allowed(const model::Requirement& requirement) const;
  const std::map<std::string, RowSet>& rows_by_value(const std::string& key) const;
  // Its nodes will carry this label.
  bool defines(const std::string& key) const;
  // The rows that can be in this domain of a topology key; null if there are none.
  const RowSet* rows_in(const std::string& key, const std::string& value) const;
  // Some type has several values of this label (other than by its offerings), so that a node must settle for one.
  bool multi_valued(std::string_view key) const;
  RowSet all() const { return RowSet(rows.size(), true); }
};

struct NodeProblem {
  const NodeView* view = nullptr;
  std::string name;
  const model::StringMap* labels = nullptr;  // with hostname; of the snapshot or of Problem::made_labels
  std::vector<model::Taint> taints;
  Amounts free;  // allocatable less pods and the daemons still to come
  std::vector<model::HostPort> ports;
  std::map<std::string, int> volume_room;  // driver → volumes that may still be attached
  std::set<std::string> volumes;           // claims already attached
  std::vector<int> domains;                // by topology key
  std::vector<HostCount> host;             // pods that run here
  bool may_go = false;                     // Problem::may_go has it
  std::vector<HostCount> counted;          // then: what it adds to the counts of its domains, by group
};

// A way to satisfy a pod: one of its required node terms with one of its volumes' alternatives.
struct Variant {
  model::Requirements node;  // selector and term: what spread constraints look at
  model::Requirements all;   // with the volume's
  std::vector<RowSet> rows;  // by pool
  RowSet nodes;              // existing nodes whose labels and taints fit
};

// A preferred anti-affinity keeps its own pod away but blocks nobody else.
enum class GroupKind { kSpread, kAffinity, kAntiAffinity, kPreferredAntiAffinity };

struct PodMatcher {
  std::optional<model::LabelSelector> selector;
  std::set<std::string> namespaces;
  bool all_namespaces = false;
  bool matches(const model::ObjectMeta& pod) const;
};

// The nodes that a spread looks at. The first one of a Problem looks at all.
struct NodeFilter {
  std::vector<model::Requirements> terms;  // any of them
  std::vector<model::Requirements> own;    // what its pods require, whether it looks at that or not
  bool honor_taints = false;
  std::vector<model::Toleration> tolerations;
  std::vector<RowSet> rows;  // by pool
  RowSet nodes;              // existing ones
};

// One topology rule with the pods that it counts. parity: karpenter topologygroup.go; for affinity with several terms
// kube-scheduler counts a pod only if it matches all of them, so all are kept in `matchers`.
struct Group {
  GroupKind kind = GroupKind::kSpread;
  int key = kHostKey;
  std::vector<PodMatcher> matchers;
  int max_skew = 1, min_domains = 0;
  bool soft = false;  // a spread that its own pods merely prefer: it keeps nobody else away
  std::string identity;
  size_t filter = 0;                // index into Problem::filters: the nodes it looks at
  std::vector<int> eligible;        // by domain: nodes and pools for which it counts for the minimum; with
                                    // Problem::may_go, nodes alone, also those that go
  std::vector<int> counts, owners;  // by domain, of pods that run
  int total = 0;                    // matching pods that run anywhere
  // It is a spread that looks at some nodes alone, and must be even.
  bool takes_sides() const { return kind == GroupKind::kSpread && filter != 0 && !soft; }
  bool keeps_apart() const { return kind == GroupKind::kAntiAffinity || kind == GroupKind::kPreferredAntiAffinity; }
  bool matches(const model::ObjectMeta& pod) const;
};

struct GroupUse {
  size_t group = 0;
  bool owned = false, matched = false;
};

// A class of pods at one stage of giving up preferences.
struct Form {
  std::vector<model::Toleration> tolerations;
  std::vector<Variant> variants;
  std::vector<GroupUse> host_uses;             // of groups by hostname
  std::vector<std::pair<int, GroupUse>> uses;  // (key, use) of the others, by key
  GivenUp relaxed;                             // so far
};

struct PodClass {
  const model::Pod* sample = nullptr;
  std::vector<size_t> pods;  // indexes into Problem::pods
  Amounts requests;
  std::vector<model::HostPort> ports;
  std::vector<std::pair<std::string, std::string>> volumes;  // (driver, claim; empty: no other pod uses it)
  std::vector<Form> forms;                                   // the strictest first; at least one
  std::string problem;                                       // why no pod of it can be planned
  std::vector<size_t> pools;                                 // that have offerings for one such pod
  int heaviest = 0;  // weight of the heaviest pool that can launch a node for one such pod
};

struct PodProblem {
  PodPtr pod;
  size_t pod_class = 0;
  std::vector<std::pair<std::string, std::string>> volumes;  // (driver, claim)
  bool runs = false;                                         // on a node that may go: not to be placed so far
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
  std::unordered_set<std::string_view> may_go;  // nodes; limits and what pools may buy are as if they were gone
  std::vector<std::string> resources;
  std::vector<PoolProblem> pools;  // weight descending, then name descending, as Karpenter tries them
  std::vector<std::pair<std::string, std::string>> pools_left_out;  // name, why
  std::map<std::string, bool> pools_without_types;                  // of them; as in Solution
  std::vector<NodeProblem> nodes;                                   // initialized first, then by name
  std::deque<model::StringMap> made_labels;                         // of nodes without a label for their hostname
  std::vector<PodProblem> pods;                                     // by key
  std::vector<PodClass> classes;                                    // by the key of their first pod
  std::vector<TopologyKey> keys;                                    // 0 is hostname
  std::vector<NodeFilter> filters;
  std::vector<Group> groups;
  std::vector<std::pair<std::string, int>> reservations;  // id, instances left
  std::vector<const model::DaemonSet*> daemons;
  int64_t node_room = INT64_MAX;  // nodes that the cluster may still get; negative: it has too many
  bool soft_taints = false;       // some pool or node has a PreferNoSchedule taint

  Amounts amounts(const model::Resources& resources_of) const;
  size_t resource(std::string_view name) const;  // resources.size() if nobody asks for it
  // How much less this pool weighs than the heaviest one that can launch a node for one such pod.
  int64_t lightness(size_t pod_class, size_t pool) const {
    return int64_t{classes[pod_class].heaviest} - pools[pool].pool->weight;
  }
};

// With these nodes as ones that may go: they are there and their pods run, but the pods that would have to move are
// among Problem::pods, last known as running.
Problem compile(const Snapshot& snapshot, const SolveOptions& options,
                std::unordered_set<std::string_view> may_go = {});

// The parts of compile(), in order.
void compile_pods(Problem& problem);
void compile_pools(Problem& problem);
void compile_nodes(Problem& problem);
void compile_forms(Problem& problem);
void compile_groups(Problem& problem);
void compile_choices(Problem& problem);

// The domains, by the index of each pool that has it, where the group's pods want to be and one of these rows (by pool)
// may be bought.
std::vector<size_t> domains_in_reach(const Problem& problem, const Group& group, const std::vector<RowSet>& reach);

// Shared rules.
// Labels whose value an offering decides, and the value; nothing for other labels.
std::span<const std::string_view> offering_keys();
std::optional<std::string_view> offering_value(std::string_view key, const model::Offering& offering);
// A requirement of a label that types decide, or types and offerings, holds for this one.
bool type_allowed(const model::Requirement& r, const model::InstanceType& type);
bool row_allowed(const model::Requirement& r, const model::InstanceType& type, const model::Offering& offering);
// The first requirement or label of the pool that cannot hold beside the others; empty if all can.
std::string contradiction(const model::NodePool& pool);
// Daemons stand PreferNoSchedule taints anyway.
bool daemon_tolerates(const model::Pod& daemon, const std::vector<model::Taint>& taints);
bool ports_conflict(const std::vector<model::HostPort>& a, const std::vector<model::HostPort>& b);
// Node selector, the heaviest preferred term that is left, and each required term (one without conditions if there is
// none).
Result<std::vector<model::Requirements>> node_terms(const model::Pod& pod);
// The same without preferences: where a daemon runs.
Result<std::vector<model::Requirements>> daemon_terms(const model::Pod& daemon);
// Does a node with these labels satisfy them? No label is taken for granted.
bool labels_satisfy(const model::StringMap& labels, const model::Requirements& requirements);
// The pod as it looks after each step of relaxation, the strictest first. parity: preferences.go
struct RelaxedPod {
  PodPtr pod;  // preferences turned into requirements; the pod itself if it has none
  GivenUp relaxed;
};
std::vector<RelaxedPod> relaxations(const PodPtr& pod, PreferencePolicy policy, bool soft_taints);
// Where the pod's volumes can be attached: alternatives of node requirements. Errors: why the pod must wait.
Result<std::vector<model::Requirements>> volume_alternatives(const Snapshot& snapshot, const model::Pod& pod);
// (driver, claim) of each volume that counts against a node's limit.
std::vector<std::pair<std::string, std::string>> attached_volumes(const Snapshot& snapshot, const model::Pod& pod);
// Why this pod is not the solver's to place; empty if it is. parity: provisioner.go Validate
std::string pod_problem(const Snapshot& snapshot, const model::Pod& pod);

}  // namespace tenon::scheduling

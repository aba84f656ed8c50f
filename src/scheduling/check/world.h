// Parts of check_solution(). This code shares nothing with the solver except the model: it works on objects, not on
// rows. Results that many pods or nodes share are computed once and stored in a World, which lives for one check. Not
// thread-safe; everything borrows the snapshot, the options and the solution.
// By subject of the checks: place.cc, nodes.cc, new_nodes.cc, labels.cc, domains.cc, topology.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling::check {

class World;

inline tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

using Values = std::set<std::string>;  // of a label
using Sums = std::vector<int64_t>;     // by World::resources()
// Requirements on a node's labels. A World stores one object for all equal requirements, so that addresses identify
// them.
using Demand = model::Requirements;

// The fields of a pod's spec that the checks use.
struct Spec {
  std::vector<const Demand*> terms;  // node selector with each required term; one must hold
  Sums requests;
};

// A NodePool and its types.
struct Pool {
  const PoolView* view = nullptr;
  std::unordered_map<std::string_view, size_t> by_name;  // index into its types; duplicates: the first
  std::vector<Sums> allocatable;                         // by type
  std::vector<const model::Pod*> daemons;                // DaemonSet pods that tolerate its taints
  const Demand* demand = nullptr;                        // its requirements and labels; null if they are invalid
};

class Choice;

// New nodes of one NodePool that differ only in their names, pods and lists of types. Computes their possible labels.
class Design {
 public:
  // An instance type for such nodes. Without `ways` they cannot launch on it.
  struct Type {
    std::vector<const model::Offering*> ways;
    model::Price cheapest{INT64_MAX}, dearest{};
    Sums room;  // allocatable minus DaemonSet pods
    std::vector<const model::Pod*> daemons_with_ports;
    bool holds_daemons = true;
  };

  // `sample`: any of these nodes.
  Design(World& world, const Pool& pool, const PlannedNode& sample);

  bool of_kind(const PlannedNode& node) const;
  // Returns the instance types of this name. An error names one that the pool does not offer.
  Result<Choice*> choice(const TypeNames& names);
  // `index` is of the pool's types.
  const Type& type(size_t index);
  // Returns the values that the label may have on these types under the node's requirements. Not for hostname.
  Values values(std::span<const size_t> types, const std::string& key);
  // Return true if the demand holds on this type for every way to launch it, or for at least one.
  bool satisfies(size_t index, const Demand& demand) { return answer(index, demand) == kAlways; }
  bool may_satisfy(size_t index, const Demand& demand) { return answer(index, demand) != kNever; }
  // The same for this way only.
  bool may_satisfy(size_t index, const model::Offering& way, const Demand& demand);

  const Pool& pool() const { return pool_; }
  const model::InstanceType& instance_type(size_t index) const { return (*pool_.view->types)[index]; }

 private:
  enum Answer : char { kUnknown, kNever, kMaybe, kAlways };
  struct KnownValues {
    std::vector<int> of_type;  // index into `distinct`; -1: not computed yet
    std::deque<Values> distinct;
    std::map<Values, int> ids;
  };
  const Values& values(size_t index, const std::string& key);
  size_t values_id(size_t index, KnownValues& known, const std::string& key);
  Values find_values(size_t index, const std::string& key) const;
  void list_ways(size_t index, Type& type) const;
  void add_daemons(size_t index, Type& type);
  Answer answer(size_t index, const Demand& demand);
  Answer find_answer(size_t index, const Demand& demand);
  bool holds(size_t index, const model::Offering& way, const Demand& demand, bool all);

  World& world_;
  const Pool& pool_;
  const PlannedNode& sample_;
  std::vector<std::optional<Type>> types_;
  std::map<std::string, KnownValues> known_values_;
  std::unordered_map<const Demand*, std::vector<Answer>> answers_;
  std::deque<std::pair<TypeNames, Choice>> choices_;
  std::unordered_multimap<size_t, std::pair<TypeNames, Choice>*> choices_by_hash_;
};

// The instance types that new nodes of a Design list. Nodes with equal lists share one Choice, which stores the
// answers.
class Choice {
 public:
  // `types`: indexes of the pool's types, in the order of the list.
  Choice(Design& design, std::vector<size_t> types);

  Design& design() const { return design_; }
  const std::vector<size_t>& types() const { return types_; }
  // Returns, by resource, the least room of these types.
  const Sums& least_room() const { return least_room_; }
  // Returns the values that the label may have on these types. Not for hostname.
  const Values& values(const std::string& key);
  // Returns true if the demand holds on all of these types for every way to launch them.
  bool satisfies(const Demand& demand);
  // Returns true on the first call. What all nodes with this choice have in common is checked once.
  bool first_check() { return !std::exchange(checked_, true); }

 private:
  Design& design_;
  std::vector<size_t> types_;
  Sums least_room_;
  std::map<std::string, Values> values_;
  std::unordered_map<const Demand*, bool> satisfies_;
  bool checked_ = false;
};

// A node after the plan, real or planned.
struct Place {
  std::string name;
  const NodeView* view = nullptr;        // of an existing node
  const PlannedNode* planned = nullptr;  // of a new node
  Choice* choice = nullptr;              // of a new node
  std::vector<const model::Pod*> running, arriving;

  // Returns the values that a label may have on it. Empty: it has no such label.
  Values values(const std::string& key) const;
  // Returns true if the demand holds for every outcome of the launch.
  bool satisfies(const Demand& demand) const;
  // Returns true if the demand holds for at least one outcome.
  bool may_satisfy(const Demand& demand) const;
};

class World {
 public:
  World(const Snapshot& snapshot, const SolveOptions& options);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Snapshot& snapshot() const { return snapshot_; }
  const SolveOptions& options() const { return options_; }
  bool is_gone(const std::string& node) const { return gone_.contains(node); }
  bool is_closed(const std::string& node) const { return closed_.contains(node); }

  const Spec& spec(const model::Pod& pod);
  const Demand* demand(model::Requirements requirements);
  // Returns null if there is no NodePool of this name.
  const Pool* pool(const std::string& name);
  Design& design(const Pool& pool, const PlannedNode& node);

  // The resources that a pod to place or a DaemonSet requests, sorted. Other resources are not checked.
  const std::vector<std::string>& resources() const { return resources_; }
  Sums sums(const model::Resources& of) const;
  // Returns values that the label may have on a node that is launched for this pod, at any price. A subset: see
  // domains.cc.
  const Values& launchable_domains(const std::string& key, const model::Pod& pod);

 private:
  using TypesByDomain = std::map<std::string, std::vector<size_t>>;
  void list_resources();
  Pool make_pool(const PoolView& view);
  const TypesByDomain& types_by_domain(const Pool& pool, const std::string& key,
                                       const std::vector<const Demand*>& terms);
  Values find_launchable(const std::string& key, const model::Pod& pod);

  const Snapshot& snapshot_;
  const SolveOptions& options_;
  std::unordered_set<std::string_view> gone_, closed_;
  std::vector<std::string> resources_;
  std::deque<Demand> demands_;
  std::unordered_multimap<size_t, const Demand*> demands_by_hash_;
  std::unordered_map<const model::PodSpec*, Spec> specs_;
  std::map<std::string, Pool, std::less<>> pools_;
  std::deque<Design> designs_;
  std::unordered_multimap<size_t, Design*> designs_by_hash_;
  std::map<std::pair<std::string, const model::PodSpec*>, Values> launchable_;
  std::map<std::tuple<const Pool*, std::string, std::vector<const Demand*>>, TypesByDomain> types_by_domain_;
};

// Returns the value of a label that offerings decide, empty if this offering has none; std::nullopt for other labels.
std::optional<std::string_view> offering_label(const std::string& key, const model::Offering& offering);
bool stands(const model::Pod& pod, const std::vector<model::Taint>& taints);
// Returns the node selector combined with each required term.
std::vector<model::Requirements> required_terms(const model::PodSpec& spec);

// Checks that the labels of new nodes are true for each outcome of the launch, allowed by its requirements, and
// complete: the NodePool's own, and one for each requirement that neither a type nor an offering decides.
Status check_labels(const PlannedNode& planned, Choice& choice);
// Checks that no two of these pods use the same host port.
Status check_ports(const std::vector<const model::Pod*>& pods);
// Checks that the arriving pods tolerate these taints and that their node requirements and volumes allow the node.
// Consecutive pods with one spec are checked once, unless they have volumes.
Status check_pods(World& world, const Place& place, const std::vector<model::Taint>& taints);
Status check_new_node(World& world, const Place& place);
Status check_existing_node(World& world, const Place& place);
Status check_limits(World& world, const std::vector<Place>& places);
Status check_topology(World& world, const std::vector<Place>& places);

}  // namespace tenon::scheduling::check

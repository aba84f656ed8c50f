// Pieces of check_solution(). This code shares nothing with the solver but the model: it walks objects, not rows. What
// many pods or nodes have in common is worked out once: a World holds it for the length of one check.
// Not thread-safe; all of it borrows the snapshot, the options and the solution.
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
#include <vector>

#include "scheduling/solver.h"

namespace tenon::scheduling::check {

class World;

inline tl::unexpected<Error> broken(const std::string& what) { return fail(Code::kInternal, what); }

using Values = std::set<std::string>;  // of a label
using Sums = std::vector<int64_t>;     // by World::resources()
// Requirements on a node's labels. A World holds one object for all equal requirements, so that addresses identify
// them.
using Demand = model::Requirements;

// The fields of a pod's spec that the checks use.
struct Spec {
  std::vector<const Demand*> terms;  // selector and each required term: any of them
  Sums requests;
};

// A NodePool and what it launches.
struct Pool {
  const PoolView* view = nullptr;
  std::unordered_map<std::string_view, size_t> by_name;  // index into its types; of several with one name, the first
  std::vector<Sums> allocatable;                         // by type
  std::vector<const model::Pod*> daemons;                // that tolerate its taints
  const Demand* demand = nullptr;                        // its requirements and labels; null if they are invalid
};

// New nodes of one NodePool that differ in their names, pods and lists of types only: what their labels may be.
class Design {
 public:
  // A type as such nodes come up on it. Without `ways` they do not.
  struct Type {
    std::vector<const model::Offering*> ways;
    model::Price cheapest{INT64_MAX}, dearest{};
    Sums room;  // beside its daemons
    std::vector<const model::Pod*> daemons_with_ports;
    bool holds_daemons = true;
  };

  // `sample`: any of them.
  Design(World& world, const Pool& pool, const PlannedNode& sample);

  bool of_kind(const PlannedNode& node) const;
  // `index` is of the pool's types.
  const Type& type(size_t index);
  // The values that the label may have on these types, after what the node's requirements pin. Not for hostname.
  Values values(std::span<const size_t> types, const std::string& key);
  // The demand holds on this type whichever way it comes up, or some way.
  bool satisfies(size_t index, const Demand& demand) { return answer(index, demand) == kAlways; }
  bool may_satisfy(size_t index, const Demand& demand) { return answer(index, demand) != kNever; }
  // In just this way.
  bool may_satisfy(size_t index, const model::Offering& way, const Demand& demand);

  const Pool& pool() const { return pool_; }
  const model::InstanceType& instance_type(size_t index) const { return (*pool_.view->types)[index]; }

 private:
  enum Answer : char { kUnknown, kNever, kMaybe, kAlways };
  struct KnownValues {
    std::vector<int> of_type;  // index into `distinct`; -1: not asked yet
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
};

// A node after the plan, real or planned.
struct Place {
  std::string name;
  const NodeView* view = nullptr;        // of an existing node
  const PlannedNode* planned = nullptr;  // of a new one
  Design* design = nullptr;              // of a new one
  std::vector<size_t> types;             // of a new one: those of its list that it can come up on
  std::vector<const model::Pod*> running, arriving;

  // The values that a label may have on it. Empty: it has no such label.
  Values values(const std::string& key) const;
  // Does the demand hold whatever it turns out to be?
  bool satisfies(const Demand& demand) const;
  // May it hold?
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
  // Null if there is none of that name.
  const Pool* pool(const std::string& name);
  Design& design(const Pool& pool, const PlannedNode& node);

  // Resources that a pod to place or a daemon asks for, sorted. Others are everybody's guess and nobody's concern.
  const std::vector<std::string>& resources() const { return resources_; }
  Sums sums(const model::Resources& of) const;
  // The values that the label may have on a node that is launched for this pod, whatever it costs. Not all of them: see
  // solution_check_domains.cc.
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

// The value that an offering decides; nothing if it does not decide this label. Empty: it has none.
std::optional<std::string_view> offering_label(const std::string& key, const model::Offering& offering);
bool stands(const model::Pod& pod, const std::vector<model::Taint>& taints);
// The node selector with each required term.
std::vector<model::Requirements> required_terms(const model::PodSpec& spec);

// The labels of a new node are true of each outcome, allowed by its requirements, and complete: the NodePool's own, and
// one for each requirement that neither a type nor an offering answers.
Status check_labels(const Place& place);
// No two of them want one host port.
Status check_ports(const std::vector<const model::Pod*>& pods);
// The arriving pods tolerate these taints of the node, and it is where they want to be. Equal pods are checked once,
// unless their volumes make them different.
Status check_pods(World& world, const Place& place, const std::vector<model::Taint>& taints);
Status check_new_node(World& world, const Place& place);
Status check_existing_node(World& world, const Place& place);
Status check_limits(World& world, const std::vector<Place>& places);
Status check_topology(World& world, const std::vector<Place>& places);

}  // namespace tenon::scheduling::check

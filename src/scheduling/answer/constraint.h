// One constraint that may keep a pod off the new nodes of a NodePool: a single entry of the pod's or the pool's
// manifest, small enough to be named in an explanation and to be removed by itself.
//
//   Scene scene(around(after, pod), original, pod, "default");
//   scene.without(constraints_of(scene));   // no constraint is left
//
// constraint_text.cc defines describe().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/compile/problem.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {

// The least informative kinds come first. The search restores them first, so that an explanation names later kinds
// where there is a choice.
enum class ConstraintKind {
  kPoolRequirement,      // index: of the template's requirements
  kMinValues,            // index: as above
  kNodeSelector,         // name: the label
  kNodeAffinity,         // index: term, part: expression
  kVolume,               // index: of the pod's volumes
  kRequest,              // name: the resource
  kHostPort,             // index: of the pod's host ports
  kLimit,                // name: the resource
  kSpread,               // index: of the pod's spread constraints
  kAffinity,             // index: of the required terms
  kAntiAffinity,         // index: of the required terms
  kRunningAntiAffinity,  // index: of Scene::rules
  kTaint,                // index: of the template's taints
  kNotReady,             // the pool is not ready
};

struct Constraint {
  ConstraintKind kind = ConstraintKind::kRequest;
  size_t index = 0, part = 0;
  std::string name;
  friend auto operator<=>(const Constraint&, const Constraint&) = default;
};

// A required anti-affinity term of running pods that selects the pod by its labels.
struct RunningRule {
  PodPtr sample;      // the first of these pods by key
  size_t term = 0;    // index among its terms
  size_t owners = 0;  // number of these pods
};

// One pod and one NodePool, in the cluster that the pod is judged against.
struct Scene {
  Scene(Snapshot around_pod, PodPtr asked, model::Pod stripped, std::string_view pool_name);

  Snapshot world;  // pools: at least this one; no pending pods
  PodPtr original;
  model::Pod pod;   // the same with all preferences relaxed
  size_t pool = 0;  // of world.pools
  std::vector<RunningRule> rules;

  const model::NodePool& node_pool() const { return *world.pools[pool].pool; }
  // Returns the world with the pod as the only pending one, both without these constraints.
  Snapshot without(const std::vector<Constraint>& dropped) const;
};

// Returns all constraints of the pod and the pool, sorted.
std::vector<Constraint> constraints_of(const Scene& scene);

// Describes the constraint in words, with its field in the manifest. `before`: the problem in which the pod is
// unschedulable; `after`: the one without the whole set of constraints.
Reason describe(const Scene& scene, const Constraint& constraint, const Problem& before, const Problem& after);

}  // namespace tenon::scheduling

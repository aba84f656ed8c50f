// One constraint that may keep a pod off the new nodes of a NodePool: a single entry of the pod's or the pool's
// manifest, small enough to be named in an explanation and to be taken out by itself.
//
//   Scene scene(around(after, pod), original, pod, "default");
//   scene.without(constraints_of(scene));   // nothing is left that could be in the way
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/problem.h"

namespace tenon::scheduling {

// Those that are the least telling come first: of several explanations the one is given that needs the later kinds.
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

// A required anti-affinity term of pods that run, which may mean the pod.
struct RunningRule {
  PodPtr sample;      // of those that have it, the first by key
  size_t term = 0;    // which of its terms
  size_t owners = 0;  // pods that have it
};

// One pod before one NodePool.
struct Scene {
  Scene(Snapshot around_pod, PodPtr asked, model::Pod stripped, std::string_view pool_name);

  Snapshot world;  // pools: at least this one; nobody pending
  PodPtr original;
  model::Pod pod;   // the same with all preferences given up
  size_t pool = 0;  // of world.pools
  std::vector<RunningRule> rules;

  const model::NodePool& node_pool() const { return *world.pools[pool].pool; }
  // The world with the pod as the only pending one, both without these constraints.
  Snapshot without(const std::vector<Constraint>& dropped) const;
};

// All of them, sorted.
std::vector<Constraint> constraints_of(const Scene& scene);

// In words, with the place in the manifest. `before`: the problem in which the pod found no place; `after`: the one
// without the named set.
Reason describe(const Scene& scene, const Constraint& constraint, const Problem& before, const Problem& after);

}  // namespace tenon::scheduling

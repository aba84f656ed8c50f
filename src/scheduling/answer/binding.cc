// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/binding.h"

#include <algorithm>

#include "scheduling/answer/snapshot_after.h"
#include "scheduling/compile/preferences.h"
#include "scheduling/search_state/compile.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kSteps = 1'500'000;     // for all pods together; about 3 µs each
constexpr size_t kMostToTryAllParts = 5;  // in larger sets, only one constraint at a time is left out

class Trials {
 public:
  Trials(const Scene& scene, const SolveOptions& options, int64_t& steps)
      : scene_(scene), options_(options), steps_(steps) {
    options_.removed_nodes.clear();
    options_.max_nodes.reset();  // is not the cause here, and relevant_part() merges nodes
    cost_ = 1;
    for (const PoolView& view : scene.world.pools) cost_ += view.types ? static_cast<int64_t>(view.types->size()) : 0;
    for (const NodeView& node : scene.world.nodes) cost_ += 1 + static_cast<int64_t>(node.pods.size());
  }

  bool out_of_steps() const { return steps_ < cost_; }

  bool fits_without(const std::vector<Constraint>& dropped) {
    steps_ -= cost_;
    const Snapshot world = scene_.without(dropped);
    const Problem problem = compile(world, options_);
    const auto& pools = problem.pools;
    const auto pool = std::find_if(pools.begin(), pools.end(),
                                   [&](const PoolProblem& p) { return p.name == scene_.node_pool().meta.name; });
    if (pool == pools.end()) return false;
    const State state(problem);
    Fit fit;
    Ask ask;
    for (; ask.form < problem.classes[0].forms.size(); ++ask.form) {
      if (state.fits_new(static_cast<size_t>(pool - pools.begin()), ask, fit) == Verdict::kFits) return true;
    }
    return false;
  }

 private:
  const Scene& scene_;
  SolveOptions options_;
  int64_t& steps_;
  int64_t cost_ = 0;
};

std::vector<Constraint> all_but(const std::vector<Constraint>& set, size_t at) {
  std::vector<Constraint> rest = set;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  return rest;
}

// Returns a proper part that suffices by itself; empty if none is found.
std::vector<Constraint> smaller(Trials& trials, const std::vector<Constraint>& set) {
  if (set.size() > kMostToTryAllParts) {
    for (size_t i = 0; i < set.size() && !trials.out_of_steps(); ++i) {
      std::vector<Constraint> part = all_but(set, i);
      if (trials.fits_without(part)) return part;
    }
    return {};
  }
  for (size_t bits = 1; bits + 1 < size_t{1} << set.size() && !trials.out_of_steps(); ++bits) {
    std::vector<Constraint> part;
    for (size_t i = 0; i < set.size(); ++i) {
      if ((bits >> i & 1U) != 0) part.push_back(set[i]);
    }
    if (trials.fits_without(part)) return part;
  }
  return {};
}

}  // namespace

std::vector<Constraint> binding_set(const Scene& scene, const SolveOptions& options, int64_t& steps) {
  Trials trials(scene, options, steps);
  std::vector<Constraint> set = constraints_of(scene);
  if (trials.out_of_steps() || !trials.fits_without(set) || trials.fits_without({})) return {};
  for (size_t i = 0; i < set.size() && !trials.out_of_steps();) {
    std::vector<Constraint> rest = all_but(set, i);
    if (trials.fits_without(rest)) {
      set = std::move(rest);
    } else {
      ++i;
    }
  }
  for (auto part = smaller(trials, set); !part.empty(); part = smaller(trials, set)) set = std::move(part);
  return trials.out_of_steps() ? std::vector<Constraint>{} : set;
}

void name_binding_sets(const State& state, Solution& solution) {
  const Problem& problem = state.problem();
  const Snapshot after = snapshot_after(state, solution);
  std::map<size_t, std::vector<Reason>> known;  // by class
  int64_t steps = kSteps;
  for (size_t p = 0; p < problem.pods.size(); ++p) {
    const auto unplaced = solution.unschedulable.find(problem.pods[p].pod->key());
    const PodClass& c = problem.classes[problem.pods[p].pod_class];
    if (unplaced == solution.unschedulable.end() || !c.problem.empty()) continue;
    std::vector<Reason>& reasons = unplaced->second.reasons;
    if (!reasons.empty() && reasons.front().subject.empty()) continue;  // of the cluster, not of a NodePool
    const auto [at, fresh] = known.try_emplace(problem.pods[p].pod_class);
    if (!fresh) {
      reasons = at->second;
      continue;
    }
    const PodPtr& pod = problem.pods[p].pod;
    const model::Pod stripped = *relaxations(pod, problem.options.preferences, problem.soft_taints).back().pod;
    const Snapshot near = relevant_part(after, stripped);
    for (const Reason& general : reasons) {
      const Scene scene(near, pod, stripped, general.subject);
      const model::NodePool& pool = scene.node_pool();
      std::vector<Constraint> set;
      if (!pool.replicas && !pool.meta.deleting()) set = binding_set(scene, problem.options, steps);
      if (set.empty()) {
        at->second.push_back(general);
        continue;
      }
      const Snapshot freed = scene.without(set);
      const Problem solved = compile(freed, problem.options);
      for (const Constraint& constraint : set) at->second.push_back(describe(scene, constraint, problem, solved));
    }
    reasons = at->second;
  }
  solution.steps += kSteps - steps;
}

}  // namespace tenon::scheduling

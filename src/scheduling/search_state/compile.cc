// SPDX-License-Identifier: Apache-2.0
#include "scheduling/search_state/compile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scheduling/compile/parts.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {
namespace {

// The price cap limits launches. It does not limit the domains of topology spreads, so it applies after
// compile_groups().
void drop_dear_rows(Problem& problem) {
  if (!problem.options.launch_below) return;
  std::map<const std::vector<Variant>*, Shared<std::vector<Variant>>> known;  // by the variants before
  const auto drop = [&](Variant& variant) {
    for (size_t p = 0; p < problem.pools.size(); ++p) {
      const auto& rows = problem.pools[p].rows;
      for (size_t r = rows.size(); r-- > 0 && rows[r].price >= *problem.options.launch_below;) variant.rows[p].reset(r);
    }
  };
  for (PodClass& c : problem.classes) {
    for (Form& form : c.forms) {
      const auto [at, fresh] = known.try_emplace(&*form.variants, form.variants);
      if (fresh) std::ranges::for_each(at->second.edit(), drop);
      form.variants = at->second;
    }
  }
}

// Finds, for each class, the weight of the heaviest NodePool that can launch a node for one of its pods. Plans that use
// lighter pools are worse at any price, so this weight is the reference for Problem::lightness().
//
// Cost: if weights differ, one trial launch for each class and pool until one succeeds.
void find_heaviest(Problem& problem) {
  if (problem.pools.empty()) return;
  const int heaviest = problem.pools.front().pool->weight;
  for (PodClass& c : problem.classes) c.heaviest = heaviest;
  if (problem.pools.back().pool->weight == heaviest) return;
  const State state(problem);
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    const auto& pools = problem.classes[c].pools;
    const auto pool = std::find_if(pools.begin(), pools.end(), [&](size_t p) { return state.could_launch(p, c); });
    if (pool != pools.end()) problem.classes[c].heaviest = problem.pools[*pool].pool->weight;
  }
}

}  // namespace

Problem compile(const Snapshot& snapshot, const SolveOptions& options, std::unordered_set<std::string_view> removable) {
  Problem problem;
  problem.snapshot = &snapshot;
  problem.options = options;
  problem.removable = std::move(removable);
  compile_pods(problem);
  compile_pools(problem);
  compile_nodes(problem);
  compile_forms(problem);
  compile_groups(problem);
  drop_dear_rows(problem);
  compile_choices(problem);
  find_heaviest(problem);
  return problem;
}

}  // namespace tenon::scheduling

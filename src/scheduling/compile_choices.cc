// Lists the NodePools that each class of pods can use, and finds the weight of the heaviest one that can launch a node
// for one such pod. Plans that use lighter pools are worse at any price, so this weight is the reference for
// Problem::lightness().
//
// Cost: classes × pools × variants. If weights differ, also one trial launch for each class and pool until one
// succeeds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduling/state.h"

namespace tenon::scheduling {

void compile_choices(Problem& problem) {
  if (problem.pools.empty()) return;
  for (PodClass& c : problem.classes) {
    for (size_t p = 0; p < problem.pools.size(); ++p) {
      const auto offers = [&](const Variant& variant) { return variant.rows[p].any(); };
      const auto possible = [&](const Form& form) {
        return std::any_of(form.variants.begin(), form.variants.end(), offers);
      };
      if (std::any_of(c.forms.begin(), c.forms.end(), possible)) c.pools.push_back(p);
    }
  }
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

}  // namespace tenon::scheduling

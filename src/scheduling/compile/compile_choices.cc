// Lists the NodePools that each class of pods can use. Cost: classes × pools × variants.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduling/compile/parts.h"

namespace tenon::scheduling {

void compile_choices(Problem& problem) {
  if (problem.pools.empty()) return;
  for (PodClass& c : problem.classes) {
    std::vector<size_t> pools;
    for (size_t p = 0; p < problem.pools.size(); ++p) {
      const auto offers = [&](const Variant& variant) { return variant.rows[p].any(); };
      const auto possible = [&](const Form& form) {
        return std::any_of(form.variants->begin(), form.variants->end(), offers);
      };
      if (std::any_of(c.forms.begin(), c.forms.end(), possible)) pools.push_back(p);
    }
    c.pools = *problem.choices.insert(std::move(pools)).first;
  }
}

}  // namespace tenon::scheduling

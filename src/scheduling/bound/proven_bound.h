// A proven lower bound of the price of any plan, by column generation (proven_bound.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/bound/relaxation.h"

namespace tenon::scheduling {

struct Bound {
  model::Price price;
  int64_t steps = 0;  // work done
};

// Returns the bound that these values (pico-USD per hour, by demand, at least 0) prove, or `known` if that is higher.
// Any values give a true bound; good values give a tight one.
Bound proven_bound(const Relaxation& relaxation, const std::vector<int64_t>& values, model::Price known = {});

// Returns the best bound that is found. `plan`: the price of a plan. If simple values prove nearly as much, column
// generation is skipped.
Bound relaxed_bound(const Relaxation& relaxation, model::Price plan = model::Price(INT64_MAX));

}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/instant.h"
#include "controllers/apply/executor.h"

namespace tenon::controllers {

// The time that one reconciliation spends on patches of claims. The patches of ten thousand claims take minutes, and
// the status of their NodePool or class must be written meanwhile.
inline constexpr Duration kStampTime = 5s;

// Performs decide(object), a plan, for each of the objects, one after the other. One plan for all of ten thousand
// objects would hold each object twice. Ends early once in_time() is false. A failure does not end the loop, except
// cancellation. Returns the first failure.
template <class Objects, class Decide, class InTime>
Status apply_each(Executor& executor, const Objects& objects, Decide decide, InTime in_time,
                  const std::stop_token& stop) {
  Status all = ok();
  for (const auto& object : objects) {
    if (!in_time()) break;
    const plan::Plan plan = decide(*object);
    if (plan.actions.empty()) continue;
    const auto done = executor.apply(plan, stop);
    if (done) continue;
    if (all) all = fail(done.error());
    if (done.error().code == Code::kCancelled) break;
  }
  return all;
}

}  // namespace tenon::controllers

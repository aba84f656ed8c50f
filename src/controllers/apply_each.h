// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "controllers/apply/executor.h"

namespace tenon::controllers {

// Performs decide(object), a plan, for each of the objects, one after the other: a plan for ten thousand objects would
// hold each of them twice. Ends early once in_time() is false. A failure does not end the others, except cancellation.
// Returns the first failure.
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

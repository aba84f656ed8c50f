// Reports changes of the ConfigMap tenon-freeze as log lines and events. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "model/freeze.h"
#include "plan/plan.h"
#include "state/freeze_watch.h"

namespace tenon::controllers::freeze {

// A state that was, or is, in effect.
struct View {
  state::Frozen frozen;
  std::shared_ptr<const model::Freeze> object;  // null: there is none, or it is not known
};

// Returns a log line and an event on the ConfigMap if `now` differs from `before`: Frozen, Thawed, or FreezeInvalid
// with the key that is not understood.
plan::Plan decide(const View& before, const View& now);

}  // namespace tenon::controllers::freeze

// The Events that tell of an object's conditions as they change, and of its end. parity: operatorpkg
// status/controller.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.h"

namespace tenon::controllers::status_events {

// One for each condition that had another status before. What appears or vanishes is not told: there is nothing that it
// was.
plan::Plan transitions(const plan::ObjectRef& about, const std::vector<model::Condition>& before,
                       const std::vector<model::Condition>& after);

// The object is gone, and our finalizer had kept it until its end was in order.
plan::Plan finalized(const plan::ObjectRef& about, const model::ObjectMeta& last);

}  // namespace tenon::controllers::status_events

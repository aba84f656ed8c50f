// Events about changes of an object's conditions, and about its end. parity: operatorpkg status/controller.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.h"

namespace tenon::controllers::status_events {

// Returns one event for each condition whose status changed. A condition that appears or vanishes has no event, because
// it has no status to change from or to.
plan::Plan transitions(const plan::ObjectRef& about, const std::vector<model::Condition>& before,
                       const std::vector<model::Condition>& after);

// Returns the event for an object that is gone after our finalizer has held it until its cleanup was done.
plan::Plan finalized(const plan::ObjectRef& about, const model::ObjectMeta& last);

}  // namespace tenon::controllers::status_events

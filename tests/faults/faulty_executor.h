// Executors that do not perform plans as they are. Thread rule: of controllers::Executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "controllers/apply/executor.h"

namespace tenon::faults {

// All borrow `inner`.
// Terminates the instance of a node instead of evicting its pods.
std::unique_ptr<controllers::Executor> skip_drains(controllers::Executor& inner);
// Deletes the NodeClaims of a disruption command as soon as its replacements are created.
std::unique_ptr<controllers::Executor> skip_waiting(controllers::Executor& inner);
// Performs no plan that follows from a notice of the cloud.
std::unique_ptr<controllers::Executor> ignore_notices(controllers::Executor& inner);

}  // namespace tenon::faults

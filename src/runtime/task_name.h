// The name of the Task that runs on this thread, for metrics that say which controller called.
// Thread rule: any thread; each has its own name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::runtime {

// Returns the name given to Runtime::spawn(); empty outside a Task. Valid until the Task ends.
std::string_view task_name();
// For implementations of Runtime. `name` must outlive the Task.
void set_task_name(std::string_view name);

}  // namespace tenon::runtime

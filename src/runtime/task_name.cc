// SPDX-License-Identifier: Apache-2.0
#include "runtime/task_name.h"

namespace tenon::runtime {
namespace {
thread_local std::string_view name_of_this_thread;
}  // namespace

std::string_view task_name() { return name_of_this_thread; }
void set_task_name(std::string_view name) { name_of_this_thread = name; }

}  // namespace tenon::runtime

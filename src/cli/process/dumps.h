// Keeps the memory of this process, which holds credentials, out of core dumps and away from other processes of its
// user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::cli {

// No core dump, no ptrace and no /proc/PID/mem for other processes without CAP_SYS_PTRACE. A program that this process
// starts is not affected. Returns false if the kernel refuses. Call it once, early.
bool forbid_dumps();

}  // namespace tenon::cli

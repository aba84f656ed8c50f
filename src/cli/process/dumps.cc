// SPDX-License-Identifier: Apache-2.0
#include "cli/process/dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace tenon::cli {

bool forbid_dumps() {
  // The limit alone is not enough: the kernel ignores it if core_pattern is a pipe. man 5 core
  const rlimit none{0, 0};
  const bool limited = ::setrlimit(RLIMIT_CORE, &none) == 0;
  return ::prctl(PR_SET_DUMPABLE, 0) == 0 && limited;
}

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenon::internal {

void check_failed(const char* file, int line, const char* condition, std::string_view why) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%.*s\n", file, line, condition, why.empty() ? "" : ": ",
               static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace tenon::internal

// CHECK: a condition that only a bug of ours can violate. Active in release builds too: prints the source location and
// aborts the process. Return a Result for errors that have causes outside the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::internal {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view why);
}

#define CHECK(condition, ...)                                                                         \
  do {                                                                                                \
    if (!(condition)) [[unlikely]]                                                                    \
      ::tenon::internal::check_failed(__FILE__, __LINE__, #condition, std::string_view{__VA_ARGS__}); \
  } while (false)

// CHECK: a condition that only our own code can break. On in release builds; prints the place and ends the process.
// For what the world can do wrong, return a Result.
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

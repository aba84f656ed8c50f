// FailureThrottle: decides which failures of the controllers are logged. A failure that repeats is logged every
// kFailureRepeat, with the number of those left out in between. While a peer does not answer, all objects of a
// controller fail with the same error code and share one line.
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "runtime/token_bucket.h"

namespace tenon::cli {

inline constexpr Duration kFailureRepeat = 30s;
inline constexpr size_t kMaxFailuresRemembered = 1000;

class FailureThrottle {
 public:
  // Returns how many equal failures were left out since the last line; std::nullopt: leave this one out too.
  std::optional<size_t> admit(const std::string& controller, const std::string& key, const Error& error, Instant now);

 private:
  struct Seen {
    runtime::TokenBucket lines{kFailureRepeat};
    size_t left_out = 0;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace tenon::cli

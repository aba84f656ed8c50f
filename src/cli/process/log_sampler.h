// LogSampler: keeps a burst of equal lines from filling the log. Of the lines of one level and one message in a second,
// the first `first` are written, then each `every`-th. parity: go.uber.org/zap/zapcore sampler.go
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/instant.h"
#include "base/result.h"
#include "log/log.h"

namespace tenon::cli {

struct Sampling {
  int64_t first = 100;
  int64_t every = 100;  // 0: after the first, none
  bool off = false;     // each line is written
  friend bool operator==(const Sampling&, const Sampling&) = default;
};

// Reads "100:100" or "off". Errors: kInvalid.
Result<Sampling> parse_sampling(std::string_view text);

inline constexpr Duration kSamplingWindow = 1s;
inline constexpr size_t kMaxMessagesSampled = 4096;  // different ones; then all counts begin again

class LogSampler {
 public:
  explicit LogSampler(Sampling sampling) : sampling_(sampling) {}
  // Returns whether this line is written.
  bool admit(log::Level level, const std::string& message, Instant now);

 private:
  struct Count {
    Instant until{};
    int64_t lines = 0;
  };
  const Sampling sampling_;
  std::unordered_map<std::string, Count> counts_;
};

}  // namespace tenon::cli

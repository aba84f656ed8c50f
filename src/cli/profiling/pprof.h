// A CPU profile in the form that `go tool pprof` and other viewers read. Pure, except that mappings() reads /proc.
// parity: github.com/google/pprof/proto/profile.proto
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace tenon::cli {

// A part of the address space that holds code of a file.
struct Mapping {
  uint64_t start = 0, limit = 0, offset = 0;
  std::string file;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};
// Returns the executable mappings of files in the text of /proc/PID/maps.
std::vector<Mapping> parse_mappings(std::string_view text);
// Returns those of this process.
std::vector<Mapping> mappings();

using Stack = std::vector<uint64_t>;  // addresses of code; the first is the one that ran
struct CpuProfile {
  std::map<Stack, int64_t> samples;  // stack → how often it was seen
  int64_t lost = 0;                  // samples that found no room
  Duration period{};                 // CPU time between samples
  Duration lasted{};
};

// Returns the bytes of a profile.proto message without compression, which every reader accepts. `name_at` returns the
// name of the function at an address; empty: it is not known, and the reader may find it itself.
std::string encode_pprof(const CpuProfile& profile, const std::vector<Mapping>& mappings, int64_t unix_nanos,
                         const std::function<std::string(uint64_t)>& name_at);

}  // namespace tenon::cli

// The memory that nodes of a type really have: EC2 reports the memory of the machine, including the share of its
// hypervisor and firmware. parity: provider-aws pkg/providers/instancetype (discovered capacity)
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/instant.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kLearnedFor = 60 * 24h;

using BytesByType = std::map<std::string, int64_t>;

class LearnedMemory {
 public:
  // Stores the minimum of the reported values for each type and set of AMIs, since images reserve different amounts.
  void learn(const std::string& type, const std::vector<model::ResolvedAmi>& amis, int64_t bytes, Instant now);
  // Returns the bytes of each type whose memory is known with these AMIs.
  BytesByType of(const std::vector<model::ResolvedAmi>& amis, Instant now) const;

 private:
  struct Entry {
    int64_t bytes;
    Instant until;
  };
  mutable std::mutex mutex_;
  std::map<uint64_t, std::map<std::string, Entry>> entries_;  // by the hash of a set of AMIs, then by type
};

}  // namespace tenon::cloud

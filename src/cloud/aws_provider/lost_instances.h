// Which instances ended though nobody of ours ended them and EC2 had not said so before: somebody's clean-up job, a
// quota, an outage. Told by comparing one list of all instances with the next.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/instant.h"

namespace tenon::cloud {

class LostInstances {
 public:
  using Pools = std::map<std::string, std::string>;  // NodePool by instance id
  static constexpr Duration kExpectedFor = 1h;
  // We are about to end it, or EC2 has announced that it will.
  void expect_end_of(const std::string& id, Instant now);
  // All that live, as EC2 answered when it was asked at this time. An older answer than the last changes nothing.
  void listed(Pools living, Instant asked);
  // The NodePools of what was lost since the last call, one entry each.
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  Pools last_;
  Instant asked_{};
  std::map<std::string, Instant> expected_;  // ids, and since when
  std::vector<std::string> lost_;
};

}  // namespace tenon::cloud

// Finds instances that ended although neither we terminated them nor EC2 had announced it: an external clean-up job, a
// quota, an outage. Compares each list of all instances with the previous one.
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
  // We are about to terminate the instance, or EC2 has announced its end.
  void expect_end_of(const std::string& id, Instant now);
  // Takes all living instances of a list that was requested at `asked`. A list older than the last one is ignored.
  void listed(Pools living, Instant asked);
  // Returns the NodePools of the instances lost since the last call, one entry for each instance.
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  Pools last_;
  Instant asked_{};
  std::map<std::string, Instant> expected_;  // instance ids, with the time of the announcement
  std::vector<std::string> lost_;
};

}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/lost_instances.h"

#include <utility>

namespace tenon::cloud {

void LostInstances::expect_end_of(const std::string& id, Instant now) {
  const std::scoped_lock lock(mutex_);
  expected_[id] = now;
}

void LostInstances::listed(Pools living, Instant asked) {
  const std::scoped_lock lock(mutex_);
  if (asked < asked_) return;
  for (const auto& [id, pool] : last_) {
    if (!living.contains(id) && !expected_.contains(id)) lost_.push_back(pool);
  }
  std::erase_if(expected_, [&](const auto& entry) {
    const bool gone = last_.contains(entry.first) && !living.contains(entry.first);
    return gone || asked - entry.second > kExpectedFor;
  });
  last_ = std::move(living);
  asked_ = asked;
}

std::vector<std::string> LostInstances::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(lost_, {});
}

}  // namespace tenon::cloud

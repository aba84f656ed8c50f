// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/loss_alarm.h"

namespace tenon::controllers::garbage_collection {

bool LossAlarm::record_loss(const std::string& pool, Instant now) {
  Pool& known = pools_[pool];
  known.lost.push_back(now);
  if (known.lost.size() > kMany) known.lost.pop_front();
  if (known.lost.size() < kMany || now - known.lost.front() > kWithin) return false;
  return known.alarms.try_take(now);
}

}  // namespace tenon::controllers::garbage_collection

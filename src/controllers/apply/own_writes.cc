// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/own_writes.h"

namespace tenon::controllers {

bool OwnWrites::replaced(const std::string& object, const std::string& version) {
  const std::lock_guard lock(mutex_);
  drop_old();
  return versions_.contains(object + "@" + version);
}

void OwnWrites::note(const std::string& object, const std::string& version) {
  const std::lock_guard lock(mutex_);
  drop_old();
  const auto [entry, added] = versions_.insert(object + "@" + version);
  if (added) entries_.emplace_back(runtime_.now(), *entry);
}

void OwnWrites::drop_old() {
  for (const Instant now = runtime_.now(); !entries_.empty() && entries_.front().first + kLasts <= now;) {
    versions_.erase(entries_.front().second);
    entries_.pop_front();
  }
}

}  // namespace tenon::controllers

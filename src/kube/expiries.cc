// SPDX-License-Identifier: Apache-2.0
#include "kube/expiries.h"

namespace tenon::kube {

void Expiries::remove_first() {
  ++steps_;
  const auto first = order_.begin();
  by_key_.erase(by_key_.find(*first->second));
  order_.erase(first);
}

void Expiries::remove_expired(Instant now) {
  while (!order_.empty() && order_.begin()->first <= now) remove_first();
}

Instant Expiries::expiry(const std::string& key, Instant now) {
  remove_expired(now);
  ++steps_;
  const auto known = by_key_.find(key);
  return known == by_key_.end() ? now : known->second->first;
}

void Expiries::set(const std::string& key, Instant expiry, Instant now) {
  remove_expired(now);
  ++steps_;
  const auto [entry, added] = by_key_.try_emplace(key);
  if (!added) order_.erase(entry->second);
  entry->second = order_.emplace(expiry, &entry->first);
  if (by_key_.size() > most_) remove_first();
}

}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/unavailable_offerings.h"

#include <algorithm>

namespace tenon::cloud {

void UnavailableOfferings::mark(const OfferingKey& offering, Instant now) {
  const std::scoped_lock lock(mutex_);
  avoid(offering, now + kUnavailableFor);
}

// Needs mutex_. Keeps an existing later end.
void UnavailableOfferings::avoid(const OfferingKey& offering, Instant until) {
  Instant& known = until_[offering];
  known = std::max(known, until);
  ++version_;
}

void UnavailableOfferings::mark_interrupted(const OfferingKey& offering, const std::string& instance, Instant now) {
  const std::scoped_lock lock(mutex_);
  auto& recent = interrupted_[offering];
  std::erase_if(recent, [&](const auto& entry) { return now - entry.second >= kInterruptionWindow; });
  if (!recent.emplace(instance, now).second) return;
  avoid(offering, now + (recent.size() > 1 ? kEmptiedFor : kUnavailableFor));
}

void UnavailableOfferings::mark_capacity_type(const std::string& capacity_type, Instant now) {
  mark({"", "", capacity_type}, now);
}

void UnavailableOfferings::mark_subnet(const std::string& subnet_id, Instant now) {
  const std::scoped_lock lock(mutex_);
  subnets_until_[subnet_id] = now + kUnavailableFor;
  ++version_;
}

bool UnavailableOfferings::unavailable(const OfferingKey& offering, Instant now) const {
  const std::scoped_lock lock(mutex_);
  const auto marked = [&](const OfferingKey& key) {
    const auto it = until_.find(key);
    return it != until_.end() && now < it->second;
  };
  OfferingKey around = offering;
  if (marked(around)) return true;
  around.partition = 0;
  if (marked(around)) return true;
  around.placement_group.clear();
  return marked(around) || marked({"", "", offering.capacity_type});
}

bool UnavailableOfferings::subnet_unavailable(const std::string& subnet_id, Instant now) const {
  const std::scoped_lock lock(mutex_);
  const auto it = subnets_until_.find(subnet_id);
  return it != subnets_until_.end() && now < it->second;
}

void UnavailableOfferings::set_shifted_zones(std::set<std::string> zone_ids) {
  const std::scoped_lock lock(mutex_);
  if (shifted_ == zone_ids) return;
  shifted_ = std::move(zone_ids);
  ++version_;
}

bool UnavailableOfferings::zone_shifted(const std::string& zone_id) const {
  const std::scoped_lock lock(mutex_);
  return shifted_.contains(zone_id);
}

bool UnavailableOfferings::any_zone_shifted() const {
  const std::scoped_lock lock(mutex_);
  return !shifted_.empty();
}

uint64_t UnavailableOfferings::version(Instant now) {
  const std::scoped_lock lock(mutex_);
  const auto ended = [now](const auto& entry) { return now >= entry.second; };
  std::erase_if(interrupted_, [now](const auto& pool) {
    return std::all_of(pool.second.begin(), pool.second.end(),
                       [now](const auto& entry) { return now - entry.second >= kInterruptionWindow; });
  });
  if (std::erase_if(until_, ended) + std::erase_if(subnets_until_, ended) > 0) ++version_;
  return version_;
}

}  // namespace tenon::cloud

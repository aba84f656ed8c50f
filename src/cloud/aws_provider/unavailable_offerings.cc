// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/unavailable_offerings.h"

namespace tenon::cloud {

void UnavailableOfferings::mark(const OfferingKey& offering, Instant now) {
  const std::scoped_lock lock(mutex_);
  until_[offering] = now + kUnavailableFor;
  ++version_;
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
  return marked(offering) || marked({"", "", offering.capacity_type});
}

bool UnavailableOfferings::subnet_unavailable(const std::string& subnet_id, Instant now) const {
  const std::scoped_lock lock(mutex_);
  const auto it = subnets_until_.find(subnet_id);
  return it != subnets_until_.end() && now < it->second;
}

uint64_t UnavailableOfferings::version(Instant now) {
  const std::scoped_lock lock(mutex_);
  const auto ended = [now](const auto& entry) { return now >= entry.second; };
  if (std::erase_if(until_, ended) + std::erase_if(subnets_until_, ended) > 0) ++version_;
  return version_;
}

}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/running_instances.h"

#include "model/labels.h"

namespace tenon::cloud {

void RunningInstancesOfCluster::replace(std::map<std::string, Entry> all) {
  const std::scoped_lock lock(mutex_);
  if (!known_ || all != all_) ++version_;
  all_ = std::move(all);
  known_ = true;
}

void RunningInstancesOfCluster::add(const std::string& id, Entry entry) {
  const std::scoped_lock lock(mutex_);
  all_[id] = std::move(entry);
  ++version_;
}

void RunningInstancesOfCluster::remove(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  if (all_.erase(id) > 0) ++version_;
}

bool RunningInstancesOfCluster::known() const {
  const std::scoped_lock lock(mutex_);
  return known_;
}

std::vector<catalog::RunningInstances> RunningInstancesOfCluster::on_demand() const {
  const std::scoped_lock lock(mutex_);
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const auto& [id, entry] : all_) {
    if (entry.capacity_type == model::kCapacityOnDemand) ++counts[{entry.type, entry.zone}];
  }
  std::vector<catalog::RunningInstances> out;
  for (const auto& [key, count] : counts) out.push_back({key.first, key.second, count});
  return out;
}

uint64_t RunningInstancesOfCluster::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

}  // namespace tenon::cloud

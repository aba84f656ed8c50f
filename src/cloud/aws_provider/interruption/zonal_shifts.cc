// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/zonal_shifts.h"

namespace tenon::cloud {

Result<std::vector<Zone>> ZonalShifts::refresh(const std::stop_token& stop) {
  const std::string arn = TRY(services_.cluster.arn(stop));
  auto resource = services_.arc.get_managed_resource(arn, stop);
  if (!resource && resource.error().code == Code::kNotFound) {
    return fail(Code::kNotFound, "cluster " + services_.cluster.name() + " is not enrolled in zonal shift (" +
                                     resource.error().message + ")");
  }
  if (!resource) return fail(std::move(resource).error());
  std::set<std::string> ids;
  for (const auto& [id, weight] : resource->applied_weights) {
    if (weight <= 0) ids.insert(id);
  }
  std::vector<Zone> zones;
  {
    const std::scoped_lock lock(mutex_);
    for (const std::string& id : ids) {
      Zone zone{"", id};
      for (const auto& [name, known] : ids_) {
        if (known == id) zone.name = name;
      }
      zones.push_back(std::move(zone));
    }
  }
  services_.unavailable.set_shifted_zones(std::move(ids));
  return zones;
}

void ZonalShifts::learn_names(const model::NodeClass& node_class) {
  const std::scoped_lock lock(mutex_);
  for (const model::ResolvedSubnet& subnet : node_class.subnets) ids_[subnet.zone] = subnet.zone_id;
}

bool ZonalShifts::is_away(const std::string& zone) const {
  if (!services_.unavailable.any_zone_shifted()) return false;
  const std::scoped_lock lock(mutex_);
  const auto id = ids_.find(zone);
  return id != ids_.end() && services_.unavailable.zone_shifted(id->second);
}

std::string ZonalShifts::zone_id(const std::string& zone) const {
  const std::scoped_lock lock(mutex_);
  const auto id = ids_.find(zone);
  return id == ids_.end() ? std::string() : id->second;
}

Status ZonalShifts::check(const std::string& zone) const {
  if (!is_away(zone)) return ok();
  return fail(Code::kUnavailable, "traffic is shifted away from zone " + zone + ": its instances are left alone");
}

std::vector<Instance> ZonalShifts::with_hidden(std::vector<Instance> listed) {
  std::map<std::string, Instance> all;
  for (Instance& instance : listed) all.emplace(instance.provider_id, std::move(instance));
  std::map<std::string, Instance> before;
  {
    const std::scoped_lock lock(mutex_);
    before = listed_;
  }
  for (auto& [id, instance] : before) {
    if (is_away(instance.zone)) all.emplace(id, std::move(instance));
  }
  listed.clear();
  for (const auto& [id, instance] : all) listed.push_back(instance);
  const std::scoped_lock lock(mutex_);
  listed_ = std::move(all);
  return listed;
}

}  // namespace tenon::cloud

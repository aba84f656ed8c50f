// DescribeCapacityReservations and DescribePlacementGroups.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/ec2.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kReservationsPerPage = 1000;

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Attribute reservation_attributes(const FakeReservation& reservation, std::string_view state) {
  return [&reservation, state](std::string_view name) -> Values {
    if (name == "state") return only(state);
    if (name == "owner-id") return only(kAccount);
    if (name == "instance-type") return only(reservation.instance_type);
    if (name == "availability-zone") return only(reservation.zone);
    if (name == "instance-match-criteria") return only(reservation.open ? "open" : "targeted");
    if (name == "tenancy") return only("default");
    return std::nullopt;
  };
}

void write_reservation(const World& world, const FakeReservation& reservation, Instant now, Xml& out) {
  out.text("capacityReservationId", reservation.id).text("ownerId", kAccount);
  out.text("capacityReservationArn", world.arn("ec2", "capacity-reservation/" + reservation.id));
  out.text("instanceType", reservation.instance_type).text("instancePlatform", "Linux/UNIX");
  out.text("availabilityZone", reservation.zone);
  if (const ZoneInfo* zone = world.zone(reservation.zone)) out.text("availabilityZoneId", zone->id);
  out.text("tenancy", "default").number("totalInstanceCount", reservation.instances);
  out.number("availableInstanceCount", world.free_places(reservation, now));
  out.boolean("ebsOptimized", false).boolean("ephemeralStorage", false);
  out.text("state", World::state_of(reservation, now));
  if (reservation.ends_at != kNever) out.time("endDate", reservation.ends_at);
  out.text("endDateType", reservation.ends_at == kNever ? "unlimited" : "limited");
  out.text("instanceMatchCriteria", reservation.open ? "open" : "targeted");
  out.text("reservationType", reservation.block ? "capacity-block" : "default");
  out.boolean("interruptible", reservation.interruptible);
  out.tags(Tags(reservation.tags.begin(), reservation.tags.end()));
}

}  // namespace

Outcome<void> describe_capacity_reservations(World& world, const Params& params, Xml& out) {
  const Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  const auto ids = params.list("CapacityReservationId");
  if (!ids.empty() && params.has("MaxResults"))
    return deny("InvalidParameterCombination", "MaxResults cannot be given with capacity reservation IDs");
  for (const std::string& id : ids)
    if (!world.reservations.contains(id))
      return deny("InvalidCapacityReservationId.NotFound", "The capacity reservation " + id + " does not exist");
  const auto filters = filters_of(params);
  std::vector<std::pair<std::string, const FakeReservation*>> found;
  for (const auto& [id, reservation] : world.reservations) {
    if (!ids.empty() && !has(ids, id)) continue;
    const Tags tags(reservation.tags.begin(), reservation.tags.end());
    if (AWS_TRY(passes(filters, tags, reservation_attributes(reservation, World::state_of(reservation, now)))))
      found.emplace_back(id, &reservation);
  }
  return write_page(out, "capacityReservationSet", std::move(found),
                    AWS_TRY(page_request(params, kReservationsPerPage)),
                    [&](const FakeReservation* reservation) { write_reservation(world, *reservation, now, out); });
}

Outcome<void> describe_placement_groups(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  const auto ids = params.list("GroupId");
  const auto names = params.list("GroupName");
  const auto filters = filters_of(params);
  std::vector<const FakePlacementGroup*> found;
  std::vector<std::string> seen;
  for (const auto& [id, group] : world.placement_groups) {
    if ((!ids.empty() || !names.empty()) && !has(ids, id) && !has(names, group.name)) continue;
    seen.push_back(id);
    seen.push_back(group.name);
    const Attribute attributes = [&](std::string_view name) -> Values {
      if (name == "state") return only("available");
      if (name == "strategy") return only(group.strategy);
      if (name == "group-name") return only(group.name);
      return std::nullopt;
    };
    if (AWS_TRY(passes(filters, {}, attributes))) found.push_back(&group);
  }
  for (const auto& list : {ids, names})
    for (const std::string& wanted : list)
      if (!has(seen, wanted))
        return deny("InvalidPlacementGroup.Unknown", "The Placement Group '" + wanted + "' is unknown.");
  out.list("placementGroupSet", found, [&](const FakePlacementGroup* group) {
    out.text("groupName", group->name).text("groupId", group->id).text("state", "available");
    out.text("strategy", group->strategy);
    if (group->partition_count > 0) out.number("partitionCount", group->partition_count);
    out.text("groupArn", world.arn("ec2", "placement-group/" + group->name));
  });
  return {};
}

}  // namespace tenon::awssim::ec2

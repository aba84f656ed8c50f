// ARC zonal shift: shifts of the cluster's traffic, by zone id. FakeAws routes a request here if zonal_shift_action()
// knows its method and path. The cluster is the only managed resource, and has one active shift at most, as in AWS.
// Every refusal is an error with AWS's code: the client must not see a refusal as "no shift".
// parity: botocore data/arc-zonal-shift/2022-10-30
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "awssim/services/services.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::awssim {
namespace {

using json::object;
using json::value;

constexpr std::string_view kResources = "/managedresources/", kShifts = "/zonalshifts";
constexpr Duration kLongestShift = 72h;

tl::unexpected<AwsError> no_such_resource(const std::string& arn) {
  return deny("ResourceNotFoundException", "Managed resource " + arn + " was not found.", 404);
}

bool is_active(const ZonalShift& shift, Instant now) { return !shift.cancelled && now < shift.expires_at; }

bool is_enrolled(const World& world, const std::string& arn) {
  return world.options.zonal_shift && arn == world.arn("eks", "cluster/" + world.options.cluster_name);
}

object shift_document(const ZonalShift& shift, const std::string& arn) {
  return object{{"zonalShiftId", shift.id},
                {"resourceIdentifier", arn},
                {"awayFrom", shift.zone_id},
                {"expiryTime", epoch_seconds(shift.expires_at)},
                {"startTime", epoch_seconds(shift.at)},
                {"comment", shift.comment}};
}

Outcome<value> get_resource(World& world, const std::string& arn) {
  if (!is_enrolled(world, arn)) return no_such_resource(arn);
  const Instant now = world.runtime.now();
  object weights;
  for (const ZoneInfo& zone : world.zones) weights[zone.id] = 1.0;
  json::array shifts;
  for (const auto& [id, shift] : world.zonal_shifts) {
    if (!is_active(shift, now)) continue;
    weights[shift.zone_id] = 0.0;
    object document = shift_document(shift, arn);
    document["appliedStatus"] = "APPLIED";
    shifts.push_back(std::move(document));
  }
  return object{{"arn", arn},
                {"name", world.options.cluster_name},
                {"appliedWeights", weights},
                {"zonalShifts", shifts},
                {"autoshifts", json::array()},
                {"zonalAutoshiftStatus", "DISABLED"}};
}

// "90m", "2h"
std::optional<Duration> parse_expiry(std::string_view text) {
  const auto span = parse_go_duration(text);
  const bool one_unit = !text.empty() && text.find_first_not_of("0123456789") == text.size() - 1 &&
                        (text.back() == 'm' || text.back() == 'h');
  return span && one_unit && *span > Duration(0) && *span <= kLongestShift ? span : std::nullopt;
}

Outcome<value> start_shift(World& world, const object& input) {
  const std::string arn(json::string_at(input, {"resourceIdentifier"}));
  if (!is_enrolled(world, arn)) return no_such_resource(arn);
  const Instant now = world.runtime.now();
  ZonalShift shift;
  shift.zone_id = json::string_at(input, {"awayFrom"});
  shift.comment = json::string_at(input, {"comment"});
  const bool known = std::any_of(world.zones.begin(), world.zones.end(),
                                 [&](const ZoneInfo& zone) { return zone.id == shift.zone_id; });
  if (!known) return deny("ValidationException", "The Availability Zone " + shift.zone_id + " is not valid.");
  const auto lasts = parse_expiry(json::string_at(input, {"expiresIn"}));
  if (!lasts)
    return deny("ValidationException", "expiresIn must be a number of minutes (m) or hours (h), at most 72h.");
  for (const auto& [id, other] : world.zonal_shifts) {
    if (is_active(other, now)) return deny("ConflictException", "There is an active zonal shift: " + id, 409);
  }
  shift.id = world.new_uuid();
  shift.at = now;
  shift.expires_at = now + *lasts;
  world.zonal_shifts.emplace(shift.id, shift);
  object document = shift_document(shift, arn);
  document["status"] = "ACTIVE";
  return document;
}

Outcome<value> cancel_shift(World& world, const std::string& id) {
  const auto found = world.zonal_shifts.find(id);
  if (found == world.zonal_shifts.end())
    return deny("ResourceNotFoundException", "Zonal shift " + id + " was not found.", 404);
  if (!is_active(found->second, world.runtime.now()))
    return deny("ConflictException", "Zonal shift " + id + " is not active.", 409);
  found->second.cancelled = true;
  object document = shift_document(found->second, world.arn("eks", "cluster/" + world.options.cluster_name));
  document["status"] = "CANCELED";
  return document;
}

}  // namespace

std::string zonal_shift_action(std::string_view method, std::string_view path) {
  if (method == "GET" && path.starts_with(kResources)) return "GetManagedResource";
  if (method == "POST" && path == kShifts) return "StartZonalShift";
  if (method == "DELETE" && path.starts_with(kShifts)) return "CancelZonalShift";
  return "";
}

Outcome<value> perform_zonal_shift(World& world, std::string_view method, std::string_view path, const object& input) {
  const std::string action = zonal_shift_action(method, path);
  const std::lock_guard lock(world.mutex);  // the functions above read and change the world
  if (action == "GetManagedResource") return get_resource(world, percent_decode(path.substr(kResources.size())));
  if (action == "StartZonalShift") return start_shift(world, input);
  if (action == "CancelZonalShift") return cancel_shift(world, percent_decode(path.substr(kShifts.size() + 1)));
  return deny("ValidationException", "The operation is not available", 404);
}

}  // namespace tenon::awssim

// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/events.h"

#include "json/json.h"

namespace tenon::awssim {
namespace {

struct Headline {
  std::string_view source, detail_type;
};

Headline headline(Notice notice) {
  switch (notice) {
    case Notice::kSpotInterruption: return {"aws.ec2", "EC2 Spot Instance Interruption Warning"};
    case Notice::kRebalance: return {"aws.ec2", "EC2 Instance Rebalance Recommendation"};
    case Notice::kReservationInterruption: return {"aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"};
    case Notice::kScheduledChange: return {"aws.health", "AWS Health Event"};
  }
  return {};
}

json::object health_detail(const World& world, const Instance& instance, const std::string& id, Instant at) {
  const std::string code = "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED";
  const json::object entity{{"entityValue", instance.id}};
  return {{"eventArn", "arn:aws:health:" + world.options.region + "::event/EC2/" + code + "/" + id},
          {"service", "EC2"},
          {"eventTypeCode", code},
          {"eventTypeCategory", "scheduledChange"},
          {"startTime", format_rfc3339(at)},
          {"affectedEntities", json::array{entity}}};
}

json::object detail_of(const World& world, const Instance& instance, Notice notice, const std::string& id, Instant at) {
  if (notice == Notice::kScheduledChange) return health_detail(world, instance, id, at);
  json::object detail{{"instance-id", instance.id}};
  if (notice != Notice::kRebalance) detail["instance-action"] = "terminate";
  return detail;
}

std::string envelope(const World& world, const Headline& headline, const Instance& instance, json::object detail,
                     const std::string& id, Instant at) {
  const std::string resource =
      headline.source == "aws.health" ? instance.id : world.arn("ec2", "instance/" + instance.id);
  return json::to_string(json::object{{"version", "0"},
                                      {"id", id},
                                      {"detail-type", headline.detail_type},
                                      {"source", headline.source},
                                      {"account", kAccount},
                                      {"time", format_rfc3339(at)},
                                      {"region", world.options.region},
                                      {"resources", json::array{json::value(resource)}},
                                      {"detail", std::move(detail)}});
}

}  // namespace

std::string state_change_event(const World& world, const Instance& instance, const std::string& id, Instant at) {
  return envelope(world, {"aws.ec2", "EC2 Instance State-change Notification"}, instance,
                  {{"instance-id", instance.id}, {"state", instance.state}}, id, at);
}

std::string notice_event(const World& world, const Instance& instance, Notice notice, const std::string& id,
                         Instant at) {
  return envelope(world, headline(notice), instance, detail_of(world, instance, notice, id, at), id, at);
}

}  // namespace tenon::awssim

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/interruption_message.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/json.h"

namespace tenon::cloud {
namespace {

using Kind = InterruptionKind;
using Read = void (*)(const json::value& detail, Interruption& out);

void malformed(std::string problem, Interruption& out) {
  out.kind = Kind::kMalformed;
  out.instance_ids.clear();
  out.problem = std::move(problem);
}

void read_instance(const json::value& detail, Interruption& out) {
  const std::string_view id = json::string_at(detail, {"instance-id"});
  if (id.empty()) return malformed("detail.instance-id is missing", out);
  out.instance_ids.emplace_back(id);
}

void read_spot(const json::value& detail, Interruption& out) {
  out.kind = Kind::kSpotInterrupted;
  read_instance(detail, out);
}

void read_reservation(const json::value& detail, Interruption& out) {
  out.kind = Kind::kReservationInterrupted;
  read_instance(detail, out);
}

void read_rebalance(const json::value& detail, Interruption& out) {
  out.kind = Kind::kRebalance;
  read_instance(detail, out);
}

void read_state(const json::value& detail, Interruption& out) {
  const std::string state = to_lower(json::string_at(detail, {"state"}));
  if (state == "stopping" || state == "stopped") {
    out.kind = Kind::kInstanceStopped;
  } else if (state == "shutting-down" || state == "terminated") {
    out.kind = Kind::kInstanceTerminated;
  } else {
    return;
  }
  read_instance(detail, out);
}

void read_health(const json::value& detail, Interruption& out) {
  if (json::string_at(detail, {"service"}) != "EC2") return;
  if (json::string_at(detail, {"eventTypeCategory"}) != "scheduledChange") return;
  out.kind = Kind::kScheduledChange;
  for (const json::value& entity : json::array_at(detail, {"affectedEntities"})) {
    const std::string_view id = json::string_at(entity, {"entityValue"});
    if (!id.empty()) out.instance_ids.emplace_back(id);
  }
  if (out.instance_ids.empty()) malformed("detail.affectedEntities names no instance", out);
}

struct Row {
  std::string_view source, detail_type;
  Read read;
};
constexpr std::array<Row, 5> kRows = {{
    {"aws.ec2", "EC2 Spot Instance Interruption Warning", read_spot},
    {"aws.ec2", "EC2 Instance Rebalance Recommendation", read_rebalance},
    {"aws.ec2", "EC2 Instance State-change Notification", read_state},
    {"aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning", read_reservation},
    {"aws.health", "AWS Health Event", read_health},
}};

}  // namespace

Interruption parse_interruption(std::string_view body, Instant sent_at) {
  Interruption out;
  out.at = sent_at;
  if (trim(body).empty()) return out;
  const auto envelope = json::parse(body);
  if (!envelope || !envelope->is_object()) {
    malformed(envelope ? "it is not a JSON object" : "it is not JSON: " + envelope.error().message, out);
    return out;
  }
  if (const auto at = parse_rfc3339(json::string_at(*envelope, {"time"}))) out.at = *at;
  if (json::string_at(*envelope, {"version"}) != "0") return out;
  const std::string_view source = json::string_at(*envelope, {"source"});
  const std::string_view detail_type = json::string_at(*envelope, {"detail-type"});
  const auto* row = std::find_if(kRows.begin(), kRows.end(),
                                 [&](const Row& r) { return r.source == source && r.detail_type == detail_type; });
  if (row == kRows.end()) return out;
  static const json::value kNothing = json::object();
  const json::value* detail = json::find(*envelope, {"detail"});
  row->read(detail ? *detail : kNothing, out);
  return out;
}

}  // namespace tenon::cloud

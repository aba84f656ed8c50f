// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/interruption/sick_instances.h"

#include <algorithm>

namespace tenon::cloud {
namespace {

bool lasts(const std::optional<Instant>& since, Instant now) { return since && now - *since >= kSickFor; }

// EC2 still lists an event some days after its end, with a prefix in its description.
bool to_come(const aws::ScheduledEvent& event) {
  return !event.description.starts_with("[Completed]") && !event.description.starts_with("[Canceled]");
}

}  // namespace

Result<std::vector<SickInstance>> find_sick_instances(aws::Ec2& ec2, runtime::Runtime& runtime,
                                                      const std::stop_token& stop) {
  std::vector<SickInstance> sick;
  const auto add = [&](const std::string& id, InterruptionKind kind) { sick.push_back({id, kind}); };
  // One query for each status: the filters of one query would all have to match.
  const auto instances = TRY(ec2.describe_instance_status({{"instance-status.status", {"impaired"}}}, stop));
  const auto systems = TRY(ec2.describe_instance_status({{"system-status.status", {"impaired"}}}, stop));
  const auto events = TRY(ec2.describe_instance_status(
      {{"event.code",
        {"instance-reboot", "system-reboot", "system-maintenance", "instance-retirement", "instance-stop"}}},
      stop));
  const Instant now = runtime.now();
  for (const auto& status : instances) {
    if (lasts(status.instance_impaired_since, now)) add(status.id, InterruptionKind::kInstanceStatus);
  }
  for (const auto& status : systems) {
    if (lasts(status.system_impaired_since, now)) add(status.id, InterruptionKind::kSystemStatus);
  }
  for (const auto& status : events) {
    if (std::any_of(status.events.begin(), status.events.end(), to_come)) {
      add(status.id, InterruptionKind::kEventStatus);
    }
  }
  std::sort(sick.begin(), sick.end());
  return sick;
}

}  // namespace tenon::cloud

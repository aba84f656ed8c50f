// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/node_events.h"

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers::disruption {
namespace {

// "delete, terminating 1 machines ip-10-0-0-1/m5.large/spot"
std::string command_text(const scheduling::NodeView& view, bool replaced) {
  const model::StringMap& labels = view.labels();
  return std::string(replaced ? "replace" : "delete") + ", terminating 1 machines " + view.name() + "/" +
         std::string(model::lookup(labels, model::kLabelInstanceType)) + "/" +
         std::string(model::lookup(labels, model::kLabelCapacityType));
}

}  // namespace

NodeEvent kept_event(std::string_view pool, const std::string& reason, const std::string& why) {
  if (reason != "DisruptionBlocked" || !model::is_provisioner(pool)) return {reason, why};
  return {"DeprovisioningBlocked", "Cannot deprovision node due to " + why};
}

NodeEvent launching_event(std::string_view pool, const std::string& why) {
  if (!model::is_provisioner(pool)) return {"DisruptionLaunching", "Launching NodeClaim: " + why};
  return {"DeprovisioningLaunching", "Launching node for " + why};
}

NodeEvent waiting_event(std::string_view pool) {
  if (!model::is_provisioner(pool))
    return {"DisruptionWaitingReadiness", "Waiting on readiness to continue disruption"};
  return {"DeprovisioningWaitingReadiness", "Waiting on readiness to continue deprovisioning"};
}

NodeEvent terminating_event(const scheduling::NodeView& view, const std::string& kind, const std::string& why,
                            bool replaced) {
  if (!model::is_provisioner(view.pool())) return {"DisruptionTerminating", "Disrupting " + kind + ": " + why};
  return {"DeprovisioningTerminating", "Deprovisioning node via " + command_text(view, replaced)};
}

}  // namespace tenon::controllers::disruption

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

std::optional<NodeEvent> kept_event(std::string_view pool, const tenon::disruption::Kept& kept) {
  if (!kept.has_event() || kept.message.empty()) return std::nullopt;
  if (kept.reason != "DisruptionBlocked" || !model::is_provisioner(pool)) return NodeEvent{kept.reason, kept.message};
  const bool of_pods = kept.object.starts_with("pod/") || kept.object.starts_with("pdb/");
  if (!of_pods && kept.message != tenon::disruption::kBeingDeleted) return std::nullopt;
  return NodeEvent{"DeprovisioningBlocked", "Cannot deprovision node due to " + kept.message};
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

// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/node_events.h"

#include <gtest/gtest.h>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers::disruption {
namespace {

scheduling::NodeView node_of(std::string_view label) {
  model::Node node;
  node.meta.name = "n";
  node.meta.labels = {{std::string(label), "default"},
                      {std::string(model::kLabelInstanceType), "m5.large"},
                      {std::string(model::kLabelCapacityType), "spot"}};
  scheduling::NodeView view;
  model::NodeClaim claim;
  claim.meta.labels = node.meta.labels;
  view.claim = std::make_shared<const model::NodeClaim>(std::move(claim));
  view.node = std::make_shared<const model::Node>(std::move(node));
  return view;
}
std::string text(const NodeEvent& event) { return event.reason + ": " + event.message; }

TEST(NodeEvents, HaveTheNamesOfTheirGeneration) {
  using tenon::disruption::Kept;
  const std::string earlier = "provisioner/default";
  const Kept by_budget{"DisruptionBlocked", "pdb a/b prevents pod evictions", "pdb/a/b"};
  const Kept nominated{"DisruptionBlocked", "Node is nominated for a pending pod", "node/n"};
  const Kept deleting{"DisruptionBlocked", tenon::disruption::kBeingDeleted, "node/n"};
  EXPECT_EQ(text(*kept_event("default", nominated)), "DisruptionBlocked: Node is nominated for a pending pod");
  EXPECT_FALSE(kept_event(earlier, nominated));
  EXPECT_EQ(text(*kept_event(earlier, by_budget)),
            "DeprovisioningBlocked: Cannot deprovision node due to pdb a/b prevents pod evictions");
  EXPECT_EQ(text(*kept_event(earlier, deleting)),
            "DeprovisioningBlocked: Cannot deprovision node due to in the process of deletion");
  EXPECT_EQ(text(*kept_event(earlier, {"Unconsolidatable", "x", "node/n"})), "Unconsolidatable: x");
  EXPECT_FALSE(kept_event("default", {"Waiting", "later", "node/n"}));
  EXPECT_EQ(text(launching_event("default", "Drifted")), "DisruptionLaunching: Launching NodeClaim: Drifted");
  EXPECT_EQ(text(launching_event("provisioner/default", "Drifted")),
            "DeprovisioningLaunching: Launching node for Drifted");
  EXPECT_EQ(text(waiting_event("provisioner/default")),
            "DeprovisioningWaitingReadiness: Waiting on readiness to continue deprovisioning");
  EXPECT_EQ(text(terminating_event(node_of(model::kLabelNodePool), "Node", "Empty", false)),
            "DisruptionTerminating: Disrupting Node: Empty");
  EXPECT_EQ(text(terminating_event(node_of(model::kLabelProvisioner), "Node", "Empty", false)),
            "DeprovisioningTerminating: Deprovisioning node via delete, terminating 1 machines n/m5.large/spot");
}

}  // namespace
}  // namespace tenon::controllers::disruption

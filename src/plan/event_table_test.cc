// SPDX-License-Identifier: Apache-2.0
#include "plan/event_table.h"

#include <gtest/gtest.h>

namespace tenon::plan {
namespace {

TEST(EventTable, ComparesReasonTypeKindAndShape) {
  const auto in = in_event_table;
  EXPECT_TRUE(in("Nominated", "Normal", "Pod", "Pod should schedule on: nodeclaim/a, node/b"));
  EXPECT_FALSE(in("Nominated", "Warning", "Pod", "Pod should schedule on: nodeclaim/a"));
  EXPECT_FALSE(in("Nominated", "Normal", "Node", "Pod should schedule on: nodeclaim/a"));
  EXPECT_FALSE(in("Nominated", "Normal", "Pod", "Pod runs on: nodeclaim/a"));
  EXPECT_FALSE(in("Thawed", "Normal", "ConfigMap", "voluntary disruption and launches are not frozen any more now"));
  EXPECT_TRUE(in("AwaitingVolumeDetachment", "Normal", "Node", "Awaiting deletion of bound volumeattachments (a, b)"));
  EXPECT_FALSE(in("AwaitingVolumeDetachment", "Normal", "Node", "Awaiting deletion of bound volumeattachments (a"));
  EXPECT_TRUE(in("Launched", "Normal", "NodeClaim",
                 "Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched"));
  EXPECT_FALSE(in("Surprise", "Normal", "NodeClaim", "a new kind of event"));
}

}  // namespace
}  // namespace tenon::plan

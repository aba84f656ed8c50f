// SPDX-License-Identifier: Apache-2.0
#include "plan/condition_table.h"

#include <gtest/gtest.h>

namespace tenon::plan {
namespace {

TEST(ConditionTable, ComparesKindTypeStatusAndReason) {
  const auto in = in_condition_table;
  EXPECT_TRUE(in("NodeClaim", "Drifted", "True", "AMIDrift"));
  EXPECT_TRUE(in("Provisioner", "ValidationSucceeded", "True", "ValidationSucceeded"));
  EXPECT_TRUE(in("AWSNodeTemplate", "ValidationSucceeded", "Unknown", "DependenciesNotReady"));
  EXPECT_TRUE(in("NodePool", "NodeRegistrationHealthy", "False", "Unauthorized"));
  EXPECT_FALSE(in("NodeClaim", "Drifted", "False", "AMIDrift"));
  EXPECT_FALSE(in("NodeClaim", "Drifted", "True", "Drift"));
  EXPECT_FALSE(in("NodePool", "Drifted", "True", "AMIDrift"));
}

}  // namespace
}  // namespace tenon::plan

// SPDX-License-Identifier: Apache-2.0
#include "model/condition_set.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

const Instant kBorn(1000s), kNow(2000s), kLater(3000s);

std::string statuses(const std::vector<Condition>& conditions) {
  std::string out;
  for (const Condition& c : conditions) out += c.type + "=" + c.status + "(" + c.reason + ") ";
  return out;
}

TEST(ConditionSet, StartsUnknownSinceTheObjectWasCreated) {
  std::vector<Condition> conditions;
  ConditionSet status({&conditions, kBorn, 1}, kNodeClaimStatus, kNow);
  EXPECT_EQ(statuses(conditions),
            "Launched=Unknown(AwaitingReconciliation) Registered=Unknown(AwaitingReconciliation) "
            "Initialized=Unknown(AwaitingReconciliation) Ready=Unknown(ReconcilingDependents) ");
  EXPECT_EQ(conditions[0].last_transition, kBorn);
}

TEST(ConditionSet, RootIsTrueWhenEveryDependentIs) {
  std::vector<Condition> conditions;
  ConditionSet status({&conditions, kBorn, 1}, kNodeClaimStatus, kNow);
  status.set_true("Launched");
  status.set_true("Registered");
  EXPECT_FALSE(condition_is(conditions, "Ready", "True"));
  status.set_true("Initialized");
  EXPECT_TRUE(condition_is(conditions, "Ready", "True"));
  EXPECT_EQ(conditions.back().type, "Ready");
}

TEST(ConditionSet, RootIsFalseWithAFalseDependentAndNamesIt) {
  std::vector<Condition> conditions;
  ConditionSet status({&conditions, kBorn, 1}, kNodePoolStatus, kNow);
  status.set_false("NodeClassReady", "NodeClassNotFound", "NodeClass not found on cluster");
  const Condition* root = find_condition(conditions, "Ready");
  EXPECT_EQ(root->status, "False");
  EXPECT_EQ(root->reason, "UnhealthyDependents");
  EXPECT_EQ(root->message, "ValidationSucceeded=Unknown, NodeClassReady=False");
}

TEST(ConditionSet, AStaleGenerationDoesNotCount) {
  std::vector<Condition> conditions;
  ConditionSet first({&conditions, kBorn, 1}, kNodePoolStatus, kNow);
  first.set_true("ValidationSucceeded");
  first.set_true("NodeClassReady");
  ASSERT_TRUE(condition_is(conditions, "Ready", "True"));
  ConditionSet second({&conditions, kBorn, 2}, kNodePoolStatus, kLater);
  EXPECT_TRUE(condition_is(conditions, "Ready", "Unknown"));
}

TEST(ConditionSet, TheTransitionTimeMovesOnlyWithTheStatus) {
  std::vector<Condition> conditions;
  ConditionSet first({&conditions, kBorn, 1}, kNodeClaimStatus, kNow);
  first.set_unknown("Registered", "NodeNotFound", "Node not registered with cluster");
  EXPECT_EQ(find_condition(conditions, "Registered")->last_transition, kBorn);
  ConditionSet second({&conditions, kBorn, 1}, kNodeClaimStatus, kLater);
  second.set_true("Registered");
  EXPECT_EQ(find_condition(conditions, "Registered")->last_transition, kLater);
}

TEST(ConditionSet, SettingTheSameAgainChangesNothing) {
  std::vector<Condition> conditions;
  ConditionSet first({&conditions, kBorn, 1}, kNodeClaimStatus, kNow);
  first.set_true("Launched");
  const auto before = conditions;
  ConditionSet second({&conditions, kBorn, 1}, kNodeClaimStatus, kLater);
  second.set_true("Launched");
  EXPECT_EQ(conditions, before);
}

}  // namespace
}  // namespace tenon::model

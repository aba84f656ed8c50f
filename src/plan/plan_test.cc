// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <gtest/gtest.h>

namespace tenon::plan {
namespace {

TEST(Plan, AnAppendedPlanHasGroupsOfItsOwn) {
  Plan first, second;
  first.add(DeleteNode{"a", ""});
  second.add(DeleteNode{"b", ""});
  second.begin_group();
  second.add(DeleteNode{"c", ""});
  second.log = {{"c"}};
  second.proposals = {{kWouldLaunch, "c", "launch c"}};
  first.append(second);
  first.append(second);
  EXPECT_EQ(first.groups, (std::vector<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(first.actions.size(), 5u);
  EXPECT_EQ(describe(first.actions[4]), "DeleteNode c");
  EXPECT_EQ(first.log, (std::vector<tenon::log::Entry>{{"c"}, {"c"}}));
  EXPECT_EQ(first.proposals, (std::vector<Proposal>(2, {kWouldLaunch, "c", "launch c"})));
}

TEST(Plan, FindReturnsTheFirstOfItsKind) {
  Plan plan;
  plan.add(DeleteNode{"a", ""});
  plan.add(ReleaseDrain{"b"});
  plan.add(ReleaseDrain{"c"});
  EXPECT_EQ(find<ReleaseDrain>(plan)->claim, "b");
  EXPECT_EQ(find<HoldDrain>(plan), nullptr);
}

}  // namespace
}  // namespace tenon::plan

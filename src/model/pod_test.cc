// SPDX-License-Identifier: Apache-2.0
#include "model/pod.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

Pod unschedulable() {
  Pod pod;
  pod.conditions = {{"PodScheduled", "False", "Unschedulable", "", {}, 0}};
  return pod;
}

TEST(Pod, Provisionable) {
  EXPECT_TRUE(unschedulable().provisionable());
  EXPECT_FALSE(Pod{}.provisionable());
  Pod gated = unschedulable();
  gated.conditions[0].reason = "SchedulingGated";
  EXPECT_FALSE(gated.provisionable());
  Pod bound = unschedulable();
  bound.node_name = "n";
  EXPECT_FALSE(bound.provisionable());
  Pod nominated = unschedulable();
  nominated.nominated_node_name = "n";
  EXPECT_FALSE(nominated.provisionable());
  Pod daemon = unschedulable();
  daemon.meta.owners = {{"apps/v1", "DaemonSet", "d", "u", true, true}};
  EXPECT_FALSE(daemon.provisionable());
  EXPECT_EQ(daemon.controller()->name, "d");
  Pod mirror = unschedulable();
  mirror.meta.owners = {{"v1", "Node", "n", "u", false, false}};
  EXPECT_FALSE(mirror.provisionable());
  EXPECT_EQ(mirror.controller(), nullptr);
}

TEST(LabelSelector, Matches) {
  const StringMap labels{{"app", "web"}, {"tier", "front"}};
  const auto one = [](std::string key, Operator op, std::vector<std::string> values) {
    return LabelSelector{{}, {{std::move(key), op, std::move(values), std::nullopt}}};
  };
  EXPECT_TRUE(LabelSelector{}.matches(labels));
  EXPECT_TRUE((LabelSelector{{{"app", "web"}}, {}}.matches(labels)));
  EXPECT_FALSE((LabelSelector{{{"app", "api"}}, {}}.matches(labels)));
  EXPECT_FALSE((LabelSelector{{{"zone", ""}}, {}}.matches(labels)));
  EXPECT_TRUE(one("app", Operator::kIn, {"web", "api"}).matches(labels));
  EXPECT_FALSE(one("app", Operator::kNotIn, {"web"}).matches(labels));
  EXPECT_TRUE(one("none", Operator::kNotIn, {"web"}).matches(labels));
  EXPECT_TRUE(one("tier", Operator::kExists, {}).matches(labels));
  EXPECT_FALSE(one("tier", Operator::kDoesNotExist, {}).matches(labels));
  EXPECT_TRUE(one("none", Operator::kDoesNotExist, {}).matches(labels));
  EXPECT_FALSE(one("tier", Operator::kGt, {"1"}).matches(labels));
}

}  // namespace
}  // namespace tenon::model

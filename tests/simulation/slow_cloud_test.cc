// An AWS that answers late, or not at all: no decision uses an old state, and times are those of the answers.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/instant.h"
#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

const kubesim::Resource kClaims{"karpenter.sh", "nodeclaims"};
const kubesim::Resource kClasses{"karpenter.k8s.aws", "ec2nodeclasses"};
const kubesim::Resource kPools{"karpenter.sh", "nodepools"};

LifeOptions options_of(int64_t millicores) {
  LifeOptions options;
  options.types = {"m5.large"};
  options.pod_millicores = millicores;
  options.pod_mib = 256;
  return options;
}

TEST(SlowCloud, TheSecondLookOfAMoveComesFifteenSecondsAfterTheFirst) {
  Duration takes{};
  Instant answered{};
  LifeOptions options = options_of(1500);
  options.budget = "0";
  options.aws_wire = [&](const Passing& passing) {
    if (passing.calls("DescribeSpotPriceHistory")) {
      passing.runtime.sleep_for(takes, passing.stop);
      answered = passing.runtime.now();
    }
    return passing.perform();
  };
  Life life(options);
  life.scale(2);
  ASSERT_TRUE(life.run_until_running(2));
  life.scale(0);
  ASSERT_TRUE(life.settle());  // both nodes are empty and protected
  life.crash();
  const auto all_may_go = json::parse(R"({"spec": {"disruption": {"budgets": [{"nodes": "100%"}]}}})");
  ASSERT_TRUE(life.api().merge_patch(kPools, "", "default", *all_may_go));
  takes = 18s;
  life.restart();
  const auto one_goes = [&] {
    const auto all = life.api().list(kClaims, "");
    for (const auto& claim : all->items) {
      if (json::find(*claim, {"metadata", "deletionTimestamp"})) return true;
    }
    return false;
  };
  EXPECT_TRUE(life.run_until(one_goes, 2min));
  EXPECT_GE(life.now() - answered, Duration(15s)) << "nothing could be decided before the prices were known";
}

TEST(SlowCloud, AClassIsReadySinceItsDryRunsWereAnswered) {
  Instant answered{};
  LifeOptions options = options_of(1500);
  options.aws_wire = [&](const Passing& passing) {
    if (passing.request.body.find("DryRun=true") == std::string::npos) return passing.perform();
    passing.runtime.sleep_for(13s, passing.stop);
    answered = passing.runtime.now();
    return passing.perform();
  };
  Life life(options);
  ASSERT_NE(answered, Instant{});
  EXPECT_EQ(life.condition(kClasses, "", "default", "Ready").substr(0, 4), "True");
  const auto node_class = life.api().get(kClasses, "", "default");
  for (const char* type : {"ValidationSucceeded", "Ready"}) {
    for (const json::value& condition : json::array_at(**node_class, {"status", "conditions"})) {
      if (json::string_at(condition, {"type"}) != type) continue;
      const auto since = parse_rfc3339(json::string_at(condition, {"lastTransitionTime"}));
      ASSERT_TRUE(since);
      EXPECT_GE(*since, std::chrono::floor<std::chrono::seconds>(answered)) << type;
    }
  }
}

TEST(SlowCloud, AClassIsUnknownUntilItsFirstAnswer) {
  bool hangs = true;
  LifeOptions options = options_of(1500);
  options.aws_wire = [&](const Passing& passing) -> Result<http::Response> {
    while (hangs) {
      if (passing.runtime.sleep_for(1s, passing.stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "");
    }
    return passing.perform();
  };
  Life life(options);  // settles: nothing changes any more
  EXPECT_EQ(life.condition(kClasses, "", "default", "Ready").substr(0, 8), "Unknown ");
  hangs = false;
  life.run_for(2min);
  EXPECT_EQ(life.condition(kClasses, "", "default", "Ready").substr(0, 4), "True");
}

// The record of the launch is rejected once, so that the controller sees the deletion of the claim before its instance.
TEST(SlowCloud, AClaimThatIsDeletedDuringItsLaunchIsGoneOnlyAfterItsInstance) {
  bool launched = false, refused = false;
  LifeOptions options = options_of(1500);
  options.aws_wire = [&](const Passing& passing) {
    launched =
        launched || (passing.calls("CreateFleet") && passing.request.body.find("DryRun=true") == std::string::npos);
    return passing.perform();
  };
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (!launched || refused || !passing.is("PATCH", "/nodeclaims/")) return passing.perform();
    refused = true;
    return kube_refusal(500, "InternalError", "not now");
  };
  Life life(options);
  life.scale(1);
  ASSERT_TRUE(life.run_until([&] { return refused; }, 1min));
  const auto all = life.api().list({"karpenter.sh", "nodeclaims"}, "");
  const std::string claim(json::string_at(*all->items.front(), {"metadata", "name"}));
  life.scale(0);
  life.remove({"karpenter.sh", "nodeclaims"}, "", claim);
  ASSERT_EQ(life.live_instances(), 1);
  ASSERT_TRUE(life.run_until([&] { return life.api().list({"karpenter.sh", "nodeclaims"}, "")->items.empty(); }, 5min));
  EXPECT_EQ(life.live_instances(), 0);
}

// The launch took two seconds, and somebody labelled the claim meanwhile.
TEST(SlowCloud, ALaunchIsRecordedOnTheLatestVersionOfItsClaim) {
  Life* world = nullptr;
  bool changed = false;
  int rejected = 0;
  LifeOptions options = options_of(1500);
  options.aws_wire = [&](const Passing& passing) {
    if (passing.calls("CreateFleet") && passing.request.body.find("DryRun=true") == std::string::npos) {
      const auto all = world->api().list(kClaims, "");
      const std::string claim(json::string_at(*all->items.front(), {"metadata", "name"}));
      EXPECT_TRUE(world->api().merge_patch(kClaims, "", claim, {{"metadata", {{"labels", {{"team", "a"}}}}}}));
      changed = true;
      passing.runtime.sleep_for(2s, passing.stop);
    }
    return passing.perform();
  };
  options.kube_wire = [&](const Passing& passing) {
    auto answer = passing.perform();
    if (changed && answer && answer->status == 409) ++rejected;
    return answer;
  };
  Life life(options);
  world = &life;
  life.scale(1);
  ASSERT_TRUE(life.run_until_running(1));
  ASSERT_TRUE(changed);
  EXPECT_EQ(rejected, 0);
  const auto all = life.api().list(kClaims, "");
  EXPECT_EQ(json::string_at(*all->items.front(), {"metadata", "labels", "team"}), "a");
}

}  // namespace
}  // namespace tenon::simulation

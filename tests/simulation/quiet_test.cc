// A cluster without changes costs nearly nothing: the work of its controllers is counted, not timed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr int kHours = 4;

TEST(Quiet, AnHourTakesFewStepsAndWrites) {
  Life life({.types = {"m5.large", "m5.xlarge"}, .pod_millicores = 700, .pod_mib = 1500});
  life.scale(23);
  ASSERT_TRUE(life.settle());
  life.run_for(1h);
  const uint64_t steps = life.steps(), writes = life.revision();
  life.run_for(kHours * 1h);
  // A NodePool is counted every five seconds; each of about twenty watches gets a bookmark a minute.
  EXPECT_LT((life.steps() - steps) / kHours, 3500u);
  EXPECT_LT((life.revision() - writes) / kHours, 100u);  // events that report it, leases
}

// Returns the sample of this name with its labels; 0 if there is none.
double sample(const Life& life, const std::string& name) {
  const std::string text = life.metrics();
  const size_t at = text.find(name + " ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size()));
}

double passes(const Life& life) {
  return sample(life, R"(karpenter_scheduler_scheduling_duration_seconds_count{controller="disruption"})");
}

// In a large cluster a kubelet reports in every interval of the passes.
TEST(Quiet, HeartbeatsStartNoPass) {
  Life life({.types = {"m5.large", "m5.xlarge"}, .pod_millicores = 700, .pod_mib = 1500});
  life.scale(23);
  ASSERT_TRUE(life.settle());
  life.run_for(10min);
  const std::string node = life.nodes().front().name;
  const kubesim::Resource nodes{"", "nodes"};
  const double before = passes(life);
  ASSERT_GT(before, 0);
  for (int beat = 0; beat < 12; ++beat) {
    const json::value status{{"status", {{"nodeInfo", {{"bootID", std::to_string(beat)}}}}}};
    ASSERT_TRUE(life.api().merge_patch(nodes, "", node, status, "status"));
    life.run_for(10s);
  }
  const double rested = passes(life);
  EXPECT_LE(rested - before, 1) << "one each five minutes";
  ASSERT_TRUE(life.api().merge_patch(nodes, "", node, {{"metadata", {{"labels", {{"team", "a"}}}}}}));
  life.run_for(20s);
  EXPECT_GT(passes(life), rested) << "a label may decide";
}

// The status of a NodePool changes at each launch, and its NodeClaims may be thousands.
TEST(Quiet, TheStatusOfANodePoolJudgesNoNodeClaim) {
  Life life({.types = {"m5.large"}, .pod_millicores = 700, .pod_mib = 1500});
  life.scale(23);
  ASSERT_TRUE(life.settle());
  life.run_for(10min);
  const auto judged = [&] {
    return sample(life, R"(controller_runtime_reconcile_total{controller="nodeclaim.disruption",result="success"})") +
           sample(life,
                  R"(controller_runtime_reconcile_total{controller="nodeclaim.disruption",result="requeue_after"})");
  };
  const auto claims = static_cast<double>(life.nodes().size());
  ASSERT_GT(claims, 5);
  const double before = judged();
  ASSERT_GE(before, claims);
  const json::value status{{"status", {{"resources", {{"nodes", "77"}}}}}};
  ASSERT_TRUE(life.api().merge_patch({"karpenter.sh", "nodepools"}, "", "default", status, "status"));
  life.run_for(30s);  // the controller counts the nodes again
  EXPECT_LT(judged() - before, claims);
}

TEST(Quiet, APodThatIsBoundWithinSecondsOfAnotherReconcilesNoNodeClaim) {
  Life life({.types = {"m5.4xlarge"}, .pod_millicores = 700, .pod_mib = 1500});
  life.scale(1);
  ASSERT_TRUE(life.settle());
  const auto stamped = [&] {
    return sample(life, R"(controller_runtime_reconcile_total{controller="nodeclaim.podevents",result="success"})");
  };
  const double before = stamped();
  ASSERT_GT(before, 0);
  for (int pods = 2; pods <= 9; ++pods) {
    life.scale(pods);
    life.run_for(1s);
  }
  ASSERT_EQ(life.nodes().front().pods, 9);
  EXPECT_LE(stamped() - before, 2) << "the first pod, and the change of the claim beside the next one";
}

// The last pod ends while its node waits to be replaced by a smaller one. Nothing changes afterwards.
TEST(Quiet, ANodeThatBecomesEmptyDoesNotWaitForAnotherChange) {
  constexpr int kSeconds = 30;  // longer than the interval of the passes and the delay of validation together
  for (int second = 0; second < kSeconds; ++second) {
    Life life({.types = {"m5.large", "m5.xlarge"}, .consolidate_after = "0s", .pod_millicores = 700, .pod_mib = 1500});
    life.scale(5);
    ASSERT_TRUE(life.settle());
    ASSERT_EQ(life.nodes().size(), 1u);
    life.scale(1);
    life.run_for(second * 1s);
    life.scale(0);
    EXPECT_TRUE(life.run_until([&] { return life.nodes().empty(); }, 4min)) << "the pod ended after " << second << " s";
  }
}

}  // namespace
}  // namespace tenon::simulation

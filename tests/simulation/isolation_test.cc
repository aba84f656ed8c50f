// The failure of one object stays isolated: a rejected or failing request for one pod, node, claim or NodePool does not
// delay the others.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const kubesim::Resource kClaims{"karpenter.sh", "nodeclaims"};
const kubesim::Resource kNodes{"", "nodes"};
const kubesim::Resource kPods{"", "pods"};

LifeOptions options_of(int64_t millicores) {
  LifeOptions options;
  options.types = {"m5.large"};
  options.pod_millicores = millicores;
  options.pod_mib = 256;
  return options;
}

std::vector<std::string> names_of(kubesim::Api& api, const kubesim::Resource& resource, const std::string& ns = "") {
  std::vector<std::string> names;
  const auto all = api.list(resource, ns);
  for (const auto& object : all->items) names.emplace_back(json::string_at(*object, {"metadata", "name"}));
  std::sort(names.begin(), names.end());
  return names;
}

class Refusal : public testing::TestWithParam<int> {};

// The answers of a denying admission webhook: 400, 403, 422 or any other code, or 500 if it does not answer.
TEST_P(Refusal, OfOneEvictionDoesNotHoldUpTheOtherPods) {
  std::string refused;
  LifeOptions options = options_of(300);
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (refused.empty() || !passing.is("POST", "/pods/" + refused + "/eviction")) return passing.perform();
    return kube_refusal(GetParam(), "Forbidden", "admission webhook \"keep.example.com\" denied the request: keep it");
  };
  Life life(options);
  life.scale(4);
  ASSERT_TRUE(life.run_until_running(4));
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  const std::string node = life.nodes().front().name;
  refused = names_of(life.api(), kPods, "default").front();
  life.remove(kClaims, "", names_of(life.api(), kClaims).front());
  EXPECT_TRUE(life.run_until(
      [&] {
        const auto there = life.nodes();
        return std::any_of(there.begin(), there.end(), [&](const auto& n) { return n.name == node && n.pods == 1; });
      },
      3min))
      << "the other three pods leave";
  life.run_for(1min);
  EXPECT_THAT(names_of(life.api(), kPods, "default"), Contains(refused));
  EXPECT_THAT(names_of(life.api(), kNodes), Contains(node));
  std::vector<std::string> told;
  const auto events = life.api().list({"", "events"}, "");
  for (const auto& event : events->items) {
    if (json::string_at(*event, {"reason"}) != "FailedDraining") continue;
    told.emplace_back(json::string_at(*event, {"message"}));
  }
  EXPECT_THAT(told, Contains(HasSubstr("keep.example.com")));
  refused = "";
  EXPECT_TRUE(life.settle());
  EXPECT_THAT(names_of(life.api(), kNodes), ::testing::Not(Contains(node)));
}

INSTANTIATE_TEST_SUITE_P(Codes, Refusal, testing::Values(400, 403, 422, 500));

// parity: eviction-queue, exponential from 100 ms to 10 s for each pod
TEST(Isolation, AnEvictionThatIsRefusedIsTriedEverMoreSlowly) {
  std::vector<Instant> tries;
  LifeOptions options = options_of(300);
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (!passing.is("POST", "/eviction")) return passing.perform();
    tries.push_back(passing.runtime.now());
    return kube_refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
  };
  Life life(options);
  life.scale(1);
  ASSERT_TRUE(life.run_until_running(1));
  ASSERT_TRUE(life.settle());
  life.remove(kClaims, "", names_of(life.api(), kClaims).front());
  life.run_for(1min);
  ASSERT_GE(tries.size(), 10u);
  for (size_t i = 1; i < tries.size(); ++i) {
    const Duration wait = std::min<Duration>(Duration(100ms) * (int64_t{1} << (i - 1)), 10s);
    EXPECT_GE(tries[i] - tries[i - 1], wait) << i;
    EXPECT_LE(tries[i] - tries[i - 1], wait + 1s) << i;
  }
}

TEST(Isolation, DriftThatCannotBeJudgedLeavesConsolidatableAlone) {
  bool broken = false;
  LifeOptions options = options_of(300);
  options.consolidate_after = "20m";
  options.aws_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (!broken || !passing.calls("DescribeInstances")) return passing.perform();
    return fail(Code::kUnavailable, "no route to EC2");
  };
  Life life(options);
  life.scale(1);
  ASSERT_TRUE(life.run_until_running(1));
  broken = true;  // data of the instance are dropped after five minutes
  life.run_for(25min);
  const std::string claim = names_of(life.api(), kClaims).front();
  EXPECT_EQ(life.condition(kClaims, "", claim, "Consolidatable"), "True Consolidatable");
  EXPECT_EQ(life.condition(kClaims, "", claim, "Drifted"), "");
}

TEST(Isolation, ANodeThatCannotBePatchedDoesNotHoldUpTheDisruptionOfOthers) {
  std::string refused;
  LifeOptions options = options_of(1500);
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (refused.empty() || !passing.is("PATCH", "/nodes/" + refused)) return passing.perform();
    return kube_refusal(403, "Forbidden", "admission webhook \"keep.example.com\" denied the request: keep it");
  };
  Life life(options);
  life.scale(3);
  ASSERT_TRUE(life.run_until_running(3));
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 3u);
  refused = life.nodes().front().name;
  life.scale(0);
  EXPECT_TRUE(life.run_until([&] { return life.nodes().size() == 1; }, 10min)) << "the other two go";
  EXPECT_EQ(life.nodes().front().name, refused);
  refused = "";
  EXPECT_TRUE(life.run_until([&] { return life.nodes().empty(); }, 10min));
}

// A NodePool whose launches fail with an unknown error of EC2, and one pod that needs it.
class BrokenPool : public testing::Test {
 protected:
  static constexpr const char* kPool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: broken}
spec:
  template:
    metadata: {labels: {team: broken}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: team, value: broken, effect: NoSchedule}]
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}
)";
  static constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: needs-it, namespace: default}
spec:
  nodeSelector: {team: broken}
  tolerations: [{key: team, operator: Exists}]
  containers: [{name: main, image: pause, resources: {requests: {cpu: 500m}}}]
)";

  BrokenPool() {
    LifeOptions options = options_of(1500);
    options.aws_wire = [this](const Passing& passing) -> Result<http::Response> {
      const bool of_pool = passing.request.body.find("=broken") != std::string::npos;
      if (!broken_ || !of_pool || !passing.calls("CreateFleet")) return passing.perform();
      ++refused_;
      return ec2_refusal("SomethingNew", "we thought of something new");
    };
    life_ = std::make_unique<Life>(options);
    life_->create({"karpenter.sh", "nodepools"}, "", kPool);
    life_->run_for(10s);
    life_->create(kPods, "default", kPod);
    EXPECT_TRUE(life_->run_until([&] { return refused_ > 0; }, 1min));
  }
  // Claims of the pool that have no instance.
  std::vector<std::string> open_claims() const {
    std::vector<std::string> names;
    const auto all = life_->api().list(kClaims, "");
    for (const auto& claim : all->items) {
      const bool of_pool = json::string_at(*claim, {"metadata", "labels", "karpenter.sh/nodepool"}) == "broken";
      if (of_pool && json::string_at(*claim, {"status", "providerID"}).empty())
        names.emplace_back(json::string_at(*claim, {"metadata", "name"}));
    }
    return names;
  }

  bool broken_ = true;
  int refused_ = 0;
  std::unique_ptr<Life> life_;
};

TEST_F(BrokenPool, DoesNotHoldUpTheOtherPoolsAndIsTriedForOneNode) {
  const auto open = open_claims();
  ASSERT_EQ(open.size(), 1u);
  life_->scale(3);
  EXPECT_TRUE(life_->run_until([&] { return life_->running_pods() == 3; }, 90s)) << "bought meanwhile";
  EXPECT_EQ(open_claims(), open);
  life_->scale(0);
  EXPECT_TRUE(life_->run_until([&] { return life_->live_instances() == 0; }, 100s)) << "consolidated meanwhile";
  EXPECT_EQ(open_claims(), open);
  broken_ = false;
  EXPECT_TRUE(life_->run_until_running(1));
  EXPECT_EQ(life_->instances().size(), 4u) << "nothing was launched twice";
}

TEST_F(BrokenPool, CountsTheSameAfterACrash) {
  const auto open = open_claims();
  ASSERT_EQ(open.size(), 1u);
  life_->crash();
  life_->run_for(5s);
  life_->restart();
  life_->scale(2);
  EXPECT_TRUE(life_->run_until([&] { return life_->running_pods() == 2; }, 90s));
  EXPECT_EQ(open_claims(), open);
  broken_ = false;
  EXPECT_TRUE(life_->run_until_running(3));
  EXPECT_EQ(life_->instances().size(), 3u);
}

TEST(Isolation, AClaimWhoseCreationIsNotAnsweredIsCreatedOnce) {
  int lost = 0;
  LifeOptions options = options_of(1500);
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (!passing.is("POST", "/nodeclaims") || lost == 0) return passing.perform();
    --lost;
    static_cast<void>(passing.perform());
    return fail(Code::kTimeout, "the answer was lost");
  };
  Life life(options);
  for (int pods = 1; pods <= 3; ++pods) {
    lost = pods;  // of the first try; of the second as well; and of the next
    life.scale(pods);
    EXPECT_TRUE(life.run_until_running(pods));
    EXPECT_EQ(life.instances().size(), static_cast<size_t>(pods)) << pods;
  }
}

}  // namespace
}  // namespace tenon::simulation

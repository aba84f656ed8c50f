// An API server that answers slowly delays no decision; a NodeClaim that it rejects or delays delays no other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr Duration kBatchWindow = 10s;  // at most, for pods that keep coming

bool creates(const http::Request& request, std::string_view collection) {
  const auto url = http::parse_url(request.url);
  return request.method == "POST" && url && url->path.ends_with(collection);
}

Result<http::Response> perform_after(Duration latency, const Passing& passing) {
  if (passing.runtime.sleep_for(latency, passing.stop) == runtime::Wake::kStopped) {
    return fail(Code::kCancelled, "stopped");
  }
  return passing.perform();
}

// One pod for each node: as many NodeClaims as pods.
LifeOptions large_pods() {
  LifeOptions options;
  options.types = {"c5.large"};
  options.pod_millicores = 1500;
  options.pod_mib = 1024;
  return options;
}

TEST(SlowApi, EventsDoNotDelayTheNextDecision) {
  LifeOptions options;
  options.types = {"m5.xlarge"};
  options.pod_millicores = 50;
  options.pod_mib = 100;
  options.kube_wire = [](const Passing& passing) {
    return creates(passing.request, "/events") ? perform_after(60ms, passing) : passing.perform();
  };
  Life life(options);
  life.scale(5000);
  ASSERT_TRUE(life.run_until([&] { return life.live_instances() > 0; }, 1min));
  life.run_for(5s);  // all of the first decision
  const int first = life.live_instances();
  // 5,000 events of 60 ms are five minutes.
  life.scale(5500);
  EXPECT_TRUE(life.run_until([&] { return life.live_instances() > first; }, kBatchWindow + 5s));
}

TEST(SlowApi, NodeClaimsOfOneDecisionAreCreatedTogether) {
  constexpr int kNodes = 100;
  Instant first_at{}, last_at{};
  LifeOptions options = large_pods();
  options.kube_wire = [&](const Passing& passing) {
    if (!creates(passing.request, "/nodeclaims")) return passing.perform();
    last_at = passing.runtime.now();
    if (first_at == Instant{}) first_at = last_at;
    return perform_after(200ms, passing);
  };
  Life life(options);
  life.scale(kNodes);
  ASSERT_TRUE(life.run_until_running(kNodes));
  EXPECT_EQ(life.live_instances(), kNodes);
  EXPECT_LE(last_at - first_at, 2s);  // one after the other: 20 s
}

TEST(SlowApi, ANodeClaimThatIsRefusedStopsNoOther) {
  constexpr int kNodes = 10;
  int asked = 0;
  LifeOptions options = large_pods();
  options.kube_wire = [&](const Passing& passing) -> Result<http::Response> {
    if (creates(passing.request, "/nodeclaims") && ++asked == 3) return kube_refusal(403, "Forbidden", "denied");
    return passing.perform();
  };
  Life life(options);
  life.scale(kNodes);
  const auto launched = [&] { return life.live_instances(); };
  ASSERT_TRUE(life.run_until([&] { return launched() > 0; }, 1min));
  life.run_for(5s);  // before pending pods are considered again
  EXPECT_EQ(launched(), kNodes - 1);
  ASSERT_TRUE(life.run_until_running(kNodes));
  EXPECT_EQ(launched(), kNodes);
}

}  // namespace
}  // namespace tenon::simulation

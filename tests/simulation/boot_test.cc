// While pods wait for a launched node to join, no further node is launched for them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr int kDeployments = 40, kReplicas = 6;

LifeOptions varied_types() {
  LifeOptions options;
  options.types = {"c5.large",  "m5.large",  "r5.large",   "c5.xlarge",
                   "m5.xlarge", "r5.xlarge", "c5.2xlarge", "m5.2xlarge"};
  options.budget = "0";
  options.pod_millicores = options.pod_mib = 100;
  return options;
}

void create_load(Life& life, uint64_t seed) {
  Prng prng(seed);
  for (int i = 0; i < kDeployments; ++i) {
    life.create({"apps", "deployments"}, "default",
                fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: app-{0}, namespace: default}}
spec:
  replicas: {1}
  selector: {{matchLabels: {{app: app-{0}}}}}
  template:
    metadata: {{labels: {{app: app-{0}}}}}
    spec:
      containers:
      - name: app
        image: pause
        resources: {{requests: {{cpu: {2}m, memory: {3}Mi}}}}
)",
                            i, kReplicas, prng.between(100, 1900), prng.between(100, 6000)));
  }
}

// A second plan for the same pods, on nodes that have not joined yet, would not find the packing of the first plan.
// Once nodes are usable, kube-scheduler packs the pods by its own rules.
TEST(Boot, OneDecisionLaunchesWhatThePodsNeed) {
  for (const uint64_t seed : {1, 2, 3}) {
    Life life(varied_types());
    const Instant begin = life.now();
    create_load(life, seed);
    ASSERT_TRUE(life.run_until([&] { return !life.launched_since(begin).empty(); }, 1min));
    life.run_for(3s);
    const size_t launched = life.launched_since(begin).size();
    const auto usable = [&] {
      const auto nodes = life.nodes();
      return std::any_of(nodes.begin(), nodes.end(), [](const LiveNode& node) { return node.usable; });
    };
    const Instant decided = life.now();
    ASSERT_TRUE(life.run_until(usable, 2min));
    ASSERT_GT(life.now() - decided, Duration(20s)) << "two further decisions";
    EXPECT_EQ(life.launched_since(begin).size(), launched) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tenon::simulation

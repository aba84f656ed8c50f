// A new pod waits for its batch alone, not for pods that were decided before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulation/life.h"

namespace tenon::simulation {
namespace {

size_t claims(Life& life) { return life.api().list({"karpenter.sh", "nodeclaims"}, "")->items.size(); }

// kube-scheduler rejects the pod again for each new Node, and the provisioner looks at it again every 10 s.
TEST(Batch, APodThatFitsNowhereDelaysNoOther) {
  Life life({.types = {"m5.large"}, .pod_millicores = 1500, .pod_mib = 1000});
  life.create({"", "pods"}, "default", R"(
apiVersion: v1
kind: Pod
metadata: {name: huge, namespace: default}
spec: {containers: [{name: huge, image: huge, resources: {requests: {cpu: "1000"}}}]}
)");
  life.run_for(1min);
  constexpr int kPods = 40;  // they take more than a minute
  for (int pods = 1; pods <= kPods; ++pods) {
    life.scale(pods);
    const Instant begun = life.now();
    ASSERT_TRUE(life.run_until([&] { return claims(life) == static_cast<size_t>(pods); }, 10s));
    EXPECT_LT(life.now() - begun, 1200ms) << "the batch closes after 1 s without a new pod: pod " << pods;
    life.run_for(700ms);
  }
}

}  // namespace
}  // namespace tenon::simulation

// A large cluster simulates quickly, because the actors keep indexes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kubesim/actors/testing/world.h"

namespace tenon::kubesim {
namespace {

using testing::deployment;
using testing::World;

// Sized so that quadratic work in the number of pods would take minutes in a debug build.
TEST(Scale, HundredNodesAThousandPods) {
  World world({.kubelet = {.pod_events = false}});
  for (int i = 0; i < 100; ++i)
    world.add_node("n" + std::to_string(100 + i), "16", "64Gi",
                   "topology.kubernetes.io/zone: z" + std::to_string(i % 3));
  world.run(5s);
  for (int i = 0; i < 10; ++i) world.apply(deployment("web" + std::to_string(i), 100, "1"));
  world.run(10s);
  EXPECT_EQ(world.running(), 1000);
  for (int i = 0; i < 10; ++i) world.scale("web" + std::to_string(i), 50);
  world.run(10s);
  EXPECT_EQ(world.list(kPods).size(), 500u);
}

}  // namespace
}  // namespace tenon::kubesim

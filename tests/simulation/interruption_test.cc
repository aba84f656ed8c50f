// EC2 reclaims spot capacity: the replacement is requested before a pod is evicted, everything runs elsewhere within
// the two minutes, and the reclaimed offering is not launched again at once.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using awssim::FakeInstance;
using awssim::kInterruptionNotice;
using awssim::Notice;

LifeOptions spot_options(uint64_t seed) {
  LifeOptions options;
  options.seed = seed;
  options.types = {"c5.large", "m5.large", "r5.large", "m5.xlarge"};
  options.capacity_type = "spot";
  options.interruption_queue = cli::kDemoCluster;
  options.pod_millicores = 400;
  options.pod_mib = 900;
  options.grace_seconds = 20;
  return options;
}

bool living(const FakeInstance& instance) { return instance.state == "pending" || instance.state == "running"; }

std::vector<FakeInstance> living_instances(const Life& life) {
  std::vector<FakeInstance> all = life.instances();
  std::erase_if(all, [](const FakeInstance& instance) { return !living(instance); });
  return all;
}

class SpotReclaim : public testing::TestWithParam<uint64_t> {};

TEST_P(SpotReclaim, TheReplacementIsAskedForBeforeTheFirstEvictionAndAllRunsInTime) {
  const int pods = 3 + static_cast<int>(GetParam() % 5);
  Life life(spot_options(GetParam()));
  life.scale(pods);
  ASSERT_TRUE(life.run_until_running(pods));
  ASSERT_TRUE(life.settle());
  const FakeInstance taken = living_instances(life).front();
  const Instant warned = life.now();
  ASSERT_TRUE(life.warn(taken.id, Notice::kSpotInterruption));

  ASSERT_TRUE(life.run_until([&] { return life.ending_pods() > 0; }, 30s)) << "its pods leave at once";
  const std::vector<LaunchedInstance> launched = life.launched_since(warned);
  EXPECT_FALSE(launched.empty()) << "pods are evicted before CreateFleet";
  for (const LaunchedInstance& one : launched) {
    EXPECT_FALSE(one.type == taken.type && one.zone == taken.zone) << one.type << " in " << one.zone;
  }
  const auto gone = [&] {
    const auto all = living_instances(life);
    return std::none_of(all.begin(), all.end(), [&](const FakeInstance& i) { return i.id == taken.id; });
  };
  ASSERT_TRUE(life.run_until(gone, kInterruptionNotice - (life.now() - warned) - 1s)) << "ended by us, not by EC2";
  EXPECT_EQ(life.ending_pods(), 0) << "it was drained";
  ASSERT_TRUE(life.run_until([&] { return life.running_pods() == pods; }, warned + kInterruptionNotice - life.now()));
  life.run_for(10min);
  EXPECT_EQ(life.running_pods(), pods);
  EXPECT_EQ(life.unclaimed_instances(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpotReclaim, testing::Range<uint64_t>(1, 13));

// Within three minutes EC2 reclaims all capacity of the cheapest offering.
TEST(CorrelatedReclaim, TheWholePoolIsAvoidedUntilItHasBeenQuietForLong) {
  LifeOptions options = spot_options(1);
  options.types = {"m5.large"};
  options.pod_millicores = 900;  // two fit on a node
  options.consolidate_after = "Never";
  Life life(options);
  life.scale(8);
  ASSERT_TRUE(life.run_until_running(8));
  const auto before = living_instances(life);
  ASSERT_EQ(before.size(), 4u);
  const std::string zone = before.front().zone;  // the cheapest: all are there
  ASSERT_TRUE(std::all_of(before.begin(), before.end(), [&](const auto& i) { return i.zone == zone; }));

  const Instant first = life.now();
  for (const FakeInstance& instance : before) {
    ASSERT_TRUE(life.warn(instance.id, Notice::kSpotInterruption));
    life.run_for(50s);
  }
  const Instant last = life.now() - 50s;
  ASSERT_TRUE(life.run_until_running(8));
  for (const LaunchedInstance& one : life.launched_since(first)) EXPECT_NE(one.zone, zone);
  // An offering with insufficient capacity is tried again after three minutes; this one is not.
  life.run_for(last + 6min - life.now());
  const Instant later = life.now();
  life.scale(12);
  ASSERT_TRUE(life.run_until_running(12));
  ASSERT_FALSE(life.launched_since(later).empty());
  for (const LaunchedInstance& one : life.launched_since(later)) EXPECT_NE(one.zone, zone);
  // Ten minutes after the last notice the offering is available again.
  life.run_for(last + 11min - life.now());
  const Instant quiet = life.now();
  life.scale(16);
  ASSERT_TRUE(life.run_until_running(16));
  const auto launched = life.launched_since(quiet);
  ASSERT_FALSE(launched.empty());
  for (const LaunchedInstance& one : launched) EXPECT_EQ(one.zone, zone);
}

// The controllers crash while they handle the notice: it is still in the queue, or its effects are written.
TEST(CrashedReclaim, ACrashLosesNoNotice) {
  for (const Duration after : {Duration(0), Duration(5ms), Duration(100ms), Duration(1s), Duration(3s)}) {
    Life life(spot_options(7));
    life.scale(5);
    ASSERT_TRUE(life.run_until_running(5));
    const FakeInstance taken = living_instances(life).front();
    const Instant warned = life.now();
    ASSERT_TRUE(life.warn(taken.id, Notice::kSpotInterruption));
    life.run_for(after);
    life.crash();
    life.run_for(10s);
    life.restart();
    ASSERT_TRUE(life.run_until([&] { return life.ending_pods() > 0 || life.running_pods() < 5; }, 90s));
    EXPECT_LT(life.now(), warned + kInterruptionNotice) << "a notice is heard of after the restart";
    ASSERT_TRUE(life.settle());
    EXPECT_EQ(life.running_pods(), 5);
    EXPECT_EQ(life.unclaimed_instances(), 0);
  }
}

}  // namespace
}  // namespace tenon::simulation

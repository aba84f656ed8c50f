// Walkthrough F, at the node price 0, with everything drawn from a seed: pod size, instance types, replica counts. The
// nodes launched for pending pods must be the cheapest for that number of pods; in each settled state no move within
// the budget may save money.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/prng.h"
#include "simulation/best.h"

namespace tenon::simulation {
namespace {

constexpr int kStates = 4;  // replica counts a seed
constexpr int kMostPods = 14;

LifeOptions draw(Prng& prng, uint64_t seed) {
  static const std::vector<std::string> kTypes{"c5.large",  "m5.large",   "r5.large",   "c5.xlarge", "m5.xlarge",
                                               "r5.xlarge", "c5.2xlarge", "m5.2xlarge", "r5.2xlarge"};
  LifeOptions options;
  options.seed = seed;
  options.pod_millicores = 100 * prng.between(1, 15);
  options.pod_mib = 128 * prng.between(1, 20);
  std::vector<std::string> types = kTypes;
  for (size_t i = types.size() - 1; i > 0; --i) std::swap(types[i], types[prng.below(i + 1)]);
  types.resize(prng.below(4) + 2);
  types.push_back("m5.2xlarge");  // something always fits
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  options.types = types;
  options.budget = prng.chance(1, 2) ? "100%" : "2";
  options.decisions.disruption.solve.node_price = {};
  return options;
}

std::string names(const std::vector<LaunchedInstance>& launched) {
  std::string text;
  for (const LaunchedInstance& one : launched) text += " " + one.type;
  return text;
}

class RandomLife : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomLife, EveryStateIsAsCheapAsTheBudgetAllows) {
  Prng prng(GetParam());
  const LifeOptions options = draw(prng, GetParam());
  Life life(options);
  int before = 0;
  for (int state = 0; state < kStates; ++state) {
    const int replicas = static_cast<int>(prng.between(0, kMostPods));
    SCOPED_TRACE("state " + std::to_string(state) + ", " + std::to_string(replicas) + " pods of " +
                 std::to_string(options.pod_millicores) + "m " + std::to_string(options.pod_mib) + "Mi");
    const int without_room = std::max(0, replicas - before - free_room(options, life.nodes()));
    const Instant scaled_at = life.now();
    life.scale(replicas);
    if (replicas > before) {
      ASSERT_TRUE(life.run_until_running(replicas));
      const auto launched = life.launched_since(scaled_at);
      model::Price paid;
      for (const LaunchedInstance& one : launched) paid += price_now(options, one.type, one.zone);
      EXPECT_EQ(paid, cheapest(options, without_room)) << "for " << without_room << " pods:" << names(launched);
    }
    before = replicas;
    ASSERT_TRUE(life.settle());
    const auto nodes = life.nodes();
    int pods = 0;
    for (const LiveNode& node : nodes) {
      EXPECT_TRUE(node.usable) << node.name;
      pods += node.pods;
    }
    EXPECT_EQ(pods, replicas);
    EXPECT_EQ(life.unclaimed_instances(), 0);
    EXPECT_EQ(life.live_instances(), static_cast<int>(nodes.size()));
    const int most = options.budget == "2" ? 2 : static_cast<int>(nodes.size());
    EXPECT_EQ(better_move(options, nodes, most), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLife, testing::Range<uint64_t>(1, 51));

}  // namespace
}  // namespace tenon::simulation

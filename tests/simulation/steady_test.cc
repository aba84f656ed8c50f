// A cluster with a constant load does not change for a day, with constant or with jittering prices.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

const std::vector<std::string> kTypes{"c5.large", "m5.large", "r5.large", "c5.xlarge", "m5.xlarge", "r5.xlarge"};
constexpr int kHours = 24;
constexpr double kJitter = 0.04;  // up and down, each hour

LifeOptions options(const std::string& capacity_type) {
  LifeOptions options;
  options.types = kTypes;
  options.capacity_type = capacity_type;
  options.pod_millicores = 700;
  options.pod_mib = 1500;
  return options;
}

std::vector<std::string> names(const Life& life) {
  std::vector<std::string> names;
  for (const LiveNode& node : life.nodes()) names.push_back(node.name);
  return names;
}

TEST(Steady, NothingMovesAtEqualPrices) {
  for (const char* capacity_type : {"on-demand", "spot"}) {
    Life life(options(capacity_type));
    life.scale(23);
    ASSERT_TRUE(life.settle());
    ASSERT_EQ(life.running_pods(), 23);
    const auto nodes = names(life);
    const size_t decisions = life.decided().size();
    life.run_for(kHours * 1h);
    EXPECT_EQ(names(life), nodes);
    EXPECT_THAT(std::vector(life.decided().begin() + static_cast<std::ptrdiff_t>(decisions), life.decided().end()),
                testing::Each(testing::StartsWith("kept")));
  }
}

TEST(Steady, NothingMovesWhileSpotPricesJitter) {
  Life life(options("spot"));
  life.scale(23);
  ASSERT_TRUE(life.settle());
  const auto nodes = names(life);
  Prng prng(7);
  std::map<std::string, double> factors;
  for (int hour = 0; hour < kHours; ++hour) {
    for (const std::string& type : kTypes) {
      double& now = factors.try_emplace(type, 1.0).first->second;
      const double next = 1.0 + kJitter * (static_cast<double>(prng.between(-100, 100)) / 100.0);
      life.scale_price(type, next / now);
      now = next;
    }
    life.run_for(1h);
  }
  EXPECT_EQ(names(life), nodes);
}

// A node in each zone, each with room for the pods of the others.
class SteadySpread : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(SteadySpread, NothingMovesThoughAllPodsHaveRoomOnOneNode) {
  LifeOptions options{.types = {"m5.xlarge"}, .pod_millicores = 500, .pod_mib = 500};
  options.pod_rules = GetParam().second;
  Life life(options);
  life.scale(3);
  ASSERT_TRUE(life.run_until_running(3));
  const auto nodes = names(life);
  EXPECT_EQ(nodes.size(), 3u);
  const size_t decisions = life.decided().size();
  life.run_for(10min);
  EXPECT_EQ(names(life), nodes);
  life.run_for(kHours * 1h);
  EXPECT_EQ(names(life), nodes);
  EXPECT_EQ(life.running_pods(), 3);
  EXPECT_THAT(std::vector(life.decided().begin() + static_cast<std::ptrdiff_t>(decisions), life.decided().end()),
              testing::Each(testing::StartsWith("kept")));
}

constexpr const char* kSpread =
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
    "DoNotSchedule, labelSelector: {matchLabels: {app: load}}}]";
constexpr const char* kMinDomains =
    "topologySpreadConstraints: [{maxSkew: 1, minDomains: 2, topologyKey: topology.kubernetes.io/zone, "
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: load}}}]";
constexpr const char* kApart =
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: load}}}]}}";

INSTANTIATE_TEST_SUITE_P(Rules, SteadySpread,
                         testing::Values(std::pair("Spread", kSpread), std::pair("MinDomains", kMinDomains),
                                         std::pair("Apart", kApart)),
                         [](const auto& rule) { return std::string(rule.param.first); });

}  // namespace
}  // namespace tenon::simulation

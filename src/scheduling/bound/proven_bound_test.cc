// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/prng.h"
#include "model/labels.h"
#include "scheduling/bound/knapsack.h"
#include "scheduling/bound/lower_bound.h"
#include "scheduling/input/solution.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using testing::Cluster;

constexpr int64_t kCent = model::kPicoPerUsd / 100;

Kind kind(Amounts free, int64_t cents, size_t demands, int64_t copies = kAsManyAsNeeded) {
  return {std::move(free), model::Price(cents * kCent), std::vector<int64_t>(demands, 1000), copies};
}

// The highest value of any filling, by exhaustive search.
int64_t brute_force(const std::vector<Demand>& demands, const Kind& k, const std::vector<int64_t>& values) {
  int64_t best = 0;
  std::map<int, int64_t> together;
  for (const Demand& demand : demands) together[demand.group] = demand.group == kNone ? 1000 : demand.together;
  std::function<void(size_t, Amounts, int64_t)> descend = [&](size_t at, Amounts free, int64_t value) {
    best = std::max(best, value);
    if (at == demands.size()) return;
    int64_t& places = together[demands[at].group];
    const int64_t most = std::min({k.caps[at], demands[at].count, places});
    for (int64_t n = 0; n <= most; ++n) {
      places -= n;
      descend(at + 1, free, value + n * values[at]);
      places += n;
      for (size_t r = 0; r < free.size(); ++r) {
        free[r] -= demands[at].requests[r];
        if (free[r] < 0) return;
      }
    }
  };
  descend(0, k.free, 0);
  return best;
}

TEST(Knapsack, AgreesWithTryingAll) {
  Prng prng(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Demand> demands;
    std::vector<int64_t> values;
    Kind k = kind({prng.between(0, 40), prng.between(0, 40), 6}, 1, 0);
    for (int64_t i = prng.between(1, 4); i > 0; --i) {
      const int group = static_cast<int>(prng.between(-1, 1));
      demands.push_back({{prng.between(0, 15), prng.between(0, 15), 1}, prng.between(1, 5), group, group + 1});
      values.push_back(prng.between(0, 100));
      k.caps.push_back(prng.between(0, 5));
    }
    const int64_t best = brute_force(demands, k, values);
    const Filling filling = best_filling(demands, k, values, 0, 1'000'000);
    ASSERT_EQ(filling.value, best) << "round " << round;
    ASSERT_EQ(filling.at_most, best) << "round " << round;
    const Filling hasty = best_filling(demands, k, values, 0, 2);
    ASSERT_LE(hasty.value, best);
    ASSERT_GE(hasty.at_most, best) << "round " << round;
    const int64_t enough = prng.between(0, 2 * best + 1);
    const Filling above = best_filling(demands, k, values, enough, 1'000'000);
    ASSERT_GE(above.at_most, best) << "round " << round;
    ASSERT_LE(above.at_most, std::max(best, enough)) << "round " << round;
  }
}

// Pods of 11 in nodes of 20: one each, whatever a division gives.
TEST(LowerBound, SeesThatPodsAreWhole) {
  const Relaxation r{{{{11}, 7}}, {kind({20}, 10, 1)}};
  EXPECT_EQ(relaxed_bound(r).price.value(), 70 * kCent);
}

TEST(LowerBound, MixesFitTogether) {
  // 6 of 7 and 6 of 5 in nodes of 12: six nodes and not 6·7/12 + 6·5/12 for one kind alone.
  const Relaxation r{{{{7}, 6}, {{5}, 6}}, {kind({12}, 10, 2)}};
  EXPECT_NEAR(static_cast<double>(relaxed_bound(r).price.value()), 60.0 * kCent, 60.0 * kCent * 1e-3);
}

TEST(LowerBound, NodesThatAreThereTakeWhatTheyCan) {
  Relaxation r{{{{10}, 7}}, {kind({20}, 10, 1), kind({20}, 0, 1, 2)}};
  EXPECT_NEAR(static_cast<double>(relaxed_bound(r).price.value()), 15.0 * kCent, 0.1 * kCent);
  r.kinds.pop_back();
  r.kinds.push_back(kind({1000}, 0, 1, 1));
  EXPECT_EQ(relaxed_bound(r).price.value(), 0);
}

// Six pods of two sizes with anti-affinity need six nodes, each with a daemon's overhead, however small they are.
TEST(LowerBound, PodsOfOneRuleShareTheirPlaces) {
  Relaxation r{{{{2}, 3}, {{3}, 3}}, {kind({10}, 10, 2), kind({100}, 80, 2)}};
  EXPECT_LE(relaxed_bound(r).price.value(), 20 * kCent);
  for (Demand& demand : r.demands) {
    demand.group = 0;
    demand.together = 1;
  }
  EXPECT_GT(relaxed_bound(r).price.value(), 59 * kCent);
}

TEST(LowerBound, NothingToBuyIsFree) {
  EXPECT_EQ(relaxed_bound(Relaxation{{{{10}, 2}}, {kind({20}, 0, 1, 1)}}).price.value(), 0);
  EXPECT_EQ(relaxed_bound(Relaxation{}).price.value(), 0);
}

// The cheapest cover by dynamic programming over two counts.
int64_t optimum(const Relaxation& r) {
  const int64_t a = r.demands[0].count, b = r.demands[1].count;
  std::vector<std::vector<int64_t>> cost(static_cast<size_t>(a + 1),
                                         std::vector<int64_t>(static_cast<size_t>(b + 1), INT64_MAX / 2));
  cost[0][0] = 0;
  for (int64_t i = 0; i <= a; ++i) {
    for (int64_t j = 0; j <= b; ++j) {
      int64_t& here = cost[static_cast<size_t>(i)][static_cast<size_t>(j)];
      for (const Kind& k : r.kinds) {
        for (int64_t x = 0; x <= i; ++x) {
          for (int64_t y = x == 0 ? 1 : 0; y <= j; ++y) {
            bool fits = true;
            for (size_t d = 0; d < k.free.size(); ++d)
              fits = fits && x * r.demands[0].requests[d] + y * r.demands[1].requests[d] <= k.free[d];
            if (!fits) break;
            here = std::min(here, cost[static_cast<size_t>(i - x)][static_cast<size_t>(j - y)] + k.price.value());
          }
        }
      }
    }
  }
  return cost[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

// Never above the optimum with any values, and close to it with ours.
TEST(LowerBound, IsAProof) {
  Prng prng(7);
  double sum = 0;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    Relaxation r;
    for (int i = 0; i < 2; ++i) r.demands.push_back({{prng.between(1, 9), prng.between(1, 9)}, prng.between(1, 6)});
    for (int64_t i = prng.between(1, 4); i > 0; --i)
      r.kinds.push_back(kind({prng.between(9, 40), prng.between(9, 40)}, prng.between(5, 30), 2));
    const int64_t best = optimum(r);
    const int64_t bound = relaxed_bound(r).price.value();
    ASSERT_LE(bound, best) << "round " << round;
    sum += static_cast<double>(bound) / static_cast<double>(best);
    const std::vector<int64_t> any{prng.between(0, 50) * kCent, prng.between(0, 50) * kCent};
    ASSERT_LE(proven_bound(r, any).price.value(), best) << "round " << round;
  }
  EXPECT_GT(sum / kRounds, 0.85);
}

TEST(LowerBound, OfAPlan) {
  Cluster c;
  c.pool(a_pool("default").require(std::string(model::kLabelCapacityType), {"on-demand"}).build());
  c.pending(a_pod("p").memory("1Gi").build(), 100);
  const Solution s = c.solve();
  const model::Price bound = lower_bound(c.build(), {}, s).price;
  EXPECT_LE(bound, s.price);
  EXPECT_GT(bound.value() * 10, s.price.value() * 8);
}

TEST(LowerBound, EndsWhereSimpleValuesProveNearlyAsMuchAsThePlanCosts) {
  Relaxation r;
  for (int i = 0; i < 20; ++i) r.demands.push_back({{100 + i, 1}, 1'000});
  for (int i = 1; i <= 20; ++i) r.kinds.push_back(kind({10'000 * i, 1'000'000}, 10 * i, 20));
  const Bound whole = relaxed_bound(r);
  const auto plan = [&](int64_t thousandths) { return model::Price(whole.price.value() / 1'000 * thousandths); };
  const Bound close = relaxed_bound(r, plan(1'005)), far = relaxed_bound(r, plan(1'010));
  EXPECT_LT(close.steps * 10, whole.steps);
  EXPECT_LE((plan(1'005) - close.price).value(), plan(1'005).value() / 150);
  EXPECT_EQ(far.steps, whole.steps);
}

TEST(LowerBound, LighterPoolsCountOnlyWhenThePlanUsesThem) {
  Cluster c;
  c.pool(a_pool("heavy").weight(10).require(std::string(model::kLabelInstanceType), {"m5.xlarge"}).build());
  c.pool(a_pool("light").build());
  c.pending(a_pod("p").cpu("1").build());
  const Solution s = c.solve();
  ASSERT_EQ(s.new_nodes.size(), 1u);
  EXPECT_EQ(s.new_nodes[0].pool, "heavy");
  EXPECT_EQ(lower_bound(c.build(), {}, s).price, s.price);
}

// Pods that do not fit in the NodePool of higher weight use the other one. The others would cost less there, but no
// plan may place them there.
TEST(LowerBound, APoolIsLighterOnlyForPodsThatCouldHaveAHeavierOne) {
  Cluster c;
  c.pool(a_pool("heavy").weight(10).require(std::string(model::kLabelInstanceType), {"m5.large"}).build());
  c.pool(a_pool("light").build());
  c.pending(a_pod("p").cpu("1").build());
  c.pending(a_pod("large").cpu("3").build());
  const Solution s = c.solve();
  ASSERT_EQ(s.new_nodes.size(), 2u);
  EXPECT_NE(s.new_nodes[0].pool, s.new_nodes[1].pool);
  EXPECT_EQ(lower_bound(c.build(), {}, s).price, s.price);
}

}  // namespace
}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "model/resources.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

TEST(Resources, AbsentIsZeroAndEntriesStaySorted) {
  Resources r{{"memory", 5}, {"cpu", 100}};
  r.add("nvidia.com/gpu", 2);
  r.add("cpu", 50);
  EXPECT_EQ(r.get("cpu"), 150);
  EXPECT_EQ(r.get("pods"), 0);
  EXPECT_FALSE(r.has("pods"));
  EXPECT_EQ(r.entries(), (std::vector<Resources::Entry>{{"cpu", 150}, {"memory", 5}, {"nvidia.com/gpu", 2}}));
}

TEST(Resources, SumsSaturate) {
  Resources r{{"memory", INT64_MAX - 1}};
  r += Resources{{"memory", 5}};
  EXPECT_EQ(r.get("memory"), INT64_MAX);
  r -= Resources{{"memory", INT64_MIN}};
  EXPECT_EQ(r.get("memory"), INT64_MAX);
}

TEST(Resources, Fits) {
  const Resources capacity{{"cpu", 1000}, {"memory", 10}};
  EXPECT_TRUE((Resources{{"cpu", 1000}}.fits(capacity)));
  EXPECT_FALSE((Resources{{"cpu", 1001}}.fits(capacity)));
  EXPECT_FALSE((Resources{{"nvidia.com/gpu", 1}}.fits(capacity)));
  EXPECT_TRUE((Resources{{"nvidia.com/gpu", 0}}.fits(capacity)));
  EXPECT_TRUE(Resources{}.fits(Resources{{"cpu", -1}}));
}

TEST(Resources, MaxAndDifference) {
  const Resources a{{"cpu", 5}, {"x", -3}};
  const Resources b{{"cpu", 2}, {"memory", 4}};
  EXPECT_EQ(Resources::max(a, b), (Resources{{"cpu", 5}, {"memory", 4}, {"x", 0}}));
  EXPECT_TRUE((b - a).any_negative());
  EXPECT_EQ((a - b).get("memory"), -4);
}

TEST(Resources, RoundsByKind) {
  Resources r;
  r.set_ceil("cpu", *parse_quantity("100100u"));
  r.set_ceil("memory", *parse_quantity("3167538380800m"));
  r.set_floor("pods", *parse_quantity("1.9"));
  EXPECT_EQ(r.get("cpu"), 101);
  EXPECT_EQ(r.get("memory"), 3167538381);
  EXPECT_EQ(r.get("pods"), 1);
}

TEST(Resources, Format) {
  EXPECT_EQ(format_amount("cpu", 1500), "1500m");
  EXPECT_EQ(format_amount("cpu", 2000), "2");
  EXPECT_EQ(format_amount("memory", 1073741824), "1Gi");
  EXPECT_EQ(format_amount("memory", 1073741825), "1073741825");
  EXPECT_EQ(format_amount("memory", 0), "0");
  EXPECT_EQ(format_amount("pods", 1024), "1024");
}

}  // namespace
}  // namespace tenon::model

// SPDX-License-Identifier: Apache-2.0
#include "state/caps.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::state {
namespace {

const Instant kNow(1'000'000s);

model::Price usd(const char* text) { return *model::parse_price(text); }

// A NodeClaim, and what became of it.
struct Row {
  const char* name;
  int created = 0;    // seconds before now
  int launched = -1;  // likewise; -1: it has no instance
  const char* type = "m5.large";
  const char* zone = "a";
  const char* capacity_type = "on-demand";
  bool adopted = false;
};

scheduling::NodeView view(const Row& row) {
  auto claim = std::make_shared<model::NodeClaim>();
  claim->meta.name = row.name;
  claim->meta.created_at = kNow - row.created * 1s;
  claim->meta.labels = {{std::string(model::kLabelNodePool), "default"}};
  if (row.adopted) claim->meta.annotations[std::string(model::kAnnotationInstance)] = "aws:///a/i-1";
  if (row.launched >= 0) {
    claim->provider_id = "aws:///a/" + claim->meta.name;
    claim->conditions = {{std::string(model::kLaunched), "True", "Launched", "", kNow - row.launched * 1s, 0}};
    claim->meta.labels[std::string(model::kLabelInstanceType)] = row.type;
    claim->meta.labels[std::string(model::kLabelZone)] = row.zone;
    claim->meta.labels[std::string(model::kLabelCapacityType)] = row.capacity_type;
  }
  scheduling::NodeView node;
  node.claim = std::move(claim);
  return node;
}

std::vector<scheduling::NodeView> views(const std::vector<Row>& rows) {
  std::vector<scheduling::NodeView> all;
  for (const Row& row : rows) all.push_back(view(row));
  all.emplace_back().node = std::make_shared<const model::Node>();  // of another manager
  return all;
}

struct RateCase {
  const char* what;
  std::vector<Row> rows;
  size_t wanted;
  const char* message;  // its end; empty: no hold
  int until = 0;        // seconds from now
};

class CapsRate : public testing::TestWithParam<RateCase> {};

TEST_P(CapsRate, CountsEveryMinute) {
  const RateCase& c = GetParam();
  const auto hold = over_rate(2, launch_times(views(c.rows), true), c.wanted, kNow);
  const std::string prefix = "launches are held back by --max-launches-per-minute: ";
  EXPECT_EQ(hold ? hold->message : "", *c.message ? prefix + c.message : "") << c.what;
  if (!hold) return;
  EXPECT_EQ(hold->by + " " + hold->reason, "max-launches-per-minute LaunchCapReached");
  ASSERT_TRUE(hold->until);
  EXPECT_EQ(*hold->until - kNow, Duration(c.until * 1s)) << c.what;
}

INSTANTIATE_TEST_SUITE_P(
    All, CapsRate,
    testing::Values(
        RateCase{"nothing yet", {}, 2, ""},  //
        RateCase{"one more", {{"a", 10}}, 1, ""},
        RateCase{"an open claim counts", {{"a", 10}, {"b", 30}}, 1, "2 in the last minute, limit 2", 31},
        RateCase{"two have to leave the minute",
                 {{"a", 10}, {"b", 30}},
                 2,
                 "2 in the last minute and 2 more at once, limit 2",
                 51},
        RateCase{"a timestamp lacks its fraction", {{"a", 60}, {"b", 10}}, 1, "2 in the last minute, limit 2", 1},
        RateCase{"the minute is over", {{"a", 61}, {"b", 10}}, 1, ""},
        RateCase{"a launch counts from its time", {{"a", 300, 20}, {"b", 10}}, 1, "2 in the last minute, limit 2", 41},
        RateCase{"an instance that was adopted is no launch", {{"a", 5, 5, "", "", "", true}, {"b", 10}}, 1, ""},
        RateCase{"more than the limit at once", {}, 3, "0 in the last minute and 3 more at once, limit 2", 60}));

TEST(CapsRate, LaunchesWithoutOpenClaims) {
  const auto times = launch_times(views({{"open", 10}, {"done", 300, 20}}), false);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times.at("done"), kNow - 19s);
}

std::vector<scheduling::PoolView> pools() {
  model::NodePool pool;
  pool.meta.name = "default";
  model::InstanceType large;
  large.name = "m5.large";
  large.offerings = {{.zone = "a", .zone_id = "", .capacity_type = "on-demand", .price = usd("0.1")},
                     {.zone = "a", .zone_id = "", .capacity_type = "spot", .price = usd("0.03")},
                     {.zone = "b", .zone_id = "", .capacity_type = "spot", .price = usd("0.04"), .available = false}};
  model::InstanceType bare;
  bare.name = "bare";
  bare.offerings = {{.zone = "a", .zone_id = "", .capacity_type = "on-demand", .price = {}, .available = false}};
  bare.offerings[0].only_lacks_price = true;
  return {{std::make_shared<const model::NodePool>(pool),
           std::make_shared<const std::vector<model::InstanceType>>(std::vector{large, bare}), ""}};
}

Result<model::Price> launch_price(const model::NodeClaim& claim) {
  if (claim.meta.name == "odd") return fail(Code::kUnavailable, "its node class does not exist");
  return usd("0.5");
}

struct PriceCase {
  const char* what;
  std::vector<Row> rows;
  const char* price;    // USD per hour
  const char* unknown;  // empty: it is known
};

TEST(CapsPrice, AddsUpWhatRunsAndWhatMayCome) {
  const PriceCase cases[] = {
      {"nothing", {}, "0", ""},
      {"by zone and capacity type", {{"a", 9, 9}, {"b", 9, 9, "m5.large", "b", "spot"}}, "0.14", ""},
      {"an open launch at its highest price", {{"a", 9, 9}, {"b", 9}}, "0.6", ""},
      {"an offering that is not listed counts as the highest of its type",
       {{"a", 9, 9, "m5.large", "c", "reserved"}},
       "0.1",
       ""},
      {"an unknown type",
       {{"a", 9, 9}, {"b", 9, 9, "z9.huge"}},
       "0.1",
       "the price of nodeclaim/b is unknown: no price of instance type \"z9.huge\" is listed"},
      {"an offering without a price",
       {{"a", 9, 9, "bare"}},
       "0",
       "the price of nodeclaim/a is unknown: no price of instance type \"bare\" is listed"},
      {"a launch of an unknown price",
       {{"odd", 9}},
       "0",
       "the price of nodeclaim/odd is unknown: its node class does not exist"},
  };
  for (const PriceCase& c : cases) {
    const HourlyPrice total = hourly_price(views(c.rows), pools(), launch_price);
    EXPECT_EQ(total.price, usd(c.price)) << c.what;
    EXPECT_EQ(total.unknown, c.unknown) << c.what;
  }
}

TEST(CapsPrice, OlderClaimsComeFirst) {
  const auto nodes = views({{"a", 9, 9}, {"older", 20}, {"own", 10}, {"younger", 5}, {"same-second", 10}});
  EXPECT_EQ(hourly_price(nodes, pools(), launch_price, nodes[2].claim.get()).price, usd("1.1"));
  EXPECT_EQ(hourly_price(nodes, pools(), launch_price, nodes[3].claim.get()).price, usd("2.1"));
}

TEST(CapsPrice, HoldsAboveTheLimitAndInDoubt) {
  HourlyPrice total{usd("4.9"), ""};
  EXPECT_FALSE(over_price(usd("4.9"), total, kNow));
  total.add("a launch", usd("0.2"));
  const auto hold = over_price(usd("5"), total, kNow);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->message,
            "launches are held back by --max-hourly-price: with this launch all nodes cost up to $5.1/h, limit $5/h");
  EXPECT_EQ(hold->until, kNow + kPriceRetry);
  total.add("nodeclaim/x", fail(Code::kUnavailable, "no types"));
  EXPECT_EQ(
      over_price(usd("500"), total, kNow)->message,
      "launches are held back by --max-hourly-price: the price of nodeclaim/x is unknown: no types, limit $500/h");
}

}  // namespace
}  // namespace tenon::state

// Plays the files of life-cycle/, aws/ and faults/ (life_play.h); those of faults/ with several seeds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "expectation.h"
#include "json/json.h"
#include "life_play.h"
#include "life_view.h"
#include "life_world.h"

namespace tenon::scenarios {
namespace {

namespace fs = std::filesystem;
using json::value;

struct Play {
  std::string name;  // "folder/name", without the extension
  int64_t seed = 0;  // 0: that of the file
};

void PrintTo(const Play& play, std::ostream* out) { *out << play.name; }

constexpr int64_t kFaultSeeds = 4;

std::vector<Play> plays() {
  std::vector<Play> plays;
  for (const std::string folder : {"life-cycle", "aws", "faults"}) {
    const int64_t seeds = folder == "faults" ? kFaultSeeds : 0;
    for (const fs::path file : scenario_files(TENON_SCENARIOS "/" + folder)) {
      for (int64_t seed = std::min<int64_t>(seeds, 1); seed <= seeds; ++seed)
        plays.push_back({folder + "/" + file.stem().string(), seed});
    }
  }
  return plays;
}

class LifeScenario : public testing::TestWithParam<Play> {};

TEST_P(LifeScenario, GoesAsExpected) {
  auto life = read_life(TENON_SCENARIOS "/" + GetParam().name + ".yaml");
  ASSERT_TRUE(life) << life.error().message;
  if (GetParam().seed > 0) life->as_object()["seed"] = GetParam().seed;
  const Status played = play(*life);
  EXPECT_TRUE(played) << played.error().message;
}

INSTANTIATE_TEST_SUITE_P(Files, LifeScenario, testing::ValuesIn(plays()), [](const auto& scenario) {
  std::string name = scenario.param.name;
  if (name.starts_with("life-cycle/")) name.erase(0, std::string_view("life-cycle/").size());
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return scenario.param.seed > 0 ? name + "_" + std::to_string(scenario.param.seed) : name;
});

TEST(LifeView, ConditionsAndTaintsAreText) {
  const value view = view_of(*json::parse(
      R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule","value":"b"}]},
          "status":{"conditions":[{"type":"Ready","status":"False","reason":"Why","message":"because"}]}})"));
  EXPECT_EQ(json::string_at(view, {"conditions", "Ready"}), "False Why: because");
  EXPECT_EQ(json::string_at(view, {"taints", "a:NoSchedule"}), "b");
}

TEST(LifeView, MetricsAreSummedOverTheirOtherLabels) {
  const std::string text = "# HELP m x\nm{a=\"1\",b=\"1\"} 2\nm{a=\"1\",b=\"2\"} 3\nm{a=\"2\",b=\"1\"} 5\nmore 7\n";
  int series = 0;
  EXPECT_EQ(sum_of(text, "m{a=\"1\"}", series), 5);
  EXPECT_EQ(series, 2);
  EXPECT_EQ(sum_of(text, "m{a=\"1\",b=\"2\"}", series), 3);
  EXPECT_EQ(sum_of(text, "more", series), 7);
  (void)sum_of(text, "m{a=\"3\"}", series);
  EXPECT_EQ(series, 0);
}

TEST(LifeView, AmountsMayBeBounds) {
  EXPECT_TRUE(is_amount(value(2), 2));
  EXPECT_FALSE(is_amount(value(2), 3));
  EXPECT_TRUE(is_amount(value(">=2"), 3));
  EXPECT_FALSE(is_amount(value(">=2"), 1));
  EXPECT_TRUE(is_amount(value("<=2"), 1));
  EXPECT_FALSE(is_amount(value("<=2"), 3));
}

// A runner that detects no error would accept everything.
TEST(LifeScenarios, WhatIsWrongIsFound) {
  const value life = *json::parse(R"({"kind":"Life"})");
  const auto world = LifeWorld::make(life);
  ASSERT_TRUE(world) << world.error().message;
  const auto fails = [&](const char* step) { return !(*world)->act(*json::parse(step)); };
  EXPECT_FALSE(fails(R"({"expect":{"NodePool/default":{"conditions":{"Ready":"True Ready"}},"NodeClaim":null}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodePool/default":{"conditions":{"Ready":"False*"}}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodePool":null}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"count":{"NodePool":2}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"events":[{"of":"NodePool","reason":"None"}]}})"));
  EXPECT_TRUE(fails(R"({"expect":{"metrics":{"karpenter_nodes_created_total":1}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"instances":{"running":1}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"calls":{"TerminateInstances":1}}})"));
  EXPECT_TRUE(fails(R"({"until":"3s","expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"hold":"3s","expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"fly":true})"));
}

}  // namespace
}  // namespace tenon::scenarios

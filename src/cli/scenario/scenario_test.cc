// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario/scenario.h"

#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

// A scenario of one step with these fields.
std::string with_step(const std::string& fields) { return "name: x\nmanifests: consolidate\nsteps:\n- " + fields; }

TEST(Scenario, EveryScenarioOfTheBinaryIsReadAndHasItsManifests) {
  ASSERT_FALSE(scenario_names().empty());
  for (const std::string& name : scenario_names()) {
    const auto scenario = load_scenario(name);
    ASSERT_TRUE(scenario) << name << ": " << scenario.error().message;
    EXPECT_EQ(scenario->name, name);
    EXPECT_FALSE(scenario->summary.empty()) << name;
    for (const Step& step : scenario->steps) {
      for (const std::string& file : step.apply) EXPECT_TRUE(example_manifest(scenario->manifests, file)) << file;
    }
  }
}

struct Refused {
  const char* step;
  const char* error;
};
constexpr Refused kRefused[] = {
    {"titel: x", "steps[0]: titel: unknown field"},
    {"title: 1", "steps[0]: title: must be a string"},
    {"apply: a.yaml", "steps[0]: apply: must be a list"},
    {"scale: {deployment: inflate}", "steps[0]: scale: deployment and replicas are required"},
    {"scale: {deployment: inflate, replicas: five}", "steps[0]: scale.replicas: must be a number from 0 to 100000"},
    {"scale: {deployment: inflate, replicas: -1}", "steps[0]: scale.replicas: must be a number from 0 to 100000"},
    {"advance: 3 days", "steps[0]: advance: must be a duration such as 720h"},
    {"expect: {kept: yes-please}", "steps[0]: expect: kept: must be true or false"},
    {"expect: {replaced: 1}", "steps[0]: expect: replaced: must be true or false"},
    {"expect: {replacementFirst: first}", "steps[0]: expect: replacementFirst: must be true or false"},
    {"expect: {maxDisrupted: \"1\"}", "steps[0]: expect: maxDisrupted: must be a number from 0 to 100000"},
    {"expect: {nodes: {}}", "steps[0]: expect: nodes: must be a list"},
    {"expect: {nodes: [m5.large]}", "steps[0]: expect: nodes: each must be a map"},
    {"expect: {nodes: [{capacityType: spot}]}", "steps[0]: expect: nodes: each needs a type"},
    {"expect: {nodes: [{type: m5.large, pods: many}]}",
     "steps[0]: expect: nodes.pods: must be a number from 0 to 100000"},
    {"expect: {price: 1}", "steps[0]: expect: price: unknown expectation"},
};

class ScenarioIsRefused : public testing::TestWithParam<Refused> {};
TEST_P(ScenarioIsRefused, WithStepAndField) {
  const auto scenario = parse_scenario(with_step(GetParam().step));
  ASSERT_FALSE(scenario) << GetParam().step;
  EXPECT_EQ(scenario.error().message, GetParam().error);
}
INSTANTIATE_TEST_SUITE_P(Steps, ScenarioIsRefused, testing::ValuesIn(kRefused));

}  // namespace
}  // namespace tenon::cli

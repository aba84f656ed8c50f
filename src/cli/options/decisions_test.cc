// SPDX-License-Identifier: Apache-2.0
#include "cli/options/decisions.h"

#include <gtest/gtest.h>

#include "scheduling/input/solve_options.h"

namespace tenon::cli {
namespace {

std::string problem_of(const DecisionSettings& settings) {
  const auto decisions = make_decisions(settings);
  return decisions ? "" : decisions.error().message;
}

TEST(Decisions, AreRefusedByName) {
  struct Case {
    const char* what;
    void (*change)(DecisionSettings&);
    const char* problem;  // "": none
  };
  const Case cases[] = {
      {"as they are", [](DecisionSettings&) {}, ""},
      {"free", [](DecisionSettings& s) { s.node_price = "0"; }, ""},
      {"the dearest", [](DecisionSettings& s) { s.node_price = "9"; }, ""},
      {"dearer", [](DecisionSettings& s) { s.node_price = "9.01"; }, "--node-price: \"9.01\" is not an amount of USD"},
      {"a gift", [](DecisionSettings& s) { s.node_price = "-0.01"; },
       "--node-price: \"-0.01\" is not an amount of USD"},
      {"a word", [](DecisionSettings& s) { s.node_price = "cheap"; },
       "--node-price: \"cheap\" is not an amount of USD"},
      {"nothing", [](DecisionSettings& s) { s.node_price = ""; }, "--node-price: \"\" is not an amount of USD"},
      {"one node", [](DecisionSettings& s) { s.max_nodes = 1; }, ""},
      {"less than none", [](DecisionSettings& s) { s.max_nodes = -1; }, "--max-nodes: -1 is not a number of nodes"},
      {"no wait", [](DecisionSettings& s) { s.adoption_wait = {}; }, ""},
      {"less than no wait", [](DecisionSettings& s) { s.adoption_wait = -1s; }, "--adoption-wait: -1s is negative"},
      {"a gate", [](DecisionSettings& s) { s.feature_gates = "NodeRepair"; }, "--feature-gates"},
  };
  for (const Case& c : cases) {
    DecisionSettings settings;
    c.change(settings);
    const std::string problem = problem_of(settings);
    EXPECT_EQ(problem.empty(), *c.problem == '\0') << c.what << ": " << problem;
    EXPECT_TRUE(problem.starts_with(c.problem)) << c.what << ": " << problem;
  }
}

TEST(Decisions, ReachProvisioningAndDisruption) {
  DecisionSettings settings;
  settings.node_price = "0.5";
  settings.max_nodes = 7;
  settings.adoption_wait = 5min;
  settings.preference_policy = "Ignore";
  settings.min_values_policy = "BestEffort";
  settings.feature_gates = "ReservedCapacity=false,SpotToSpotConsolidation=true,StaticCapacity=true,NodeRepair=true";
  const auto decisions = make_decisions(settings);
  ASSERT_TRUE(decisions);
  controllers::ManagerOptions options;
  decide_by(*decisions, options);
  for (const scheduling::SolveOptions* solve : {&options.provisioning.solve, &options.disruption.solve}) {
    EXPECT_EQ(solve->node_price, model::Price(model::kPicoPerUsd / 2));
    EXPECT_EQ(solve->max_nodes, 7);
    EXPECT_EQ(solve->preferences, scheduling::PreferencePolicy::kIgnore);
    EXPECT_EQ(solve->min_values, scheduling::MinValuesPolicy::kBestEffort);
    EXPECT_FALSE(solve->reserved_capacity);
  }
  EXPECT_EQ(options.disruption.adoption_wait, Duration(5min));
  EXPECT_TRUE(options.disruption.spot_to_spot);
  EXPECT_TRUE(options.disruption.static_capacity && options.static_capacity && options.node_repair);
}

TEST(Decisions, TheDefaultOfTheOptionIsThatOfTheSolver) {
  EXPECT_EQ(default_decisions().disruption.solve.max_instance_types, scheduling::SolveOptions().max_instance_types);
}

TEST(Decisions, TheWaitForAdoptedNodesIsAnHour) {
  EXPECT_EQ(default_decisions().disruption.adoption_wait, Duration(1h));
}

TEST(Decisions, WithoutALimitThereIsNone) { EXPECT_EQ(default_decisions().disruption.solve.max_nodes, std::nullopt); }

}  // namespace
}  // namespace tenon::cli

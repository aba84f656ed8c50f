// Plays plan/*.yaml through `tenon plan`. The document of kind Expectation in each says what must come out:
//
//   kind: Expectation
//   mode: provision              # or disrupt
//   exit: 0
//   error: text                  # on standard error
//   plan: {totals: {newNodes: 1}}  # the plan holds at least this: objects by member, lists whole
//
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/plan_command.h"
#include "cli/plan_documents.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

using json::value;

std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TENON_SCENARIOS)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Where `actual` lacks something of `wanted`; empty if it holds all of it.
std::string difference(const value& wanted, const value& actual, const std::string& path) {
  if (const auto* members = wanted.if_object(); members && actual.is_object()) {
    for (const auto& member : *members) {
      const value* found = actual.get_object().if_contains(member.key());
      const std::string where = path + "." + std::string(member.key());
      if (!found) return where + ": missing";
      if (std::string d = difference(member.value(), *found, where); !d.empty()) return d;
    }
    return members->empty() && !actual.get_object().empty() ? path + ": not empty: " + json::to_string(actual) : "";
  }
  if (const auto* items = wanted.if_array(); items && actual.is_array()) {
    if (items->size() != actual.get_array().size()) return path + ": is " + json::to_string(actual);
    for (size_t i = 0; i < items->size(); ++i) {
      std::string d = difference((*items)[i], actual.get_array()[i], path + "[" + std::to_string(i) + "]");
      if (!d.empty()) return d;
    }
    return "";
  }
  return json::to_string(wanted) == json::to_string(actual) ? "" : path + ": is " + json::to_string(actual);
}

struct Answer {
  int exit = 0;
  std::string out, err;
};
Answer run(const PlanOptions& options) {
  std::ostringstream out, err;
  const int code = run_plan(options, out, err);
  return {code, out.str(), err.str()};
}

class PlanScenario : public testing::TestWithParam<std::string> {};

TEST_P(PlanScenario, AnswersAsExpected) {
  const std::string file = std::string(TENON_SCENARIOS) + "/" + GetParam() + ".yaml";
  std::istringstream none;
  const auto documents = read_documents({file}, none);
  ASSERT_TRUE(documents) << documents.error().message;
  const auto at =
      std::find_if(documents->begin(), documents->end(), [](const auto& d) { return d.kind == "Expectation"; });
  ASSERT_NE(at, documents->end()) << "no document of kind Expectation";
  const value& wanted = *at->object;

  PlanOptions options;
  options.files = {file};
  options.catalog = std::string(TENON_SCENARIOS) + "/catalog.json";
  options.mode = json::string_at(wanted, {"mode"}, "provision");
  options.now = "2026-09-01T12:00:00Z";
  options.output = "json";
  options.feature_gates = json::string_at(wanted, {"featureGates"});
  options.node_price = "0";
  const Answer first = run(options);
  EXPECT_EQ(first.exit, json::int_at(wanted, {"exit"})) << first.err << first.out;
  EXPECT_THAT(first.err, testing::HasSubstr(std::string(json::string_at(wanted, {"error"}))));
  const Answer second = run(options);
  EXPECT_EQ(first.out, second.out) << "the same input gave another plan";
  if (const value* plan = json::find(wanted, {"plan"})) {
    const auto actual = json::parse(first.out);
    ASSERT_TRUE(actual) << first.err << first.out;
    EXPECT_EQ(difference(*plan, *actual, ""), "") << first.out;
  }
  for (const char* output : {"yaml", "table"}) {
    options.output = output;
    EXPECT_EQ(run(options).exit, first.exit) << output;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PlanScenario, testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// What the README shows: on the built-in catalog, and nothing on standard error.
TEST(PlanScenarios, TheExampleIsPlanned) {
  PlanOptions options;
  options.files = {TENON_EXAMPLES "/plan"};
  options.now = "2026-09-01T12:00:00Z";
  const Answer table = run(options);
  EXPECT_EQ(table.exit, 3);
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, testing::HasSubstr("6 new nodes for 6 pods, 0 pods on existing nodes, 1 cannot be placed"));
  EXPECT_THAT(table.out, testing::ContainsRegex(
                             "default/report +default: cpu: 20 asked, [0-9]+m is the most any type has; batch: taint"));
  EXPECT_THAT(table.out, testing::ContainsRegex("batch +[a-z0-9.]+ +us-east-1[a-d] +spot"));
}

TEST(PlanScenarios, ThereAreSome) { EXPECT_GE(scenarios().size(), 25u); }

TEST(PlanScenarios, DifferencesAreFound) {
  const value actual = *json::parse(R"({"a":{"b":1,"c":[1,2]},"d":{}})");
  EXPECT_EQ(difference(*json::parse(R"({"a":{"c":[1,2]},"d":{}})"), actual, ""), "");
  EXPECT_EQ(difference(*json::parse(R"({"a":{"b":2}})"), actual, ""), ".a.b: is 1");
  EXPECT_EQ(difference(*json::parse(R"({"a":{"x":2}})"), actual, ""), ".a.x: missing");
  EXPECT_EQ(difference(*json::parse(R"({"a":{"c":[1]}})"), actual, ""), ".a.c: is [1,2]");
  EXPECT_NE(difference(*json::parse(R"({"a":{}})"), actual, ""), "");
}

}  // namespace
}  // namespace tenon::cli

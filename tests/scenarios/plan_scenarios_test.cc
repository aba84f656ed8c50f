// Runs the scenario files of each folder through `tenon plan`; expectation.h documents them. Every provision plan must
// also pass the checks, leave no pod unplaced that fits, place no fewer pods than first-fit, and not depend on the
// order of the documents.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/plan/plan_buffers.h"
#include "cli/plan/plan_command.h"
#include "expectation.h"
#include "json/json.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"
#include "scheduling/testing/agreement.h"
#include "scheduling/testing/missed_placement.h"

namespace tenon::scenarios {
namespace {

namespace fs = std::filesystem;
using cli::PlanOptions;
using json::value;

constexpr std::string_view kFolders[] = {"plan", "scheduling", "packing", "disruption"};
constexpr size_t kFewNodes = 10;  // above this, not every type is tried on each node

// "folder/name", without the extension.
std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const std::string_view folder : kFolders) {
    for (const fs::path file : scenario_files(TENON_SCENARIOS + ("/" + std::string(folder))))
      names.push_back(std::string(folder) + "/" + file.stem().string());
  }
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// If a cluster may cost more money or work than with another method, the scenario states the limit.
void expect_limits(const Expectation& wanted, const cli::PlanResult& result) {
  const model::Price price = result.solution.price, bound = result.lower_bound.price;
  const auto usd = [](model::Price p) { return model::format_usd(p); };
  EXPECT_LE(price, wanted.price_at_most.value_or(price)) << "price " << usd(price);
  EXPECT_GE(bound, wanted.bound_at_least.value_or(bound)) << "bound " << usd(bound);
  EXPECT_LE(bound, price) << usd(bound) << " is not a bound of " << usd(price);
  EXPECT_LE(result.solution.steps, wanted.steps_at_most.value_or(result.solution.steps));
}

// Small and plain scenarios are compared with exhaustive search. Under limits each node counts as its cheapest type
// there, although a more expensive one may use less of a limit.
void expect_the_best(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution) {
  EXPECT_EQ(scheduling::testing::compare_pairs(snapshot), "");
  const auto mine = scheduling::testing::reached(snapshot, solution);
  const auto best = scheduling::reference::brute_force(snapshot, mine);
  ASSERT_TRUE(best) << scheduling::testing::describe(mine) << " is better than can be";
  const bool limits = std::any_of(snapshot.pools.begin(), snapshot.pools.end(),
                                  [](const auto& view) { return view.pool->limits.has_value(); });
  EXPECT_TRUE(*best == mine || limits) << scheduling::testing::describe(mine) << "; best is "
                                       << scheduling::testing::describe(*best);
}

// `printed`: the plan as JSON.
void expect_invariants(const PlanOptions& options, const Expectation& wanted, const std::string& printed) {
  std::ostringstream err;
  const Result<cli::Decision> decided = decide_plan(options, err);
  ASSERT_TRUE(decided) << decided.error().message;
  const scheduling::Snapshot& snapshot = decided->result.input.snapshot;
  const scheduling::Solution& solution = decided->result.solution;
  expect_limits(wanted, decided->result);
  const Status held = check_solution(snapshot, decided->solve, solution);
  EXPECT_TRUE(held) << held.error().message;
  if (!decided->solve.strict_reserved) {  // there pods wait although they fit
    EXPECT_EQ(scheduling::testing::missed_placement(snapshot, decided->solve, solution), "");
  }
  if (solution.new_nodes.size() <= kFewNodes) {
    EXPECT_EQ(scheduling::testing::missed_type(snapshot, decided->solve, solution), "");
  }
  const scheduling::SolveOptions& asked = decided->solve;
  if (asked.removed_nodes.empty() && asked.node_price == model::Price() && !asked.max_nodes &&
      scheduling::reference::understands(snapshot))
    expect_the_best(snapshot, solution);
  scheduling::SolveOptions first_fit = decided->solve;
  first_fit.improvement_steps = 0;
  const scheduling::Solution without_improvement = solve(snapshot, first_fit);
  EXPECT_LE(solution.unschedulable.size(), without_improvement.unschedulable.size());
  EXPECT_TRUE(without_improvement.new_nodes.empty() || without_improvement.steps > 0) << "work is not counted";
  cli::PlanResult result = decided->result;
  take_out_buffers(result.input.buffer_of, result.solution, result.input.buffers);
  EXPECT_EQ(cli::render_plan_json(cli::plan_document(result)), printed)
      << "the order of the documents changed the plan";
}

class PlanScenario : public testing::TestWithParam<std::string> {};

TEST_P(PlanScenario, AnswersAsExpected) {
  const std::string file = TENON_SCENARIOS + ("/" + GetParam()) + ".yaml";
  const TempFolder scratch;
  const Result<Expectation> read = read_expectation(file, scratch.path());
  ASSERT_TRUE(read) << read.error().message;
  PlanOptions options = read->options;
  const Answer first = ask(options);
  EXPECT_EQ(unmet(*read, first), "");
  for (const char* output : {"yaml", "table"}) {
    if (GetParam().starts_with("packing/")) break;  // only the numbers of these folders matter
    options.output = output;
    EXPECT_EQ(ask(options).exit, first.exit) << output;
  }
  options.output = "json";
  options.files = read->reversed;
  options.files.push_back(scratch.write("reversed.yaml", reversed_documents(read_file(file))));
  if (options.mode == "provision" && first.exit != 1) return expect_invariants(options, *read, first.out);
  const Answer reversed = ask(options);
  EXPECT_EQ(reversed.exit, first.exit);
  EXPECT_EQ(reversed.out, first.out) << "the order of the documents changed the plan";
}

INSTANTIATE_TEST_SUITE_P(Files, PlanScenario, testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

// The README's examples run with the built-in catalog and print nothing on standard error.
TEST(PlanScenarios, TheExampleIsPlanned) {
  PlanOptions options;
  options.files = {TENON_EXAMPLES "/plan"};
  options.now = "2026-09-01T12:00:00Z";
  const Answer table = ask(options);
  EXPECT_EQ(table.exit, 3);
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, testing::HasSubstr("6 new nodes for 6 pods, 0 pods on existing nodes, 1 unschedulable"));
  EXPECT_THAT(table.out, testing::ContainsRegex(
                             "default/report +default: cpu: 20 asked, [0-9]+m is the most any type has; batch: taint"));
  EXPECT_THAT(table.out, testing::ContainsRegex("batch +[a-z0-9.]+ +us-east-1[a-d] +spot"));
}

TEST(PlanScenarios, ThereAreSome) {
  for (const std::string_view folder : kFolders) {
    EXPECT_GE(scenario_files(TENON_SCENARIOS + ("/" + std::string(folder))).size(), 10u) << folder;
  }
}

TEST(PlanScenarios, DifferencesAreFound) {
  const value actual = *json::parse(R"({"a":{"b":1,"c":[1,2]},"d":{},"e":"some long text"})");
  const auto found = [&](const char* wanted) { return difference(*json::parse(wanted), actual, ""); };
  EXPECT_EQ(found(R"({"a":{"c":[1,2]},"d":{}})"), "");
  EXPECT_EQ(found(R"({"a":{"b":2}})"), ".a.b: is 1");
  EXPECT_EQ(found(R"({"a":{"x":2}})"), ".a.x: missing");
  EXPECT_EQ(found(R"({"a":{"c":[1]}})"), ".a.c: is [1,2]");
  EXPECT_NE(found(R"({"a":{}})"), "");
  EXPECT_EQ(found(R"({"f":null})"), "");
  EXPECT_EQ(found(R"({"e":null})"), ".e: is there: \"some long text\"");
  for (const char* pattern : {"*", "some*", "*text", "s*l*t", "some long text*", "**"}) {
    EXPECT_EQ(found((R"({"e":")" + std::string(pattern) + "\"}").c_str()), "") << pattern;
  }
  for (const char* pattern : {"", "some", "*long", "long*", "some*x*text"}) {
    EXPECT_NE(found((R"({"e":")" + std::string(pattern) + "\"}").c_str()), "") << pattern;
  }
}

TEST(PlanScenarios, DocumentsAreReversed) {
  EXPECT_EQ(reversed_documents("# a\nb: 1\n---\nc: 2\n---\nd: 3\n"), "d: 3\n\n---\nc: 2\n---\n# a\nb: 1");
  EXPECT_EQ(reversed_documents("a: 1\n"), "a: 1\n");
}

}  // namespace
}  // namespace tenon::scenarios

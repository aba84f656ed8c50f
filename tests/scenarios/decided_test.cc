// Compares the answer for every scenario, and for clusters drawn from seeds, with decided.tsv. Any change of a plan, of
// its price or of the work that it takes is a line of the difference. If the change is intended, copy the file that
// this test leaves beside itself.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/plan/plan_command.h"
#include "disruption/disruption.h"
#include "expectation.h"
#include "scheduling/bound/lower_bound.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/solver.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/drawn_cluster.h"

namespace tenon::scenarios {
namespace {

using scheduling::testing::drawn_cluster;
using scheduling::testing::DrawnCluster;
using scheduling::testing::random_cluster;
using scheduling::testing::RandomSizes;

constexpr std::string_view kFolders[] = {"plan", "scheduling", "packing", "disruption"};
struct Draw {
  std::string_view name;
  uint64_t count;
  RandomSizes sizes;
};
constexpr Draw kDraws[] = {
    {"small", 80, {}},
    {"large", 80, {.pods = 40, .kinds = 8, .types = 8, .pools = 3, .nodes = 5}},
    {"by-node", 80, {.pods = 20, .kinds = 6, .types = 6, .pools = 2, .nodes = 4, .by_node = true}},
};
// Only rules that the reference supports, and enough equal pods for the linear programs that pack them.
constexpr Draw kPacked{"packed", 100, {.pods = 80, .kinds = 12, .types = 12, .pools = 2, .nodes = 1}};
constexpr size_t kShown = 10;  // differing lines

// FNV-1a: equal on every platform.
uint64_t digest(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Results that the document does not contain and that the controllers report: pools that can launch nothing, types that
// an overlay has changed.
std::string untold(const cli::PlanResult& result) {
  std::string text;
  for (const auto& [pool, few_values] : result.solution.pools_without_types)
    text += fmt::format("{} buys nothing {}\n", pool, few_values);
  for (const scheduling::PoolView& view : result.input.snapshot.pools) {
    if (!view.types) continue;
    for (const model::InstanceType& type : *view.types) {
      if (type.price_overlaid || type.capacity_overlaid)
        text += fmt::format("{} {} {}\n", type.name, type.price_overlaid, type.capacity_overlaid);
    }
  }
  return text;
}

// "price bound its-steps steps digest". The bound has columns of its own, because it depends on more arithmetic than
// the plan.
std::string line_of(cli::PlanResult& result) {
  const scheduling::Bound bound = std::exchange(result.lower_bound, {});
  const std::string answer = cli::render_plan_json(cli::plan_document(result));
  return fmt::format("{}\t{}\t{}\t{}\t{:016x}", model::format_usd(result.solution.price),
                     model::format_usd(bound.price), bound.steps, result.solution.steps + result.pass.steps,
                     digest(answer + untold(result)));
}

// Empty if the scenario is about invalid input.
std::string decided(const cli::PlanOptions& options) {
  std::ostringstream err;
  Result<cli::Decision> decision = decide_plan(options, err);
  return decision ? line_of(decision->result) : std::string();
}

// The nodes that are launched for a drawn cluster, and the nodes that may be removed after that.
std::pair<std::string, std::string> decided(DrawnCluster drawn) {
  cli::PlanResult bought, gone;
  bought.input.snapshot = drawn.snapshot;
  bought.input.overlays_refused = drawn.overlays_refused;
  bought.solution = scheduling::solve(drawn.snapshot, drawn.options);
  const Status holds = scheduling::check_solution(drawn.snapshot, drawn.options, bought.solution);
  EXPECT_TRUE(holds) << holds.error().message;
  bought.lower_bound = scheduling::lower_bound(drawn.snapshot, drawn.options, bought.solution);
  gone.disrupt = true;
  gone.input.snapshot = scheduling::testing::carry_out(std::move(drawn.snapshot), bought.solution, "up-");
  disruption::Options options;
  options.solve = drawn.options;
  options.spot_to_spot = true;
  gone.pass = disruption::decide_disruption(gone.input.snapshot, options);
  return {line_of(bought), line_of(gone)};
}

std::map<std::string, std::string> decided_before() {
  std::ifstream in(TENON_SCENARIOS "/decided.tsv");
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.find('\t');
    if (!line.starts_with('#') && tab != std::string::npos) lines[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return lines;
}

TEST(Decided, EveryScenarioIsDecidedAsBefore) {
  std::filesystem::remove(TENON_DECIDED_NOW);  // of an earlier run
  const std::map<std::string, std::string> before = decided_before();
  std::map<std::string, std::string> now;
  for (const std::string_view folder : kFolders) {
    for (const std::filesystem::path file : scenario_files(TENON_SCENARIOS + ("/" + std::string(folder)))) {
      const TempFolder scratch;
      const Result<Expectation> read = read_expectation(file, scratch.path());
      ASSERT_TRUE(read) << read.error().message;
      if (std::string line = decided(read->options); !line.empty())
        now[std::string(folder) + "/" + file.stem().string()] = std::move(line);
    }
  }
  const auto decide = [&](std::string_view draw, uint64_t seed, DrawnCluster cluster) {
    const std::string name = fmt::format("drawn/{}-{:03}", draw, seed);
    SCOPED_TRACE(name);
    std::tie(now[name], now[name + "-disrupt"]) = decided(std::move(cluster));
  };
  for (const Draw& draw : kDraws) {
    for (uint64_t seed = 1; seed <= draw.count; ++seed) decide(draw.name, seed, drawn_cluster(seed, draw.sizes));
  }
  for (uint64_t seed = 1; seed <= kPacked.count; ++seed)
    decide(kPacked.name, seed, {random_cluster(seed, kPacked.sizes).cluster.build(), {}, {}});
  if (now == before) return;
  std::ofstream out(TENON_DECIDED_NOW);
  out << "# SPDX-License-Identifier: Apache-2.0\n# scenario\t$/h\tbound\tits steps\tsteps\tdigest of the answer\n";
  for (const auto& [scenario, line] : now) out << scenario << "\t" << line << "\n";
  std::string differ;
  size_t count = 0;
  for (const auto& [scenario, line] : now) {
    const auto at = before.find(scenario);
    if (at != before.end() && at->second == line) continue;
    if (++count <= kShown)
      differ += fmt::format("\n{}\n  {}\n  {}", scenario, at == before.end() ? "-" : at->second, line);
  }
  FAIL() << count << " of " << now.size() << " scenarios are decided otherwise (before, now):" << differ
         << "\nIf that is meant: cp " << TENON_DECIDED_NOW << " tests/scenarios/decided.tsv";
}

}  // namespace
}  // namespace tenon::scenarios

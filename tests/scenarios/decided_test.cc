// Every scenario's answer is the one that was written down: decided.tsv. Whatever changes a plan anywhere, or the work
// that it takes, shows there line by line, with what the plan costs. If it is meant, the file that this test leaves
// beside itself is the new one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/plan_command.h"
#include "expectation.h"

namespace tenon::scenarios {
namespace {

constexpr std::string_view kFolders[] = {"plan", "scheduling", "disruption"};
constexpr size_t kShown = 10;  // lines that differ

// FNV-1a: the same everywhere.
uint64_t digest(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// "price bound steps digest" of the answer; empty if the scenario is one of bad input. The bound has a column of its
// own: it stands behind more arithmetic than the plan does.
std::string decided(const cli::PlanOptions& options) {
  std::ostringstream err;
  Result<cli::Decision> decision = decide_plan(options, err);
  if (!decision) return {};
  cli::PlanResult& result = decision->result;
  const model::Price bound = std::exchange(result.lower_bound, {});
  const std::string answer = cli::render_plan_json(cli::plan_document(result));
  return fmt::format("{}\t{}\t{}\t{:016x}", model::format_usd(result.solution.price), model::format_usd(bound),
                     result.solution.steps, digest(answer));
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
  if (now == before) return;
  std::ofstream out(TENON_DECIDED_NOW);
  out << "# SPDX-License-Identifier: Apache-2.0\n# scenario\t$/h\tbound\tsteps\tdigest of the answer\n";
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

// The solver's benchmark: time, and as counters the price, nodes, pods placed and the memory that the process took.
//
//   solver_bench                                        google-benchmark's own flags; names are WORKLOAD/PODS
//   solver_bench --write WORKLOAD PODS FILE             the input, for the peers
//   solver_bench --judge WORKLOAD PODS                  price, lower bound and whether the plan breaks a rule, as JSON
//
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <fstream>
#include <iostream>

#include "scheduling/solver.h"
#include "workload.h"

namespace tenon::bench {
namespace {

constexpr int kMixes = 20;

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void solver(benchmark::State& state, const std::string& name, bool improved) {
  const auto pods = static_cast<size_t>(state.range(0));
  const scheduling::Snapshot snapshot = workload(name, pods);
  scheduling::SolveOptions options;
  if (!improved) options.improvement_steps = 0;
  scheduling::Solution solution;
  for (auto _ : state) solution = scheduling::solve(snapshot, options);
  state.counters["usd_per_hour"] = static_cast<double>(solution.price.value()) / model::kPicoPerUsd;
  state.counters["nodes"] = static_cast<double>(solution.new_nodes.size());
  state.counters["placed"] = static_cast<double>(pods - solution.unschedulable.size());
  state.counters["peak_mib"] = peak_mib();
}

int write_input(const std::string& name, const std::string& pods, const std::string& path) {
  std::ofstream file(path);
  file << as_json(workload(name, std::stoul(pods)));
  file.close();
  if (!file) std::cerr << path << ": cannot write\n";
  return file ? 0 : 1;
}

int judge(const std::string& name, const std::string& pods) {
  const scheduling::Snapshot snapshot = workload(name, std::stoul(pods));
  const scheduling::SolveOptions options;
  const scheduling::Solution solution = scheduling::solve(snapshot, options);
  const Status valid = scheduling::check_solution(snapshot, options, solution);
  const model::Price bound = scheduling::lower_bound(snapshot, options, solution);
  std::cout << R"({"usd_per_hour": )" << model::format_usd(solution.price) << R"(, "bound": )"
            << model::format_usd(bound) << R"(, "valid": )" << (valid ? "true" : "false") << "}\n";
  if (!valid) std::cerr << valid.error().message << "\n";
  return valid ? 0 : 1;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  using tenon::bench::kMixes;
  using tenon::bench::solver;
  if (argc == 5 && std::string(argv[1]) == "--write") return tenon::bench::write_input(argv[2], argv[3], argv[4]);
  if (argc == 4 && std::string(argv[1]) == "--judge") return tenon::bench::judge(argv[2], argv[3]);
  std::vector<std::string> names{"diverse", "preference", "apart", "plain", "fleet", "large", "existing"};
  for (int seed = 1; seed <= kMixes; ++seed) names.push_back("mix" + std::to_string(seed));
  for (const std::string& name : names) {
    for (const bool improved : {true, false}) {
      const std::string title = name + (improved ? "" : "-first-fit");
      auto* family =
          benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) { solver(state, name, improved); });
      for (const int pods : {1, 50, 100, 200, 500, 1'000, 2'000, 4'000, 5'000, 10'000, 20'000, 100'000})
        family->Arg(pods);
      family->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

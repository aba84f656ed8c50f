// The solver's benchmark.
//
//   solver_bench WORKLOAD PODS RUNS [--first-fit]   the median of so many runs, and the process' memory, as one line of
//                                                   JSON; the peers print the same
//   solver_bench --write WORKLOAD PODS FILE         the input, for the peers
//   solver_bench --judge WORKLOAD PODS              price, lower bound and whether the plan breaks a rule, as JSON; a
//                                                   bound above the price is an error
//   solver_bench --grid WORKLOAD PODS               a plan for each of five prices of a node; fails if another price's
//                                                   plan is cheaper by more than 1 %
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>

#include "scheduling/bound/lower_bound.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"
#include "workload.h"

namespace tenon::bench {
namespace {

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The processor time of this process: other work on the machine affects it less than the wall time.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int measure(const std::string& name, const std::string& pods, const std::string& runs, bool improved) {
  const scheduling::Snapshot snapshot = workload(name, std::stoul(pods));
  scheduling::SolveOptions options;
  if (!improved) options.improvement_steps = 0;
  std::vector<double> seconds, cpu;
  scheduling::Solution solution;
  for (int run = 0; run < std::stoi(runs); ++run) {
    solution = {};
    const double wall_before = wall_seconds(), cpu_before = cpu_seconds();
    solution = scheduling::solve(snapshot, options);
    seconds.push_back(wall_seconds() - wall_before);
    cpu.push_back(cpu_seconds() - cpu_before);
  }
  std::cout << R"({"seconds": )" << median(seconds) << R"(, "cpu_seconds": )" << median(cpu) << R"(, "runs": )" << runs
            << R"(, "usd_per_hour": )" << model::format_usd(solution.price) << R"(, "nodes": )"
            << solution.new_nodes.size() << R"(, "placed": )" << snapshot.pending.size() - solution.unschedulable.size()
            << R"(, "peak_mib": )" << peak_mib() << "}\n";
  return 0;
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
  const double before = cpu_seconds();
  const Status valid = scheduling::check_solution(snapshot, options, solution);
  const double check_seconds = cpu_seconds() - before;
  const double between = cpu_seconds();
  const model::Price bound = scheduling::lower_bound(snapshot, options, solution).price;
  const double bound_seconds = cpu_seconds() - between;
  std::cout << R"({"usd_per_hour": )" << model::format_usd(solution.price) << R"(, "bound": )"
            << model::format_usd(bound) << R"(, "valid": )" << (valid ? "true" : "false") << R"(, "check_seconds": )"
            << check_seconds << R"(, "bound_seconds": )" << bound_seconds << "}\n";
  if (!valid) std::cerr << valid.error().message << "\n";
  if (bound > solution.price) std::cerr << "the lower bound is above the price\n";
  return valid && bound <= solution.price ? 0 : 1;
}

constexpr std::array kNodePrices{"0", "0.0022", "0.005", "0.01", "0.02"};
constexpr double kMostOver = 0.01;

// Returns, for each node price, the cost of its own plan at that price, and the lowest cost of all these plans.
int compare_grid(const std::string& name, const std::string& pods) {
  const scheduling::Snapshot snapshot = workload(name, std::stoul(pods));
  std::vector<scheduling::Solution> plans;
  std::vector<model::Price> prices;
  for (const char* text : kNodePrices) {
    scheduling::SolveOptions options;
    options.node_price = *model::parse_price(text);
    prices.push_back(options.node_price);
    plans.push_back(scheduling::solve(snapshot, options));
  }
  double most = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const auto cost = [&](const scheduling::Solution& plan) {
      return plan.price.value() + prices[i].value() * static_cast<int64_t>(plan.new_nodes.size());
    };
    int64_t least = cost(plans[i]);
    for (const auto& plan : plans) {
      if (plan.unschedulable.size() <= plans[i].unschedulable.size()) least = std::min(least, cost(plan));
    }
    const double over = static_cast<double>(cost(plans[i])) / static_cast<double>(std::max<int64_t>(1, least)) - 1;
    most = std::max(most, over);
    std::cout << R"({"node_price": )" << kNodePrices[i] << R"(, "usd_per_hour": )" << model::format_usd(plans[i].price)
              << R"(, "nodes": )" << plans[i].new_nodes.size() << R"(, "steps": )" << plans[i].steps
              << R"(, "over_best": )" << over << "}\n";
  }
  return most <= kMostOver ? 0 : 1;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--write") == 0) return tenon::bench::write_input(argv[2], argv[3], argv[4]);
  if (argc == 4 && std::strcmp(argv[1], "--judge") == 0) return tenon::bench::judge(argv[2], argv[3]);
  if (argc == 4 && std::strcmp(argv[1], "--grid") == 0) return tenon::bench::compare_grid(argv[2], argv[3]);
  const bool first_fit = argc == 5 && std::strcmp(argv[4], "--first-fit") == 0;
  if (argc == 4 || first_fit) return tenon::bench::measure(argv[1], argv[2], argv[3], !first_fit);
  std::cerr
      << "usage: solver_bench WORKLOAD PODS RUNS [--first-fit], --write WORKLOAD PODS FILE, --judge WORKLOAD PODS, "
         "--grid WORKLOAD PODS\n";
  return 2;
}

// Disruption's benchmark.
//
//   disruption_bench CLUSTER NODES RUNS           the median of so many passes over the cluster as it is, as one line
//   disruption_bench --rounds CLUSTER NODES       passes, each carried out, until one finds nothing: price and rounds
//   disruption_bench --write CLUSTER NODES FILE   the cluster, for the peers, which print the same lines
//
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

#include "clusters.h"
#include "disruption/testing/carry_out.h"
#include "workload.h"

namespace tenon::bench {
namespace {

using disruption::testing::carry_out;
using disruption::testing::price_of;

constexpr int kMostRounds = 1'000;

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Runs a pass and measures its time.
disruption::Pass pass(const scheduling::Snapshot& snapshot, double& seconds) {
  const auto before = std::chrono::steady_clock::now();
  disruption::Pass pass = disruption::decide_disruption(snapshot, {});
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return pass;
}

int measure(const std::string& name, size_t nodes, int runs) {
  const scheduling::Snapshot snapshot = cluster(name, nodes);
  std::vector<double> seconds;
  size_t moves = 0;
  for (int run = 0; run < runs; ++run) moves = pass(snapshot, seconds.emplace_back()).moves.size();
  std::sort(seconds.begin(), seconds.end());
  std::cout << R"({"seconds": )" << seconds[seconds.size() / 2] << R"(, "runs": )" << runs << R"(, "moves": )" << moves
            << R"(, "peak_mib": )" << peak_mib() << "}\n";
  return 0;
}

int rounds(const std::string& name, size_t nodes) {
  scheduling::Snapshot snapshot = cluster(name, nodes);
  const model::Price before = price_of(snapshot);
  double seconds = 0, longest = 0;
  int count = 0;
  for (; count < kMostRounds; ++count) {
    double took = 0;
    const disruption::Pass found = pass(snapshot, took);
    seconds += took;
    longest = std::max(longest, took);
    if (found.moves.empty()) break;
    for (const disruption::Move& move : found.moves) carry_out(snapshot, move, std::to_string(count));
    std::cerr << "round " << count << ": " << found.moves.size() << " moves, " << snapshot.nodes.size() << " nodes, $"
              << model::format_usd(price_of(snapshot)) << ", " << took << " s\n";
  }
  std::cout << R"({"rounds": )" << count << R"(, "usd_per_hour_before": )" << model::format_usd(before)
            << R"(, "usd_per_hour": )" << model::format_usd(price_of(snapshot)) << R"(, "nodes": )"
            << snapshot.nodes.size() << R"(, "seconds": )" << seconds << R"(, "longest": )" << longest
            << R"(, "peak_mib": )" << peak_mib() << "}\n";
  return 0;
}

int write_input(const std::string& name, size_t nodes, const std::string& path) {
  std::ofstream file(path);
  file << as_json(cluster(name, nodes));
  file.close();
  if (!file) std::cerr << path << ": cannot write\n";
  return file ? 0 : 1;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--write") == 0)
    return tenon::bench::write_input(argv[2], std::stoul(argv[3]), argv[4]);
  if (argc == 4 && std::strcmp(argv[1], "--rounds") == 0) return tenon::bench::rounds(argv[2], std::stoul(argv[3]));
  if (argc == 4) return tenon::bench::measure(argv[1], std::stoul(argv[2]), std::stoi(argv[3]));
  std::cerr << "usage: disruption_bench CLUSTER NODES RUNS, --rounds CLUSTER NODES, --write CLUSTER NODES FILE\n";
  return 2;
}

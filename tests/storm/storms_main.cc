// storms [--seeds N] [--first SEED] [--jobs N] [--story] [--plant BUG]: runs N storms and prints what each checker
// observed and found broken. Exit code 1 if an invariant was broken, a fault never struck or an invariant never
// applied.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

#include "storm/storm.h"

namespace {

using namespace tenon::storm;

constexpr double kSlow = 2;  // seconds: a storm should be faster

struct Total {
  std::vector<std::pair<std::string, int64_t>> seen;  // by checker
  std::array<int64_t, kFaults> hits{};
  uint64_t broken_storms = 0, slow_storms = 0;
  double slowest = 0, all = 0;  // seconds
  uint64_t slowest_seed = 0;
  size_t most_nodes = 0;
};

void add(Total& total, uint64_t seed, const Outcome& outcome, double seconds) {
  bool broken = false;
  for (size_t i = 0; i < outcome.checkers.size(); ++i) {
    const Checker& checker = *outcome.checkers[i];
    if (total.seen.size() <= i) total.seen.emplace_back(checker.name(), 0);
    total.seen[i].second += checker.seen();
    for (const std::string& what : checker.broken()) {
      broken = true;
      std::cout << "seed " << seed << ": " << checker.name() << ": " << what << "\n" << std::flush;
    }
  }
  for (size_t i = 0; i < kFaults; ++i) total.hits[i] += outcome.hits[i];
  total.broken_storms += broken ? 1 : 0;
  total.all += seconds;
  total.slow_storms += seconds > kSlow ? 1 : 0;
  if (seconds > total.slowest) {
    total.slowest = seconds;
    total.slowest_seed = seed;
  }
  total.most_nodes = std::max(total.most_nodes, outcome.most_nodes);
}

int report(const Total& total, uint64_t seeds) {
  bool blind = false;
  for (const auto& [name, seen] : total.seen) {
    std::cout << fmt::format("{:>10} times {} could have been broken\n", seen, name);
    blind |= seen == 0;
  }
  for (size_t i = 0; i < kFaults; ++i) {
    std::cout << fmt::format("{:>10} hits of: {}\n", total.hits[i], to_string(static_cast<Fault>(i)));
    blind |= total.hits[i] == 0;
  }
  std::cout << fmt::format(
      "{} storms, {} broke a promise; up to {} nodes; {:.2f} s each, up to {:.2f} s (seed {}), {} over {} s\n", seeds,
      total.broken_storms, total.most_nodes, total.all / static_cast<double>(seeds), total.slowest, total.slowest_seed,
      total.slow_storms, kSlow);
  return total.broken_storms > 0 || blind ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Storms: clusters under random load and faults in virtual time.");
  uint64_t seeds = 1000, first = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool story = false;
  std::string plant;
  app.add_option("--seeds", seeds, "how many storms")->capture_default_str();
  app.add_option("--first", first, "the first seed")->capture_default_str();
  app.add_option("--jobs", jobs, "storms at a time")->capture_default_str();
  app.add_flag("--story", story, "print what happened, line by line");
  app.add_option("--plant", plant, "a bug in the controllers, such as ignore-limits");
  CLI11_PARSE(app, argc, argv);
  const auto planted = tenon::faults::parse(plant);
  if (!planted) {
    std::cerr << planted.error().message << "\n";
    return 2;
  }
  Total total;
  std::mutex mutex;
  std::atomic<uint64_t> next = first;
  const auto work = [&] {
    for (uint64_t seed = next++; seed < first + seeds; seed = next++) {
      const auto begun = std::chrono::steady_clock::now();
      const Outcome outcome = run_storm({.seed = seed, .planted = *planted});
      malloc_trim(0);  // the memory of the largest storm would be kept until the end, once for each thread
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
      const std::lock_guard lock(mutex);
      if (story) {
        for (const std::string& line : outcome.story) std::cout << line << "\n";
        std::cout << fmt::format("seed {}: trace {:016x}\n", seed, outcome.trace);
      }
      add(total, seed, outcome, took.count());
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < jobs; ++i) workers.emplace_back(work);
  workers.clear();
  return report(total, seeds);
}

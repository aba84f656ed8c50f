// solver_fuzz FIRST COUNT: compares the solver with the reference and with first-fit-decreasing, the lower bound with
// the price of plans, and passes of disruption with the best single command, on at least COUNT random clusters: nine
// for each seed from FIRST on. Stops at the first seed with a difference, with exit code 1; the seed repeats it.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <iostream>

#include "disruption/testing/single_command.h"
#include "scheduling/testing/agreement.h"

using tenon::disruption::testing::compare_half_gone;
using tenon::disruption::testing::compare_savings;
using tenon::scheduling::testing::compare_bound_volumes;
using tenon::scheduling::testing::compare_drawn;
using tenon::scheduling::testing::compare_first_fit;
using tenon::scheduling::testing::compare_random;
using tenon::scheduling::testing::compare_tied;
using tenon::scheduling::testing::compare_what_if;

constexpr tenon::scheduling::testing::RandomSizes kLarger{
    .pods = 20, .kinds = 6, .types = 6, .nodes = 3, .by_node = true};
constexpr tenon::scheduling::testing::RandomSizes kDrawn{.pods = 14, .kinds = 4, .types = 4, .pools = 3, .nodes = 3};
constexpr uint64_t kClustersOfASeed = 9;  // one for each comparison, two for `tied`

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: solver_fuzz FIRST COUNT\n";
    return 2;
  }
  const uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const uint64_t seeds = (std::strtoull(argv[2], nullptr, 10) + kClustersOfASeed - 1) / kClustersOfASeed;
  int asked = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    std::string difference;
    const auto add = [&](const char* comparison, const std::string& differs) {
      if (!differs.empty()) difference += std::string(comparison) + ": " + differs;
    };
    add("random", compare_random(seed));
    add("what if", compare_what_if(seed, asked));
    add("tied", compare_tied(seed));
    add("bound volumes", compare_bound_volumes(seed));
    add("first fit", compare_first_fit(seed, kLarger));
    add("drawn", compare_drawn(seed, kDrawn));
    add("savings", compare_savings(seed));
    add("half gone", compare_half_gone(seed));
    if (difference.empty()) continue;
    std::cout << "seed " << seed << ":\n" << difference;
    return 1;
  }
  std::cout << seeds * kClustersOfASeed << " clusters of " << seeds << " seeds from " << first
            << ": solver and reference agree\n";
  return 0;
}

// A few storms in which no promise is broken; storm_many_test.cc has more.
// SPDX-License-Identifier: Apache-2.0
#include "storm/storm.h"

#include <gtest/gtest.h>

namespace tenon::storm {
namespace {

class Storms : public testing::TestWithParam<uint64_t> {};

TEST_P(Storms, BreakNoPromise) {
  const Outcome outcome = run_storm({.seed = GetParam()});
  for (const auto& checker : outcome.checkers) {
    for (const std::string& what : checker->broken()) ADD_FAILURE() << checker->name() << ": " << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Storms, testing::Range<uint64_t>(1, 6));

}  // namespace
}  // namespace tenon::storm

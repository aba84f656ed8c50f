// The expectations of every storm without a planted bug. For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "storm/storm.h"

namespace tenon::storm {

inline void expect_invariants_hold(uint64_t seed) {
  const Outcome outcome = run_storm({.seed = seed});
  for (const auto& checker : outcome.checkers) {
    for (const std::string& what : checker->broken()) ADD_FAILURE() << checker->name() << ": " << what;
  }
}

}  // namespace tenon::storm

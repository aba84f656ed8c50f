// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/own_writes.h"

#include <gtest/gtest.h>

#include "runtime/sim.h"

namespace tenon::controllers {
namespace {

TEST(OwnWrites, AVersionIsReplacedForASecond) {
  const auto sim = runtime::make_sim_runtime({});
  OwnWrites writes(*sim);
  EXPECT_FALSE(writes.replaced("nodes//a", "7"));
  writes.note("nodes//a", "7");
  EXPECT_TRUE(writes.replaced("nodes//a", "7"));
  EXPECT_FALSE(writes.replaced("nodes//a", "8"));
  EXPECT_FALSE(writes.replaced("nodes//b", "7"));
  sim->run_for(OwnWrites::kLasts - 1ms);
  EXPECT_TRUE(writes.replaced("nodes//a", "7"));
  sim->run_for(1ms);
  EXPECT_FALSE(writes.replaced("nodes//a", "7"));
}

TEST(OwnWrites, AVersionThatWasNotedTwiceLastsFromTheFirst) {
  const auto sim = runtime::make_sim_runtime({});
  OwnWrites writes(*sim);
  writes.note("nodes//a", "7");
  sim->run_for(OwnWrites::kLasts / 2);
  writes.note("nodes//a", "7");
  writes.note("nodes//a", "8");
  sim->run_for(OwnWrites::kLasts / 2);
  EXPECT_FALSE(writes.replaced("nodes//a", "7"));
  EXPECT_TRUE(writes.replaced("nodes//a", "8"));
}

}  // namespace
}  // namespace tenon::controllers

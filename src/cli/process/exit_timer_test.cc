// SPDX-License-Identifier: Apache-2.0
#include "cli/process/exit_timer.h"

#include <gtest/gtest.h>

#include <future>

namespace tenon::cli {
namespace {

TEST(ExitTimer, TheEarliestEndCounts) {
  std::promise<std::string> ended;
  ExitTimer timer([&](const std::string& why) { ended.set_value(why); });
  timer.arm(1h, "asked to stop");
  timer.arm(1ms, "lost the lease");
  timer.arm(2h, "later");
  EXPECT_EQ(ended.get_future().get(), "lost the lease");
}

TEST(ExitTimer, AProcessThatEndsInTimeIsLeftAlone) {
  bool ended = false;
  {
    ExitTimer timer([&](const std::string&) { ended = true; });
    timer.arm(1h, "asked to stop");
  }
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace tenon::cli

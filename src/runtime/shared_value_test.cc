// The thread contract of base/shared.h, in a room whose tests run under ThreadSanitizer.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/shared.h"

namespace tenon {
namespace {

TEST(Shared, ThreadsMayEditTheirCopiesOfOneObject) {
  Shared<std::vector<int>> common;
  common.edit().push_back(0);
  const auto edit = [copy = common](int value) {
    for (int i = 0; i < 1'000; ++i) {
      Shared<std::vector<int>> mine = copy;
      mine.edit().front() = value;
      EXPECT_EQ(mine->front(), value);
    }
  };
  std::thread one(edit, 1), two(edit, 2);
  one.join();
  two.join();
  EXPECT_EQ(common->front(), 0);
}

}  // namespace
}  // namespace tenon

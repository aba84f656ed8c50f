// SPDX-License-Identifier: Apache-2.0
#include "cloud/launch_batch.h"

#include <gtest/gtest.h>

namespace tenon::cloud {
namespace {

TEST(LaunchBatch, ReadsWhatItWrites) {
  const LaunchBatch batch{"19c-0", 3, 64};
  EXPECT_EQ(parse_launch_batch(format_launch_batch(batch)), batch);
  for (const char* bad : {"", "a", "a/1", "a/1/2/3", "/0/2", "a/2/2", "a/-1/2", "a/0/65", "a/x/2", "a/0/2x"}) {
    EXPECT_FALSE(parse_launch_batch(bad)) << bad;
  }
}

TEST(LaunchBatch, MembersAreRanges) {
  const std::pair<std::vector<int>, std::string> rows[] = {
      {{0}, "0"}, {{0, 1, 2, 3, 7}, "0-3,7"}, {{1, 3, 5}, "1,3,5"}, {{2, 3}, "2-3"}};
  for (const auto& [members, text] : rows) {
    EXPECT_EQ(format_members(members), text);
    EXPECT_EQ(parse_members(text), members);
  }
  for (const char* bad : {"", "3-1", "a", "1,", "0-99"}) EXPECT_FALSE(parse_members(bad)) << bad;
}

}  // namespace
}  // namespace tenon::cloud

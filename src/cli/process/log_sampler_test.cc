// SPDX-License-Identifier: Apache-2.0
#include "cli/process/log_sampler.h"

#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

TEST(LogSampler, TheFirstLinesOfASecondAreWrittenThenEachNth) {
  LogSampler sampler({.first = 3, .every = 10});
  Instant now{};
  std::vector<int> written;
  for (int i = 1; i <= 25; ++i) {
    if (sampler.admit(log::Level::kInfo, "created nodeclaim", now)) written.push_back(i);
  }
  EXPECT_EQ(written, (std::vector{1, 2, 3, 13, 23}));
  EXPECT_TRUE(sampler.admit(log::Level::kInfo, "launched nodeclaim", now)) << "another message counts by itself";
  EXPECT_TRUE(sampler.admit(log::Level::kError, "created nodeclaim", now)) << "and another level";
  EXPECT_FALSE(sampler.admit(log::Level::kInfo, "created nodeclaim", now));
  now += kSamplingWindow;
  EXPECT_TRUE(sampler.admit(log::Level::kInfo, "created nodeclaim", now)) << "the next second begins again";
}

TEST(LogSampler, OffWritesEachLine) {
  LogSampler sampler({.first = 1, .every = 0, .off = true});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(sampler.admit(log::Level::kInfo, "one", Instant{}));
}

TEST(LogSampler, WithoutEveryOnlyTheFirstAreWritten) {
  LogSampler sampler({.first = 1, .every = 0});
  EXPECT_TRUE(sampler.admit(log::Level::kInfo, "one", Instant{}));
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(sampler.admit(log::Level::kInfo, "one", Instant{}));
}

TEST(LogSampler, ItsSettingIsAPairOrOff) {
  EXPECT_EQ(parse_sampling("5:0").value(), (Sampling{.first = 5, .every = 0}));
  EXPECT_EQ(parse_sampling("100:100").value(), Sampling{});
  EXPECT_TRUE(parse_sampling("off").value().off);
  for (const char* wrong : {"", "100", "0:1", "a:b", "1:-1", "1:2:3"}) {
    const auto read = parse_sampling(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().message,
              "log sampling \"" + std::string(wrong) + "\": must be off or FIRST:EVERY, such as 100:100");
  }
}

}  // namespace
}  // namespace tenon::cli

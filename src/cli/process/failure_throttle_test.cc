// SPDX-License-Identifier: Apache-2.0
#include "cli/process/failure_throttle.h"

#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

const Instant kNow{Duration(1h)};
const Error kUnreachable{Code::kUnavailable, "ec2: no connection"};

TEST(FailureThrottle, ObjectsShareALineWhileAPeerDoesNotAnswer) {
  FailureThrottle throttle;
  size_t lines = 0, left_out = 0;
  constexpr int kSeconds = 120, kObjects = 20;
  for (int second = 0; second < kSeconds; ++second) {
    for (int i = 0; i < kObjects; ++i) {
      const Error error{Code::kUnavailable, "claim " + std::to_string(i) + ": no connection"};
      const auto admitted = throttle.admit("lifecycle", std::to_string(i), error, kNow + second * 1s);
      if (!admitted) continue;
      ++lines;
      left_out += *admitted;
    }
  }
  EXPECT_EQ(lines, kSeconds * 1s / kFailureRepeat);
  EXPECT_EQ(left_out, 3u * (30 * kObjects - 1));
}

TEST(FailureThrottle, WhatConcernsOneObjectHasALineOfItsOwn) {
  FailureThrottle throttle;
  const Error invalid{Code::kInvalid, "spec.subnets: empty"};
  EXPECT_EQ(throttle.admit("nodeclass", "a", invalid, kNow), 0u);
  EXPECT_EQ(throttle.admit("nodeclass", "b", invalid, kNow), 0u);
  EXPECT_EQ(throttle.admit("nodeclass", "a", {Code::kInvalid, "spec.role: empty"}, kNow), 0u);
  EXPECT_EQ(throttle.admit("nodeclass", "a", invalid, kNow + 1s), std::nullopt);
  EXPECT_EQ(throttle.admit("nodeclass", "a", invalid, kNow + kFailureRepeat), 1u);
  EXPECT_EQ(throttle.admit("lifecycle", "a", kUnreachable, kNow), 0u);
  EXPECT_EQ(throttle.admit("nodeclass", "a", kUnreachable, kNow), 0u);
}

TEST(FailureThrottle, RemembersABoundedNumber) {
  FailureThrottle throttle;
  for (size_t i = 0; i < 3 * kMaxFailuresRemembered; ++i) {
    EXPECT_EQ(throttle.admit("nodeclass", std::to_string(i), {Code::kInvalid, "empty"}, kNow), 0u);
  }
}

}  // namespace
}  // namespace tenon::cli

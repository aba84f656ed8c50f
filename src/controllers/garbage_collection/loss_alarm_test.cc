// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/loss_alarm.h"

#include <gtest/gtest.h>

namespace tenon::controllers::garbage_collection {
namespace {

TEST(LossAlarm, WhenManyGoWithinAWhile) {
  LossAlarm alarm;
  const Instant now{};
  EXPECT_FALSE(alarm.record_loss("a", now));
  EXPECT_FALSE(alarm.record_loss("b", now)) << "of another NodePool";
  EXPECT_FALSE(alarm.record_loss("a", now + 5min));
  EXPECT_FALSE(alarm.record_loss("a", now + 11min)) << "the first is long ago";
  EXPECT_TRUE(alarm.record_loss("a", now + 12min));
  EXPECT_FALSE(alarm.record_loss("a", now + 13min)) << "it was said";
  EXPECT_TRUE(alarm.record_loss("a", now + 22min)) << "it goes on";
}

}  // namespace
}  // namespace tenon::controllers::garbage_collection

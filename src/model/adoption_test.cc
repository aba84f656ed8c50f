// SPDX-License-Identifier: Apache-2.0
#include "model/adoption.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::model {
namespace {

const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");

TEST(Adoption, IsRecordedOnce) {
  ObjectMeta claim;
  EXPECT_FALSE(adoption_of(claim, kNow)->recorded);
  EXPECT_EQ(adoption_of(claim, kNow)->at, kNow);
  mark_adopted(claim, kNow);
  EXPECT_EQ(lookup(claim.annotations, "tenon.dev/adopted-at"), "2026-09-01T12:00:00Z");
  mark_adopted(claim, kNow + 1h);
  const auto adoption = adoption_of(claim, kNow + 2h);
  ASSERT_TRUE(adoption);
  EXPECT_TRUE(adoption->recorded);
  EXPECT_EQ(adoption->at, kNow);
}

TEST(Adoption, OfANodeThatTenonLaunchedDoesNotExist) {
  ObjectMeta claim;
  mark_launched_by_tenon(claim);
  EXPECT_EQ(lookup(claim.annotations, "tenon.dev/launched-by"), "tenon");
  EXPECT_FALSE(adoption_of(claim, kNow));
  mark_adopted(claim, kNow);
  EXPECT_EQ(claim.annotations.size(), 1u);
}

TEST(Adoption, WithoutAValidTimeIsNow) {
  for (const char* text : {"", "yesterday", "2026-09-01", "1788264000"}) {
    ObjectMeta claim;
    claim.annotations[std::string(kAnnotationAdoptedAt)] = text;
    EXPECT_EQ(adoption_of(claim, kNow)->at, kNow) << text;
    mark_adopted(claim, kNow);
    EXPECT_EQ(lookup(claim.annotations, kAnnotationAdoptedAt), "2026-09-01T12:00:00Z") << text;
  }
}

}  // namespace
}  // namespace tenon::model

// SPDX-License-Identifier: Apache-2.0
#include "controllers/claims/batches.h"

#include <gtest/gtest.h>

#include "cloud/launch_batch.h"
#include "model/labels.h"

namespace tenon::controllers::claims {
namespace {

model::NodeClaim of(const std::string& pool, int64_t millicores) {
  model::NodeClaim claim;
  claim.meta.generate_name = pool + "-";
  claim.requests = {{"cpu", millicores}};
  return claim;
}

std::vector<std::string> marks_of(std::vector<model::NodeClaim> claims) {
  std::vector<model::NodeClaim*> pointers;
  for (model::NodeClaim& claim : claims) pointers.push_back(&claim);
  mark_batches(pointers, pass_id("x", Instant(Duration(7))));
  std::vector<std::string> marks;
  for (const model::NodeClaim& claim : claims) {
    marks.emplace_back(model::lookup(claim.meta.annotations, cloud::kAnnotationLaunchBatch));
  }
  return marks;
}

TEST(LaunchBatches, EqualClaimsOfAPass) {
  EXPECT_EQ(marks_of({of("a", 1), of("b", 1), of("a", 1), of("a", 2), of("b", 1)}),
            (std::vector<std::string>{"x-7-0/0/2", "x-7-1/0/2", "x-7-0/1/2", "", "x-7-1/1/2"}));
}

TEST(LaunchBatches, AreNotTooLarge) {
  const auto marks = marks_of(std::vector(static_cast<size_t>(cloud::kMaxLaunchBatch) + 3, of("a", 1)));
  EXPECT_EQ(marks[63], "x-7-0/63/64");
  EXPECT_EQ(marks[64], "x-7-1/0/3");
}

}  // namespace
}  // namespace tenon::controllers::claims

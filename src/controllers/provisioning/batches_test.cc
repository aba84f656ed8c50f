// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/batches.h"

#include <gtest/gtest.h>

#include "cloud/launch_batch.h"
#include "model/labels.h"

namespace tenon::controllers::provisioning {
namespace {

Purchase of(const std::string& pool, int64_t millicores) {
  Purchase out{nullptr, {}, {}};
  out.claim.meta.generate_name = pool + "-";
  out.claim.requests = {{"cpu", millicores}};
  return out;
}

std::string mark_of(const Purchase& purchase) {
  return std::string(model::lookup(purchase.claim.meta.annotations, cloud::kAnnotationLaunchBatch));
}

TEST(LaunchBatches, EqualClaimsOfAPass) {
  std::vector<Purchase> purchases = {of("a", 1), of("b", 1), of("a", 1), of("a", 2), of("b", 1)};
  mark_batches(purchases, Instant(Duration(7)));
  std::vector<std::string> marks;
  for (const Purchase& purchase : purchases) marks.push_back(mark_of(purchase));
  EXPECT_EQ(marks, (std::vector<std::string>{"7-0/0/2", "7-1/0/2", "7-0/1/2", "", "7-1/1/2"}));
}

TEST(LaunchBatches, AreNotTooLarge) {
  std::vector<Purchase> purchases(static_cast<size_t>(cloud::kMaxLaunchBatch) + 3, of("a", 1));
  mark_batches(purchases, Instant(Duration(7)));
  EXPECT_EQ(mark_of(purchases[63]), "7-0/63/64");
  EXPECT_EQ(mark_of(purchases[64]), "7-1/0/3");
}

}  // namespace
}  // namespace tenon::controllers::provisioning

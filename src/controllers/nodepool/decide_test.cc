// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodepool/decide.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/labels.h"
#include "model/structural_hash.h"
#include "model/testing/builders.h"

namespace tenon::controllers::nodepool {
namespace {

const std::string kHash(model::kAnnotationNodePoolHash), kVersion(model::kAnnotationNodePoolHashVersion);

struct Row {
  const char* why;
  const char* version;
  bool drifted;
  const char* hash_after;
};

TEST(NodePoolStamps, AClaimHasTheHashOfItsPool) {
  for (const Row& row : std::vector<Row>{
           {"of an earlier version", "v2", false, "new"},
           {"without a version", "", false, "new"},
           {"drifted: what it was launched from is not what is wanted", "v2", true, "old"},
       }) {
    model::NodeClaim claim;
    claim.meta.annotations[kHash] = "old";
    if (*row.version) claim.meta.annotations[kVersion] = row.version;
    if (row.drifted) claim.conditions.push_back({"Drifted", "True", "NodePoolDrifted", "", Instant()});
    EXPECT_FALSE(stamped(claim.meta)) << row.why;
    const plan::Plan plan = restamp(claim, "new");
    ASSERT_EQ(plan.actions.size(), 1u) << row.why;
    const model::NodeClaim& after = std::get<plan::PatchNodeClaim>(plan.actions.front()).after;
    EXPECT_EQ(model::lookup(after.meta.annotations, kHash), row.hash_after) << row.why;
    EXPECT_TRUE(stamped(after.meta)) << row.why;
    EXPECT_TRUE(restamp(after, row.hash_after).actions.empty()) << row.why;
  }
}

// Beside a stamped pool, a claim with an earlier version would never drift.
TEST(NodePoolStamps, ThePoolIsStampedAfterItsClaims) {
  View view;
  view.pool = model::testing::PoolBuilder("default").build();
  view.pool.meta.annotations.clear();
  for (const bool ready : {false, true}) {
    view.claims_stamped = ready;
    const plan::Plan plan = decide(view);
    const auto* patch = plan::find<plan::PatchNodePool>(plan);
    ASSERT_TRUE(patch);
    EXPECT_EQ(stamped(patch->after.meta), ready);
    EXPECT_EQ(model::lookup(patch->after.meta.annotations, kHash), ready ? model::node_pool_hash(view.pool) : "");
  }
}

}  // namespace
}  // namespace tenon::controllers::nodepool

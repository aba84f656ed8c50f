// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeclass/stamps.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/labels.h"

namespace tenon::controllers::nodeclass {
namespace {

struct Row {
  const char* why;
  const char* node_class;
  const char* version;
  bool launched, drifted, deleting;
  const char* hash_after;  // null: nothing is written
};

TEST(ClassStamps, GoToClaimsWhoseHashDoesNotCompare) {
  for (const Row& row : std::vector<Row>{
           {"of Karpenter", "default", "v5", true, false, false, "new"},
           {"of nobody", "default", "", true, false, false, "new"},
           {"drifted: what it was launched from is not what is wanted", "default", "v5", true, true, false, "old"},
           {"current", "default", "tenon9", true, false, false, nullptr},
           {"of another class", "other", "v5", true, false, false, nullptr},
           {"not launched yet: the launch says", "default", "", false, false, false, nullptr},
           {"it goes", "default", "v5", true, false, true, nullptr},
       }) {
    model::NodeClaim claim;
    claim.meta.name = "c1";
    claim.node_class_ref.name = row.node_class;
    auto& annotations = claim.meta.annotations;
    annotations[std::string(model::kAnnotationNodeClassHash)] = "old";
    if (*row.version) annotations[std::string(model::kAnnotationNodeClassHashVersion)] = row.version;
    if (row.launched) claim.conditions.push_back({"Launched", "True", "Launched", "", Instant()});
    if (row.drifted) claim.conditions.push_back({"Drifted", "True", "AMIDrift", "", Instant()});
    if (row.deleting) claim.meta.deleted_at = Instant(1s);
    const ClassHash now{"default", "new", "tenon9"};
    ASSERT_EQ(needs_stamp(now, claim), row.hash_after != nullptr) << row.why;
    if (!row.hash_after) continue;
    const plan::Plan plan = decide_stamp(now, claim);
    ASSERT_EQ(plan.actions.size(), 1u) << row.why;
    const auto& after = std::get<plan::PatchNodeClaim>(plan.actions.front()).after.meta.annotations;
    EXPECT_EQ(model::lookup(after, model::kAnnotationNodeClassHash), row.hash_after) << row.why;
    EXPECT_EQ(model::lookup(after, model::kAnnotationNodeClassHashVersion), "tenon9") << row.why;
  }
}

}  // namespace
}  // namespace tenon::controllers::nodeclass

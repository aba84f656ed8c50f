// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeoverlay/decide.h"

#include <gtest/gtest.h>

namespace tenon::controllers::nodeoverlay {
namespace {

model::NodeOverlay overlay(const std::string& name) {
  model::NodeOverlay o;
  o.meta.name = name;
  o.meta.generation = 1;
  return o;
}

TEST(NodeOverlayStatus, SaysWhoIsInForceAndWhyOthersAreNot) {
  model::NodeOverlay going = overlay("going");
  going.meta.deleted_at = Instant{};
  const plan::Plan plan =
      decide({overlay("good"), overlay("bad"), overlay("second"), going},
             {{"bad", "spec.price: wrong"}, {"second", "conflict with another overlay"}}, Instant{Duration(1h)});
  ASSERT_EQ(plan.actions.size(), 3u);
  struct Row {
    const char *ready, *validated, *reason;
  };
  const Row rows[] = {
      {"True", "True", "ValidationSucceeded"}, {"False", "False", "RuntimeValidation"}, {"False", "False", "Conflict"}};
  for (size_t i = 0; i < 3; ++i) {
    const auto& after = std::get<plan::PatchNodeOverlay>(plan.actions[i]).after;
    EXPECT_EQ(model::find_condition(after.conditions, "Ready")->status, rows[i].ready) << after.meta.name;
    const auto* validated = model::find_condition(after.conditions, "ValidationSucceeded");
    EXPECT_EQ(validated->status, rows[i].validated) << after.meta.name;
    EXPECT_EQ(validated->reason, rows[i].reason) << after.meta.name;
    EXPECT_TRUE(
        decide({after},
               i == 0 ? std::map<std::string, std::string>{}
                      : std::map<std::string, std::string>{{after.meta.name, i == 1 ? "spec.price: wrong"
                                                                                    : "conflict with another overlay"}},
               Instant{Duration(2h)})
            .actions.empty())
        << after.meta.name;
  }
}

}  // namespace
}  // namespace tenon::controllers::nodeoverlay

// SPDX-License-Identifier: Apache-2.0
#include "controllers/freeze/decide.h"

#include <gtest/gtest.h>

namespace tenon::controllers::freeze {
namespace {

View view(bool disruption, bool launches, const std::string& why = "incident 7", const std::string& fault = "") {
  auto object = std::make_shared<model::Freeze>();
  object->meta.name = "tenon-freeze";
  object->meta.ns = "karpenter";
  object->fault = fault;
  return {{disruption, launches, false, "by ConfigMap karpenter/tenon-freeze (" + why + ")"}, object};
}

struct Case {
  const char* what;
  View before, now;
  const char* event;  // "type reason"; empty: none
  const char* line;   // of the log, and the event's message; empty: none
};

TEST(DecideFreeze, ReportsEveryChangeOnce) {
  const View none, unknown{{true, true, true, "until it is known: list configmaps: forbidden"}, nullptr};
  const Case cases[] = {
      {"nothing happens", none, none, "", ""},
      {"the same again", view(true, false), view(true, false), "", ""},
      {"disruption", none, view(true, false), "Normal Frozen",
       "voluntary disruption is frozen by ConfigMap karpenter/tenon-freeze (incident 7)"},
      {"launches", none, view(false, true), "Normal Frozen",
       "launches are frozen by ConfigMap karpenter/tenon-freeze (incident 7)"},
      {"more", view(true, false), view(true, true), "Normal Frozen",
       "voluntary disruption and launches are frozen by ConfigMap karpenter/tenon-freeze (incident 7)"},
      {"a wrong key", none, view(true, true, "data.x is wrong", "data.x is wrong"), "Warning FreezeInvalid",
       "voluntary disruption and launches are frozen by ConfigMap karpenter/tenon-freeze (data.x is wrong)"},
      {"deleted", view(true, true), none, "Normal Thawed", "voluntary disruption and launches are not frozen any more"},
      {"not known", none, unknown, "",
       "voluntary disruption and launches are frozen until it is known: list configmaps: forbidden"},
      {"known again", unknown, none, "", "voluntary disruption and launches are not frozen any more"},
  };
  for (const Case& c : cases) {
    const plan::Plan plan = decide(c.before, c.now);
    const auto* event = plan::find<plan::RecordEvent>(plan);
    EXPECT_EQ(event ? event->type + " " + event->reason : "", c.event) << c.what;
    EXPECT_EQ(plan.log.empty() ? "" : plan.log.front().message, c.line) << c.what;
    if (!event) continue;
    EXPECT_EQ(event->message, c.line) << c.what;
    EXPECT_EQ(event->about.kind + " " + event->about.ns + "/" + event->about.name, "ConfigMap karpenter/tenon-freeze");
  }
}

}  // namespace
}  // namespace tenon::controllers::freeze

// SPDX-License-Identifier: Apache-2.0
#include "controllers/watchdog/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/wired.h"

namespace tenon::controllers::watchdog {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Instant kNow(1'000'000s);

TEST(WatchdogReport, NamesWhatLastsTheOldestFirst) {
  EXPECT_THAT(report({{"NodeClaim", "c1", "has no provider id yet", kNow - 31s},
                      {"Pod", "", "list pods: HTTP 403", kNow - 2min},
                      {"NodeClaim", "c2", "has no provider id yet", kNow - 29s}},
                     kNow),
              ElementsAre("Pod, for 2m0s: list pods: HTTP 403", "NodeClaim c1, for 31s: has no provider id yet"));
  const state::Obstacle stuck{"NodeClaim", "c", "is stuck", kNow - 1h};
  const auto lines = report(std::vector<state::Obstacle>(kMaxLines + 3, stuck), kNow);
  ASSERT_EQ(lines.size(), kMaxLines + 1);
  EXPECT_EQ(lines.back(), "and 3 other(s)");
}

class WatchdogTest : public ::testing::Test {
 protected:
  void run(Duration span) {
    if (!started_) {
      wired_.events.start();
      wired_.cluster.start();
      watchdog_.start();
    }
    started_ = true;
    wired_.sim->run_for(span);
  }

  controllers::testing::Wired wired_;
  Controller watchdog_{wired_.context, wired_.registry};
  bool started_ = false;
};

TEST_F(WatchdogTest, AKindThatIsMissingIsReportedEveryHalfMinute) {
  wired_.api.forget_kind("/apis/karpenter.sh/v1/nodeclaims", true);
  run(29s);
  EXPECT_TRUE(wired_.log->failures().empty());
  run(62s);
  ASSERT_EQ(wired_.log->failures().size(), 3u);
  EXPECT_EQ(wired_.log->failures()[0],
            "state: the cluster's state is incomplete: NodeClaim, for 30s: list nodeclaims: the server could not find "
            "the requested resource (is the CustomResourceDefinition installed?)");
  const std::string text = wired_.registry.text();
  EXPECT_THAT(text, HasSubstr("karpenter_cluster_state_synced 0\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_cluster_state_unsynced_time_seconds 91\n"));
  EXPECT_THAT(text, HasSubstr("tenon_cluster_state_blocked_seconds{kind=\"NodeClaim\",name=\"\"} 91\n"));
  wired_.api.forget_kind("/apis/karpenter.sh/v1/nodeclaims", false);
  run(2min);
  const size_t told = wired_.log->failures().size();
  run(10min);
  EXPECT_EQ(wired_.log->failures().size(), told);
  const std::string later = wired_.registry.text();
  EXPECT_THAT(later, AllOf(HasSubstr("karpenter_cluster_state_synced 1\n"),
                           HasSubstr("karpenter_cluster_state_unsynced_time_seconds 0\n")));
  EXPECT_THAT(later, Not(HasSubstr("tenon_cluster_state_blocked_seconds{")));
}

TEST_F(WatchdogTest, AClaimThatHoldsUpTheStateIsNamed) {
  wired_.api.put("/apis/karpenter.sh/v1/nodeclaims",
                 R"({"metadata":{"name":"c1","creationTimestamp":")" + format_rfc3339(wired_.sim->now()) +
                     R"("},"spec":{"requirements":[]},"status":{"conditions":[{"type":"Launched","status":"Unknown",)" +
                     R"("message":"no capacity"}]}})");
  run(31s);
  ASSERT_EQ(wired_.log->failures().size(), 1u);
  EXPECT_THAT(wired_.log->failures()[0], HasSubstr("NodeClaim c1, for 30s: has no provider id yet: no capacity"));
  EXPECT_THAT(wired_.registry.text(),
              HasSubstr("tenon_cluster_state_blocked_seconds{kind=\"NodeClaim\",name=\"c1\"} 31"));
  EXPECT_THAT(wired_.registry.text(), HasSubstr("karpenter_cluster_state_synced 1\n"));
  model::NodeClaim created;
  created.meta.name = "c2";
  wired_.ledger.expect(created);
  EXPECT_THAT(wired_.registry.text(), AllOf(HasSubstr("karpenter_cluster_state_synced 0\n"),
                                            HasSubstr("karpenter_cluster_state_unsynced_time_seconds 0\n")))
      << "the open launch holds up nothing";
}

TEST_F(WatchdogTest, AnUnreadableObjectIsToldOnce) {
  wired_.api.put("/api/v1/pods", R"({"metadata":{"namespace":"ns","name":"a"},"spec":{"priority":"high"}})");
  run(5min);
  EXPECT_THAT(wired_.log->failures(),
              ElementsAre("state ns/a: Pod ns/a cannot be read: spec.priority: must be an integer, not "
                          "\"high\""));
  ASSERT_EQ(wired_.api.count("/api/v1/events"), 1u);
  const std::string text = wired_.registry.text();
  EXPECT_THAT(text, HasSubstr("tenon_unreadable_objects{kind=\"Pod\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tenon_unreadable_objects_total{kind=\"Pod\"} 1\n"));
  wired_.api.put("/api/v1/pods", R"({"metadata":{"namespace":"ns","name":"a"},"spec":{}})");
  run(1s);
  EXPECT_THAT(wired_.registry.text(), Not(HasSubstr("tenon_unreadable_objects{")));
}

}  // namespace
}  // namespace tenon::controllers::watchdog

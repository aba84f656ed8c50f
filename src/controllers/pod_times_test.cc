// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::controllers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Instant at(int second) { return Instant(std::chrono::seconds(1000 + second)); }

model::Pod pending() {
  model::Pod pod;
  pod.meta.ns = "default";
  pod.meta.name = "web";
  pod.meta.created_at = at(0);
  pod.conditions = {{.type = "PodScheduled", .status = "False", .reason = "Unschedulable"}};
  return pod;
}

model::Pod bound(int second) {
  model::Pod pod = pending();
  pod.node_name = "n1";
  pod.conditions = {{.type = "PodScheduled", .status = "True", .last_transition = at(second)}};
  return pod;
}

model::Pod ready(int second) {
  model::Pod pod = bound(second - 1);
  pod.phase = "Running";
  pod.conditions.push_back({.type = "Ready", .status = "True", .last_transition = at(second)});
  return pod;
}

class PodTimesTest : public ::testing::Test {
 protected:
  void change(const model::Pod& pod, int second) { times_.changed("default/web", &pod, at(second)); }
  std::string text(int second) {
    times_.show(at(second));
    std::string out = registry_.text();
    times_.hide();
    return out;
  }
  metrics::Registry registry_;
  PodTimes times_{registry_};
};

TEST_F(PodTimesTest, FromTheCreationToReady) {
  change(pending(), 1);
  EXPECT_THAT(text(3), HasSubstr("undecided_time_seconds{name=\"web\",namespace=\"default\"} 2\n"));
  times_.decided("default/web", false, at(4));
  times_.decided("default/web", true, at(6));
  times_.decided("default/web", true, at(8));
  const std::string waiting = text(10);
  EXPECT_THAT(waiting, Not(HasSubstr("undecided")));
  EXPECT_THAT(waiting, HasSubstr("karpenter_pods_unbound_time_seconds{name=\"web\",namespace=\"default\"} 10\n"));
  EXPECT_THAT(waiting, HasSubstr("provisioning_unbound_time_seconds{name=\"web\",namespace=\"default\"} 4\n"));
  change(bound(20), 21);
  const std::string starting = text(25);
  EXPECT_THAT(starting, Not(HasSubstr("unbound")));
  EXPECT_THAT(starting, HasSubstr("karpenter_pods_unstarted_time_seconds{name=\"web\",namespace=\"default\"} 25\n"));
  EXPECT_THAT(starting, HasSubstr("provisioning_unstarted_time_seconds{name=\"web\",namespace=\"default\"} 19\n"));
  change(ready(30), 31);
  const std::string done = text(40);
  for (const char* line :
       {"karpenter_pods_scheduling_decision_duration_seconds_sum 3\n", "karpenter_pods_bound_duration_seconds_sum 20\n",
        "karpenter_pods_provisioning_bound_duration_seconds_sum 14\n",
        "karpenter_pods_provisioning_startup_duration_seconds_sum 24\n",
        "karpenter_pods_startup_duration_seconds{quantile=\"0.5\"} 30\n"}) {
    EXPECT_THAT(done, HasSubstr(line));
  }
  EXPECT_THAT(done, Not(HasSubstr("unstarted")));
  EXPECT_EQ(times_.waiting(), 0u);
}

TEST_F(PodTimesTest, APodThatAlreadyRunsIsNotMeasured) {
  change(ready(30), 500);
  EXPECT_EQ(times_.waiting(), 0u);
  EXPECT_THAT(text(501), HasSubstr("karpenter_pods_startup_duration_seconds_count 0\n"));
}

TEST_F(PodTimesTest, APodThatIsGoneOrHasEndedLeavesNothing) {
  change(pending(), 1);
  times_.changed("default/web", nullptr, at(2));
  EXPECT_EQ(times_.waiting(), 0u);
  change(pending(), 3);
  model::Pod failed = bound(4);
  failed.phase = "Failed";
  change(failed, 5);
  EXPECT_EQ(times_.waiting(), 0u);
  times_.decided("default/web", true, at(6));
  EXPECT_EQ(times_.waiting(), 0u);
}

}  // namespace
}  // namespace tenon::controllers

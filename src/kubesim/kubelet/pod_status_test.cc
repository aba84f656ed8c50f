// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/pod_status.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <string>

#include "json/json.h"

namespace tenon::kubesim {
namespace {

json::value a_pod() {
  return json::value{{"metadata", {{"name", "web"}, {"uid", "u-1"}}},
                     {"spec", {{"containers", json::array{json::object{{"name", "app"}, {"image", "nginx"}}}}}}};
}

// A patch can remove the status of a pod. The API server rejects text there, but the kubelet does not rely on that.
class APodWithoutStatus : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (*GetParam()) pod_.as_object()["status"] = json::parse(GetParam()).value();
  }

  json::value pod_ = a_pod();
  const PodPlace place_{"10.0.0.1", "10.0.1.1"};
};

TEST_P(APodWithoutStatus, IsCreated) {
  ASSERT_TRUE(set_creating(pod_, place_, Instant{}));
  EXPECT_EQ(json::string_at(pod_, {"status", "phase"}), "Pending");
  EXPECT_EQ(json::string_at(pod_, {"status", "hostIP"}), "10.0.0.1");
}

TEST_P(APodWithoutStatus, Runs) {
  ASSERT_TRUE(set_running(pod_, place_, Instant{}));
  EXPECT_EQ(json::string_at(pod_, {"status", "phase"}), "Running");
  EXPECT_EQ(json::string_at(pod_, {"status", "podIP"}), "10.0.1.1");
  EXPECT_EQ(json::array_at(pod_, {"status", "containerStatuses"}).size(), 1u);
}

TEST_P(APodWithoutStatus, Ends) {
  ASSERT_TRUE(set_ended(pod_, true, Instant{}));
  EXPECT_EQ(json::string_at(pod_, {"status", "phase"}), "Succeeded");
}

std::string name_of_value(const testing::TestParamInfo<const char*>& info) {
  return std::array{"Absent", "Null", "Text"}.at(info.index);
}
INSTANTIATE_TEST_SUITE_P(Values, APodWithoutStatus, testing::Values("", "null", R"("lost")"), name_of_value);

}  // namespace
}  // namespace tenon::kubesim

// SPDX-License-Identifier: Apache-2.0
#include "state/freeze_watch.h"

#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
#include "runtime/sim.h"

namespace tenon::state {
namespace {

constexpr const char* kConfigMaps = "/api/v1/configmaps";

class FreezeWatchTest : public testing::Test {
 protected:
  static std::string object(const std::string& data, const std::string& name = "tenon-freeze") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"karpenter"},"data":{)" + data + "}}";
  }
  bool until(const std::function<bool()>& done, Duration at_most) { return sim_->run_until(done, at_most); }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  kube::testing::FakeApi api_{*sim_};
  std::unique_ptr<http::Transport> transport_ = http::make_loopback_transport({{"api", &api_}});
  std::unique_ptr<kube::Client> client_ = kube::make_client(*sim_, *transport_, {.server = "http://api"});
  FreezeWatch watch_{*sim_, *client_, "karpenter"};
};

TEST_F(FreezeWatchTest, BeforeTheFirstListEverythingIsStopped) {
  EXPECT_TRUE(watch_.frozen().disruption && watch_.frozen().launches && watch_.frozen().unknown);
  api_.fail_next(3, 403);
  watch_.start();
  sim_->run_for(1s);
  EXPECT_TRUE(watch_.frozen().disruption && watch_.frozen().launches) << "a missing permission is no permission";
  EXPECT_NE(watch_.not_ready().find("ConfigMap karpenter/tenon-freeze: list configmaps"), std::string::npos)
      << watch_.not_ready();
  ASSERT_TRUE(until([&] { return watch_.synced(); }, 1min));
  EXPECT_EQ(watch_.frozen(), Frozen());
  EXPECT_EQ(watch_.not_ready(), "");
}

TEST_F(FreezeWatchTest, FollowsTheObject) {
  int changes = 0;
  watch_.on_change([&] { ++changes; });
  watch_.start();
  ASSERT_TRUE(until([&] { return watch_.synced(); }, 1min));
  sim_->run_for(10s);
  api_.put(kConfigMaps, object(R"("launches":"true","reason":"incident 7")"));
  ASSERT_TRUE(until([&] { return watch_.frozen().launches; }, 5s));
  EXPECT_EQ(watch_.frozen(), (Frozen{false, true, false, "by ConfigMap karpenter/tenon-freeze (incident 7)"}));
  api_.put(kConfigMaps, object(R"("launch":"true")"));
  ASSERT_TRUE(until([&] { return watch_.frozen().disruption; }, 5s)) << "an unknown key stops both";
  EXPECT_TRUE(watch_.frozen().launches);
  EXPECT_NE(watch_.frozen().by.find("data.launch: unknown key"), std::string::npos) << watch_.frozen().by;
  api_.remove(kConfigMaps, "karpenter/tenon-freeze");
  ASSERT_TRUE(until([&] { return watch_.frozen() == Frozen(); }, 5s));
  EXPECT_EQ(changes, 3);
}

TEST_F(FreezeWatchTest, AskedForThisOneObject) {
  watch_.start();
  sim_->run_for(1s);
  EXPECT_EQ(api_.requests_with("/api/v1/namespaces/karpenter/configmaps?"), api_.requests().size());
  EXPECT_EQ(api_.requests_with("fieldSelector=metadata.name%3Dtenon-freeze"), api_.requests().size());
}

TEST_F(FreezeWatchTest, AWatchThatIsLostCountsAsAFreezeAfterAMoment) {
  watch_.start();
  ASSERT_TRUE(until([&] { return watch_.synced(); }, 1min));
  sim_->run_for(10s);
  api_.end_watches();
  for (int i = 0; i < 50; ++i) {
    sim_->run_for(100ms);
    EXPECT_EQ(watch_.frozen(), Frozen()) << "the server ends watches regularly";
  }
  api_.fail_next(6, 403);
  api_.end_watches();
  sim_->run_for(5s);
  EXPECT_TRUE(watch_.frozen().disruption && watch_.frozen().launches && watch_.frozen().unknown);
  EXPECT_NE(watch_.frozen().by.find("until it is known: ConfigMap karpenter/tenon-freeze"), std::string::npos);
  ASSERT_TRUE(until([&] { return watch_.frozen() == Frozen(); }, 2min)) << watch_.frozen().by;
}

}  // namespace
}  // namespace tenon::state

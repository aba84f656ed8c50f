// Controllers that wait for a NodeClaim that is unreadable, over the wire to the API server.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/controller.h"

#include <gtest/gtest.h>

#include "controllers/repair/controller.h"
#include "controllers/testing/wired.h"

namespace tenon::controllers::termination {
namespace {

constexpr const char* kClaims = "/apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPods = "/api/v1/pods";

class OfAnUnreadableClaim : public ::testing::Test {
 protected:
  OfAnUnreadableClaim() { put_claim(R"("none")"); }

  void put_claim(const std::string& requirements) {
    wired_.api.put(kClaims, R"({"metadata":{"name":"c1","labels":{"karpenter.sh/nodepool":"default"}},)"
                            R"("spec":{"requirements":)" +
                                requirements + R"(},"status":{"providerID":"aws:///a/i-1","nodeName":"n1"}})");
  }
  // `more`: of the metadata and the status.
  void put_node(const std::string& metadata, const std::string& status) {
    wired_.api.put(kNodes, R"({"metadata":{"name":"n1","labels":{"karpenter.sh/nodepool":"default"})" + metadata +
                               R"(},"spec":{"providerID":"aws:///a/i-1"},"status":)" + status + "}");
  }
  template <class Started>
  void start(Started& controller) {
    wired_.events.start();
    wired_.cluster.start();
    controller.start();
    wired_.sim->run_for(1h);
  }

  controllers::testing::Wired wired_;
};

TEST_F(OfAnUnreadableClaim, ADrainGoesOnOnceTheClaimCanBeRead) {
  put_node(R"(,"finalizers":["karpenter.sh/termination"],"deletionTimestamp":"2026-01-01T00:00:00Z")",
           R"({"conditions":[{"type":"Ready","status":"True"}]})");
  wired_.api.put(kPods, R"({"metadata":{"name":"p","namespace":"default","uid":"u"},"spec":{"nodeName":"n1",)"
                        R"("containers":[{"name":"a"}]},"status":{"phase":"Running"}})");
  Controller controller(wired_.context, wired_.cloud);
  start(controller);
  EXPECT_EQ(wired_.api.requests_with("/eviction"), 0u);
  put_claim("[]");
  wired_.sim->run_for(1s);
  EXPECT_GT(wired_.api.requests_with("/eviction"), 0u);
}

TEST_F(OfAnUnreadableClaim, ASickNodeIsRepairedOnceTheClaimCanBeRead) {
  wired_.cloud.policies = {{"Ready", "False", 30min}};
  put_node("", R"({"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2020-01-01T00:00:00Z"}]})");
  repair::Controller controller(wired_.context, wired_.cloud);
  start(controller);
  EXPECT_EQ(wired_.api.count(kClaims), 1u);
  put_claim("[]");
  wired_.sim->run_for(1s);
  EXPECT_EQ(wired_.api.count(kClaims), 0u);
}

}  // namespace
}  // namespace tenon::controllers::termination

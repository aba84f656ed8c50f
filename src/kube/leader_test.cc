// SPDX-License-Identifier: Apache-2.0
#include "kube/leader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "json/json.h"
#include "kube/testing/fake_api.h"
#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using testing::FakeApi;
using ::testing::HasSubstr;

constexpr const char* kLeasePath = "/apis/coordination.k8s.io/v1/leases";

class LeaderTest : public ::testing::Test {
 protected:
  LeaderTest()
      : sim_(runtime::make_sim_runtime({})),
        api_(*sim_),
        transport_(http::make_loopback_transport({{"api", &api_}})),
        client_(make_client(*sim_, *transport_, {.server = "http://api"})) {}

  std::unique_ptr<runtime::Task> run(LeaderElector& elector) {
    return sim_->spawn("replica", [&](const std::stop_token& stop) {
      if (!elector.acquire(stop)) return;
      sim_->sleep_until(kNever, stop);
      elector.release();
    });
  }

  std::unique_ptr<runtime::SimRuntime> sim_;
  FakeApi api_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Client> client_;
};

TEST_F(LeaderTest, OneLeadsAndTheNextTakesOverWhenItGoes) {
  LeaderElector a(*sim_, *client_, {.identity = "a"}), b(*sim_, *client_, {.identity = "b"});
  auto run_a = run(a);
  sim_->run_for(1s);
  auto run_b = run(b);
  sim_->run_for(1min);
  EXPECT_TRUE(a.leading() && !b.leading());
  run_a.reset();
  sim_->run_for(5s);  // released: no waiting for the lease to run out
  EXPECT_TRUE(!a.leading() && b.leading());
  EXPECT_THAT(api_.get(kLeasePath, "kube-system/karpenter-leader-election"), HasSubstr("\"leaseTransitions\":1"));
}

TEST_F(LeaderTest, ALeaderThatCannotRenewStepsDownBeforeAnotherLeads) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  int lost = 0;
  a.on_lost([&] { ++lost; });
  auto run_a = run(a);
  sim_->run_for(1min);
  ASSERT_TRUE(a.leading());
  api_.fail_next(1000, 503);
  sim_->run_for(9s);
  EXPECT_TRUE(a.leading());
  sim_->run_for(5s);
  EXPECT_FALSE(a.leading());
  EXPECT_EQ(lost, 1);
  EXPECT_THAT(a.last_problem(), HasSubstr("HTTP 503"));
}

TEST_F(LeaderTest, ADeadLeadersLeaseRunsOutByOurOwnClock) {
  api_.put(kLeasePath, R"({"metadata":{"namespace":"kube-system","name":"karpenter-leader-election"},"spec":{
    "holderIdentity":"dead","leaseDurationSeconds":15,"renewTime":"2199-01-01T00:00:00.000000Z"}})");
  LeaderElector b(*sim_, *client_, {.identity = "b"});
  auto run_b = run(b);
  sim_->run_for(14s);
  EXPECT_FALSE(b.leading());
  sim_->run_for(6s);
  EXPECT_TRUE(b.leading());
}

}  // namespace
}  // namespace tenon::kube

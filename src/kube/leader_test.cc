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

using ::testing::ElementsAre;
using testing::FakeApi;
using ::testing::HasSubstr;

constexpr const char* kLeasePath = "/apis/coordination.k8s.io/v1/leases";

// A network on which requests arrive late, or never.
class SlowTransport : public http::Transport {
 public:
  SlowTransport(runtime::Runtime& runtime, std::unique_ptr<http::Transport> inner)
      : runtime_(runtime), inner_(std::move(inner)) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    asked.push_back(runtime_.now());
    const Duration wait = std::min(hangs ? request.timeout : delay, request.timeout);
    if (runtime_.sleep_for(wait, stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "cancelled");
    if (wait == request.timeout) return fail(Code::kTimeout, "no answer");
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

  bool hangs = false;
  Duration delay{};  // before the server sees the request
  std::vector<Instant> asked;

 private:
  runtime::Runtime& runtime_;
  const std::unique_ptr<http::Transport> inner_;
};

class LeaderTest : public ::testing::Test {
 protected:
  LeaderTest() : sim_(runtime::make_sim_runtime({})), api_(*sim_) {}

  std::unique_ptr<SlowTransport> network() {
    return std::make_unique<SlowTransport>(*sim_, http::make_loopback_transport({{"api", &api_}}));
  }
  std::unique_ptr<Client> client(http::Transport& transport) {
    return make_client(*sim_, transport, {.server = "http://api", .request_timeout = lease_request_timeout({})});
  }
  std::unique_ptr<runtime::Task> run(LeaderElector& elector) {
    return sim_->spawn("replica", [&](const std::stop_token& stop) {
      if (!elector.acquire(stop)) return;
      sim_->sleep_until(kNever, stop);
      elector.release({});
    });
  }

  std::unique_ptr<runtime::SimRuntime> sim_;
  FakeApi api_;
  std::unique_ptr<SlowTransport> transport_ = network();
  std::unique_ptr<Client> client_ = client(*transport_);
};

TEST_F(LeaderTest, OneLeadsAndTheNextTakesOverWhenItGoes) {
  LeaderElector a(*sim_, *client_, {.identity = "a"}), b(*sim_, *client_, {.identity = "b"});
  auto run_a = run(a);
  sim_->run_for(1s);
  auto run_b = run(b);
  sim_->run_for(1min);
  EXPECT_TRUE(a.leading() && !b.leading());
  run_a.reset();
  sim_->run_for(5s);  // released: nobody waits for the lease to expire
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

// E.g. a service account without permission on the lease: a replica must not wait in silence.
TEST_F(LeaderTest, AProblemIsReportedOnceUntilItChangesOrEnds) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  std::vector<std::string> problems;
  a.on_problem([&](const std::string& problem) { problems.push_back(problem); });
  api_.fail_next(1000, 403);
  auto run_a = run(a);
  sim_->run_for(1min);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("HTTP 403")));
  api_.clear_failures();
  sim_->run_for(1min);
  ASSERT_TRUE(a.leading());
  for (int i = 0; i < 2; ++i) {
    api_.fail_next(1, 503);
    sim_->run_for(10s);
  }
  EXPECT_THAT(problems, ElementsAre(HasSubstr("HTTP 403"), HasSubstr("HTTP 503"), HasSubstr("HTTP 503")));
  EXPECT_TRUE(a.leading());
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

// A leader until the server hangs: records the start of the last answered renewal, and when it stopped leading.
struct Loss {
  Instant renewed{}, until{}, lost{};
  int times = 0;
  void watch(runtime::Runtime& runtime, LeaderElector& elector, SlowTransport& network) {
    elector.on_renewed([&, this](Instant limit) {
      renewed = network.asked.back();
      until = limit;
      return true;
    });
    elector.on_lost([&, this] {
      lost = runtime.now();
      ++times;
    });
  }
};

TEST_F(LeaderTest, AServerThatHangsDoesNotStretchTheLease) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  Loss loss;
  loss.watch(*sim_, a, *transport_);
  auto run_a = run(a);
  sim_->run_for(1min);
  ASSERT_TRUE(a.leading());
  transport_->hangs = true;
  const size_t before = transport_->asked.size();
  sim_->run_for(15s);
  EXPECT_FALSE(a.leading());
  EXPECT_EQ(loss.times, 1);
  EXPECT_EQ(loss.lost - loss.renewed, 10s);
  EXPECT_EQ(loss.until, loss.lost);
  EXPECT_EQ(transport_->asked.size() - before, 2u);  // a request that hangs leaves time for another one
  EXPECT_THAT(a.last_problem(), HasSubstr("no answer"));
}

TEST_F(LeaderTest, OneRequestWithoutAnAnswerCostsNothing) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  Loss loss;
  loss.watch(*sim_, a, *transport_);
  auto run_a = run(a);
  sim_->run_for(1min);
  transport_->hangs = true;
  const size_t before = transport_->asked.size();
  ASSERT_TRUE(sim_->run_until([&] { return transport_->asked.size() > before; }, 5s));
  transport_->hangs = false;
  sim_->run_for(1min);
  EXPECT_TRUE(a.leading());
  EXPECT_EQ(loss.times, 0);
}

TEST_F(LeaderTest, TheTimeCountsFromTheQuestionNotFromTheAnswer) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  Loss loss;
  loss.watch(*sim_, a, *transport_);
  auto run_a = run(a);
  transport_->delay = 3s;
  sim_->run_for(1min);
  ASSERT_TRUE(a.leading());
  const Instant last = loss.renewed;
  ASSERT_TRUE(sim_->run_until([&] { return loss.renewed > last; }, 10s));  // an answer has just arrived
  transport_->hangs = true;
  EXPECT_EQ(loss.until - sim_->now(), 7s);
  sim_->run_for(7s);
  EXPECT_FALSE(a.leading());
  EXPECT_EQ(loss.lost - loss.renewed, 10s);
}

// The record in a late answer may be as recent as the answer.
TEST_F(LeaderTest, AStandbyWaitsFromTheAnswerOn) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  auto run_a = run(a);
  sim_->run_for(61s);  // between two renewals
  const auto slow = network();
  const auto patient = make_client(*sim_, *slow, {.server = "http://api"});
  slow->delay = 20s;
  LeaderElector b(*sim_, *patient, {.identity = "b"});
  auto run_b = run(b);
  sim_->run_for(20s);  // b has just observed a renewal of a
  slow->delay = {};
  transport_->hangs = true;
  sim_->run_for(14s);
  EXPECT_FALSE(a.leading() || b.leading());
  sim_->run_for(5s);
  EXPECT_TRUE(b.leading());
}

TEST_F(LeaderTest, TwoNeverLeadAtATimeThoughTheServerHangsNowAndThen) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  const auto other = network();
  const auto others_client = client(*other);
  LeaderElector b(*sim_, *others_client, {.identity = "b"});
  auto run_a = run(a), run_b = run(b);
  bool both = false;
  const auto look = [&] {
    both = both || (a.leading() && b.leading());
    return false;
  };
  sim_->run_until(look, 1min);
  const bool a_first = a.leading();
  SlowTransport& leaders = a_first ? *transport_ : *other;
  leaders.hangs = true;
  sim_->run_until(look, 1min);
  leaders.hangs = false;
  sim_->run_until(look, 1min);
  EXPECT_FALSE(both);
  EXPECT_EQ(a.leading(), !a_first);
  EXPECT_EQ(b.leading(), a_first);
}

TEST_F(LeaderTest, ARenewalIsOneRequest) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  auto run_a = run(a);
  sim_->run_for(1min);
  const size_t reads = api_.requests_with("GET "), writes = api_.requests_with("PUT ");
  sim_->run_for(1min);
  EXPECT_EQ(api_.requests_with("GET "), reads);
  EXPECT_EQ(api_.requests_with("PUT ") - writes, 30u);
}

TEST_F(LeaderTest, WhoeverIsRobbedOfTheLeaseStepsDown) {
  LeaderElector a(*sim_, *client_, {.identity = "a"});
  Loss loss;
  loss.watch(*sim_, a, *transport_);
  auto run_a = run(a);
  sim_->run_for(1min);
  api_.put(kLeasePath, R"({"metadata":{"namespace":"kube-system","name":"karpenter-leader-election"},"spec":{
    "holderIdentity":"robber","leaseDurationSeconds":15,"renewTime":"2199-01-01T00:00:00.000000Z"}})");
  sim_->run_for(3s);
  EXPECT_FALSE(a.leading());
  EXPECT_EQ(loss.times, 1);
  EXPECT_EQ(a.last_problem(), "another replica holds the lease");
}

}  // namespace
}  // namespace tenon::kube

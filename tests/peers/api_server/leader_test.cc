// Leader election by a Lease of a real kube-apiserver.
// SPDX-License-Identifier: Apache-2.0
#include "kube/leader.h"

#include <gmock/gmock.h>

#include "api_server/real_api.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

class AnyLease : public RealApiTest {
 protected:
  struct Replica {
    Replica(AnyLease& test, const std::string& identity)
        : changed(test.runtime_->make_event()),
          elector(
              *test.runtime_, *test.client_,
              {.ns = test.ns_, .name = "l", .identity = identity, .lease = 3s, .renew_deadline = 2s, .retry = 200ms}) {
      elector.on_lost([this] {
        lost = true;
        changed->notify();
      });
      task = test.runtime_->spawn(identity, [this](const std::stop_token& stop) {
        if (elector.acquire(stop)) changed->notify();
      });
    }
    std::unique_ptr<runtime::Event> changed;
    kube::LeaderElector elector;
    std::atomic<bool> lost = false;
    std::unique_ptr<runtime::Task> task;  // last: it uses the members above
  };
  std::string holder() const {
    const auto lease = client_->get(kube::kLeases, {ns_, "l"}, stop_);
    EXPECT_TRUE(lease) << lease.error().message;
    return lease ? std::string(json::string_at(*lease, {"spec", "holderIdentity"})) : "";
  }
  bool leads(Replica& replica) {
    return await(*runtime_, *replica.changed, [&] { return replica.elector.leading(); });
  }
};

TEST_F(AnyLease, PassesOnWhenItIsGivenBack) {
  Replica a(*this, "a");
  ASSERT_TRUE(leads(a)) << a.elector.last_problem();
  EXPECT_EQ(holder(), "a");
  Replica b(*this, "b");
  EXPECT_FALSE(b.elector.leading());
  a.task->join();
  a.elector.release({});
  ASSERT_TRUE(leads(b)) << b.elector.last_problem();
  EXPECT_EQ(holder(), "b");
  EXPECT_FALSE(a.lost);
  const json::value lease = *client_->get(kube::kLeases, {ns_, "l"}, stop_);
  EXPECT_GE(json::int_at(lease, {"spec", "leaseTransitions"}), 1);
  b.task->join();
  b.elector.release({});
}

TEST_F(AnyLease, WhoeverIsRobbedOfItStepsDown) {
  Replica a(*this, "a");
  ASSERT_TRUE(leads(a)) << a.elector.last_problem();
  const auto robbed =
      client_->patch(kube::kLeases, {ns_, "l"}, kube::PatchType::kMerge,
                     parse(R"({"spec":{"holderIdentity":"robber","leaseDurationSeconds":3600}})"), {}, stop_);
  ASSERT_TRUE(robbed) << robbed.error().message;
  EXPECT_TRUE(await(*runtime_, *a.changed, [&] { return a.lost.load(); }));
  EXPECT_FALSE(a.elector.leading());
  EXPECT_EQ(holder(), "robber");
  a.task->join();
}

}  // namespace
}  // namespace tenon::peers

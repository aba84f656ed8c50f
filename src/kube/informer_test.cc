// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"
#include "kube/testing/fake_api.h"
#include "model/unreadable.h"
#include "runtime/live.h"
#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using ::testing::ElementsAre;
using testing::FakeApi;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPath = "/api/v1/pods";

std::string pod(const std::string& name, const std::string& node = "") {
  return R"({"metadata":{"namespace":"ns","name":")" + name + R"("},"spec":{"nodeName":")" + node + "\"}}";
}

class InformerTest : public ::testing::Test {
 protected:
  explicit InformerTest(uint64_t seed = 1)
      : sim_(runtime::make_sim_runtime({.seed = seed})),
        api_(*sim_),
        transport_(http::make_loopback_transport({{"api", &api_}}, sim_.get())),
        client_(make_client(*sim_, *transport_, {.server = "http://api"})),
        pods_(*sim_, *client_, kPods, codec::decode_pod) {
    pods_.on_change([this](const Informer<model::Pod>::Change& c) {
      log_.push_back(std::string(!c.before  ? "+"
                                 : !c.after ? "-"
                                            : "~") +
                     c.key + (c.after ? "@" + c.after->node_name : ""));
    });
  }
  std::vector<std::string> take() { return std::exchange(log_, {}); }

  std::unique_ptr<runtime::SimRuntime> sim_;
  FakeApi api_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Client> client_;
  std::vector<std::string> log_;
  Informer<model::Pod> pods_;
};

TEST_F(InformerTest, ListsThenFollows) {
  api_.put(kPath, pod("a"));
  api_.put(kPath, pod("b"));
  EXPECT_FALSE(pods_.synced());
  pods_.start();
  sim_->run_for(1s);
  EXPECT_TRUE(pods_.synced());
  EXPECT_THAT(take(), ElementsAre("+ns/a@", "+ns/b@"));
  api_.put(kPath, pod("a", "n1"));
  api_.remove(kPath, "ns/b");
  api_.put(kPath, pod("c"));
  sim_->run_for(1s);
  EXPECT_THAT(take(), ElementsAre("~ns/a@n1", "-ns/b", "+ns/c@"));
  ASSERT_TRUE(pods_.get("ns/a"));
  EXPECT_EQ(pods_.get("ns/a")->node_name, "n1");
  EXPECT_EQ(pods_.get("ns/b"), nullptr);
  EXPECT_EQ(pods_.list().size(), 2u);
  EXPECT_EQ(pods_.trouble().what, "");
}

TEST_F(InformerTest, WhatIsNotKeptIsNotThereAndComesWhenItIsKept) {
  pods_.keep_only([](const model::Pod& pod) { return pod.node_name != "foreign"; });
  api_.put(kPath, pod("a", "foreign"));
  api_.put(kPath, pod("b"));
  pods_.start();
  sim_->run_for(1s);
  EXPECT_TRUE(pods_.synced());
  EXPECT_THAT(take(), ElementsAre("+ns/b@"));
  api_.put(kPath, pod("a"));
  api_.put(kPath, pod("b", "foreign"));
  sim_->run_for(1s);
  EXPECT_THAT(take(), ElementsAre("+ns/a@", "-ns/b"));
  EXPECT_EQ(pods_.get("ns/b"), nullptr);
  api_.remove(kPath, "ns/b");
  api_.put(kPath, pod("a", "foreign"));
  api_.end_watches();
  api_.compact(false);  // the change is seen in a new list
  sim_->run_for(10s);
  EXPECT_THAT(take(), ElementsAre("-ns/a"));
  EXPECT_TRUE(pods_.unreadable().empty());
}

TEST_F(InformerTest, AnUnreadableObjectThatIsNotKeptIsNotReported) {
  size_t told = 0;
  pods_.on_unreadable([&](const Unreadable&) { ++told; });
  pods_.keep_only([](const model::Pod& pod) { return pod.node_name != "foreign"; });
  api_.put(kPath, R"({"metadata":{"namespace":"ns","name":"a"},"spec":{"nodeName":"foreign","priority":"high"}})");
  pods_.start();
  sim_->run_for(1s);
  EXPECT_EQ(told, 0u);
  EXPECT_TRUE(pods_.unreadable().empty());
  EXPECT_EQ(pods_.size(), 0u);
}

TEST_F(InformerTest, AfterADisconnectTheWatchGoesOnWhereItWas) {
  api_.put(kPath, pod("a"));
  pods_.start();
  sim_->run_for(10s);
  take();
  api_.end_watches();
  api_.put(kPath, pod("b"));
  sim_->run_for(5s);
  EXPECT_THAT(take(), ElementsAre("+ns/b@"));
  EXPECT_EQ(api_.requests_with("limit=500"), 1u);
  EXPECT_EQ(api_.requests_with("watch=true"), 2u);
}

TEST_F(InformerTest, BookmarksMoveTheVersion) {
  api_.put(kPath, pod("a"));
  pods_.start();
  sim_->run_for(5s);
  api_.put("/api/v1/nodes", R"({"metadata":{"name":"n"}})");  // moves the version, but is no pod
  api_.bookmark();
  sim_->run_for(5s);
  api_.end_watches();
  sim_->run_for(5s);
  EXPECT_THAT(api_.requests().back(), HasSubstr("resourceVersion=102"));
}

TEST_F(InformerTest, AfterAGoneItListsAgainAndTellsOnlyTheDifference) {
  for (const bool as_event : {false, true}) {
    api_.put(kPath, pod("a"));
    api_.put(kPath, pod("b"));
    if (!pods_.synced()) pods_.start();
    sim_->run_for(10s);
    take();
    api_.fail_next(1, 500);  // the first answer after the cut does not help either
    api_.remove(kPath, "ns/b");
    api_.put(kPath, pod("c"));
    api_.compact(as_event);
    sim_->run_for(1min);
    EXPECT_THAT(take(), ElementsAre("+ns/c@", "-ns/b")) << as_event;
    api_.remove(kPath, "ns/c");
    sim_->run_for(1s);
    EXPECT_THAT(take(), ElementsAre("-ns/c")) << as_event;
  }
}

TEST_F(InformerTest, FailuresAreWaitedOutLongerAndLonger) {
  api_.fail_next(6, 503);
  pods_.start();
  sim_->run_for(1ms);
  EXPECT_EQ(api_.requests().size(), 1u);
  EXPECT_THAT(pods_.trouble().what, HasSubstr("list pods: HTTP 503"));
  sim_->run_for(20s);
  EXPECT_LE(api_.requests().size(), 5u);  // 0.8, 1.6, 3.2, 6.4 … seconds at least
  EXPECT_FALSE(pods_.synced());
  sim_->run_for(5min);
  EXPECT_TRUE(pods_.synced());
}

TEST_F(InformerTest, InALongOutageThereIsARequestAtLeastEveryTwentySeconds) {
  api_.fail_next(1000, 503);
  pods_.start();
  for (int i = 0; i < 30; ++i) {
    const size_t before = api_.requests().size();
    sim_->run_for(20s);
    EXPECT_GT(api_.requests().size(), before);
  }
}

TEST_F(InformerTest, RetryAfterIsHonoured) {
  api_.fail_next(1, 429, "", {{"Retry-After", "120"}});
  pods_.start();
  sim_->run_for(119s);
  EXPECT_EQ(api_.requests().size(), 1u);
  sim_->run_for(2s);
  EXPECT_TRUE(pods_.synced());
}

TEST_F(InformerTest, AMissingKindIsLookedForAgain) {
  api_.fail_next(3, 404);
  pods_.start();
  sim_->run_for(1min);
  EXPECT_TRUE(pods_.synced());
}

// A list that lacks known objects may be wrong: a second, later one has to agree.
TEST_F(InformerTest, AnObjectThatAListLacksStaysUntilASecondListAgrees) {
  api_.put(kPath, pod("a", "n1"));
  api_.put(kPath, pod("b", "n1"));
  pods_.start();
  sim_->run_for(10s);
  take();
  api_.truncate_lists(kPath, {"ns/a"});
  api_.remove(kPath, "ns/b");
  api_.compact(false);
  sim_->run_until([&] { return pods_.doubtful(); }, 1min);
  EXPECT_THAT(pods_.trouble().what, HasSubstr("known objects are missing"));
  sim_->run_for(1s);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(pods_.size(), 2u);
  api_.truncate_lists(kPath, {});
  api_.put(kPath, pod("c"));
  sim_->run_for(500ms);
  EXPECT_THAT(take(), ElementsAre("+ns/c@")) << "changes arrive meanwhile";
  sim_->run_for(5s);
  EXPECT_THAT(take(), ElementsAre("-ns/b"));
  EXPECT_FALSE(pods_.doubtful());
  EXPECT_EQ(pods_.trouble().what, "");
}

TEST_F(InformerTest, AServerThatForgetsEachListAtOnceIsNotHammered) {
  pods_.start();
  sim_->run_for(1s);
  for (int i = 0; i < 1000; ++i) {
    api_.fail_next(1, 410);
    api_.fail_next(1, 200, R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})");
  }
  api_.end_watches();
  sim_->run_for(1min);
  EXPECT_LT(api_.requests_with("limit=500"), 100u);
}

TEST_F(InformerTest, ADeletedEventBetweenTheTwoListsIsBelieved) {
  api_.put(kPath, pod("a"));
  pods_.start();
  sim_->run_for(10s);
  take();
  api_.truncate_lists(kPath, {"ns/a"});
  api_.compact(false);
  sim_->run_until([&] { return pods_.doubtful(); }, 1min);
  api_.remove(kPath, "ns/a");
  sim_->run_for(500ms);
  EXPECT_THAT(take(), ElementsAre("-ns/a"));
}

TEST_F(InformerTest, AKindThatVanishesKeepsItsObjects) {
  api_.put(kPath, pod("a", "n1"));
  pods_.start();
  sim_->run_for(10s);
  take();
  api_.forget_kind(kPath, true);
  api_.compact(true);
  sim_->run_for(10min);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(pods_.size(), 1u);
  EXPECT_TRUE(pods_.doubtful());
  EXPECT_TRUE(pods_.absent());
  EXPECT_GE(sim_->now() - pods_.trouble().since, 9min);
  EXPECT_THAT(pods_.trouble().what, HasSubstr("list pods: the server could not find the requested resource"));
  api_.forget_kind(kPath, false);
  api_.put(kPath, pod("b"));
  sim_->run_for(1min);
  EXPECT_THAT(take(), ElementsAre("+ns/b@"));
  EXPECT_FALSE(pods_.doubtful());
  EXPECT_EQ(pods_.trouble().what, "");
}

// No byte for 90 seconds: the peer has gone without a message. Later changes arrive with the next watch.
TEST_F(InformerTest, ASilentWatchIsResumedWithoutANewList) {
  api_.put(kPath, pod("a"));
  api_.silence_watches(true);
  pods_.start();
  sim_->run_for(10s);
  take();
  api_.silence_watches(false);
  api_.put(kPath, pod("b"));
  sim_->run_for(79s);
  EXPECT_THAT(take(), IsEmpty());
  sim_->run_for(4s);
  EXPECT_THAT(take(), ElementsAre("+ns/b@"));
  EXPECT_EQ(api_.requests_with("limit=500"), 1u);
  EXPECT_EQ(api_.requests_with("watch=true"), 2u);
}

TEST_F(InformerTest, BookmarksKeepAWatchAlive) {
  pods_.start();
  for (int minute = 0; minute < 4; ++minute) {
    sim_->run_for(1min);
    api_.bookmark();
  }
  EXPECT_EQ(api_.requests_with("watch=true"), 1u);
}

TEST_F(InformerTest, WhatCannotBeDecodedIsKeptAsFarAsItWasReadAndNamed) {
  std::vector<std::string> told;
  pods_.on_unreadable([&](const Unreadable& one) { told.push_back(one.ns + "/" + one.name + ": " + one.problem); });
  api_.put(kPath, pod("a", "n1"));
  api_.put(kPath, R"({"metadata":{"namespace":"ns","name":"bad"},"spec":{"nodeName":"n1","priority":"high"}})");
  pods_.start();
  sim_->run_for(1s);
  const std::string why = "spec.priority: must be an integer, not \"high\"";
  ASSERT_EQ(pods_.list().size(), 2u);
  EXPECT_EQ(pods_.get("ns/bad")->node_name, "n1");
  EXPECT_EQ(model::unreadable(*pods_.get("ns/bad")), why);
  EXPECT_EQ(pods_.get("ns/bad")->spec->problem, "pod ns/bad cannot be read: " + why);
  EXPECT_EQ(model::unreadable(*pods_.get("ns/a")), "");
  ASSERT_EQ(pods_.unreadable().size(), 1u);
  EXPECT_EQ(pods_.unreadable()[0].type->kind, "Pod");
  EXPECT_THAT(told, ElementsAre("ns/bad: " + why));
  take();
  api_.put(kPath, R"({"metadata":{"namespace":"ns","name":"a"},"spec":{"nodeName":["n1"],"priority":"high"}})");
  sim_->run_for(1s);
  EXPECT_THAT(take(), ElementsAre("~ns/a@")) << "an object that turns unreadable does not vanish";
  EXPECT_EQ(model::find_condition(pods_.get("ns/a")->conditions, model::kUnreadable)->reason, model::kNodeUnknown);
  EXPECT_EQ(told.size(), 2u);
  api_.put(kPath, pod("bad", "n2"));
  sim_->run_for(1s);
  EXPECT_THAT(take(), ElementsAre("~ns/bad@n2"));
  EXPECT_EQ(model::unreadable(*pods_.get("ns/bad")), "");
  api_.remove(kPath, "ns/a");
  sim_->run_for(1s);
  EXPECT_TRUE(pods_.unreadable().empty());
}

TEST_F(InformerTest, StopsWhileWaiting) {
  pods_.start();
  sim_->run_for(1s);
  const size_t before = api_.requests().size();
  pods_.stop();
  sim_->run_for(1h);
  EXPECT_EQ(api_.requests().size(), before);
}

// A server that accepts watches and closes them at once must not be called in a tight loop.
TEST_F(InformerTest, WatchesThatCloseAtOnceAreNotHammered) {
  pods_.start();
  sim_->run_for(1ms);
  api_.fail_next(1000, 200);
  api_.end_watches();
  sim_->run_for(1min);
  EXPECT_LT(api_.requests().size(), 12u);
}

// Random faults with many seeds: at the end the cache equals the server's state, and the changes add up to it.
class InformerChaosTest : public InformerTest, public ::testing::WithParamInterface<int> {
 protected:
  InformerChaosTest() : InformerTest(static_cast<uint64_t>(GetParam())) {}
};

TEST_P(InformerChaosTest, ConvergesAfterAnyFaults) {
  pods_.start();
  for (int step = 0; step < 200; ++step) {
    const std::string name = "p" + std::to_string(sim_->random() % 12);
    switch (sim_->random() % 8) {
      case 0: api_.remove(kPath, "ns/" + name); break;
      case 1: api_.end_watches(); break;
      case 2: api_.compact(sim_->random() % 2 == 0); break;
      case 3: api_.fail_next(1, sim_->random() % 2 == 0 ? 500 : 429); break;
      case 4: api_.bookmark(); break;
      default: api_.put(kPath, pod(name, "n" + std::to_string(step)));
    }
    sim_->run_for(Duration(static_cast<int64_t>(sim_->random() % 2'000'000'000)));
  }
  sim_->run_for(1h);  // the remaining failures, each waited out
  EXPECT_EQ(pods_.list().size(), api_.count(kPath)) << pods_.trouble().what;
  std::map<std::string, std::string> told;
  for (const std::string& change : take()) {
    const auto [key, node] = std::pair(change.substr(1, change.find('@') - 1),
                                       change.substr(std::min(change.find('@'), change.size() - 1) + 1));
    if (change[0] == '-') {
      EXPECT_EQ(told.erase(change.substr(1)), 1u) << change;
    } else {
      EXPECT_EQ(told.contains(key), change[0] == '~') << change;
      told[key] = node;
    }
  }
  EXPECT_EQ(told.size(), pods_.list().size());
  for (const auto& p : pods_.list()) {
    EXPECT_EQ(told[p->key()], p->node_name);
    EXPECT_THAT(api_.get(kPath, p->key()), HasSubstr("\"" + p->node_name + "\""));
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, InformerChaosTest, ::testing::Range(1, 21));

// The same code on real threads, for the thread sanitizer.
TEST(InformerLive, ReadersAndHandlersRunBesideTheWatch) {
  const auto live = runtime::make_live_runtime();
  FakeApi api(*live);
  const auto transport = http::make_loopback_transport({{"api", &api}});
  const auto client = make_client(*live, *transport, {.server = "http://api"});
  const auto changed = live->make_event();
  std::atomic<int> changes = 0;
  Informer<model::Pod> pods(*live, *client, kPods, codec::decode_pod);  // last: its handler uses the two members above
  pods.on_change([&](const auto&) {
    ++changes;
    changed->notify();
  });
  pods.start();
  std::stop_source never;
  for (int i = 0; i < 50; ++i) {
    api.put(kPath, pod("p" + std::to_string(i)));
    if (i % 10 == 9) api.end_watches();
    pods.list();
  }
  while (true) {
    const uint64_t seen = changed->version();
    if (pods.list().size() == 50) break;
    ASSERT_NE(changed->wait(seen, live->now() + 30s, never.get_token()), runtime::Wake::kTimeout);
  }
  EXPECT_GE(changes.load(), 50);
}

}  // namespace
}  // namespace tenon::kube

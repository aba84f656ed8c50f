// SPDX-License-Identifier: Apache-2.0
#include "kubesim/store/store.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "runtime/sim.h"

namespace tenon::kubesim {
namespace {

const Resource kPods{"", "pods"};
const Resource kSets{"apps", "replicasets"};

boost::json::value object(std::string_view ns, std::string_view name, std::string_view uid,
                          std::initializer_list<std::string_view> owners = {}) {
  boost::json::array references;
  for (std::string_view owner : owners) references.push_back(boost::json::object{{"uid", owner}});
  return {{"metadata", {{"namespace", ns}, {"name", name}, {"uid", uid}, {"ownerReferences", references}}}};
}

std::string_view version_of(const Object& o) { return json::string_at(*o, {"metadata", "resourceVersion"}); }

class StoreTest : public testing::Test {
 protected:
  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  Store store_{*sim_, {.max_log_entries = 4}};
};

TEST_F(StoreTest, EveryWriteHasItsRevision) {
  const Object a = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1"));
  const Object s = store_.commit(kSets, {"d", "s"}, nullptr, object("d", "s", "u2"));
  ASSERT_TRUE(a && s);
  EXPECT_EQ(std::stoull(std::string(version_of(s))), std::stoull(std::string(version_of(a))) + 1);
  const Object a2 = store_.commit(kPods, {"d", "a"}, a, *a);
  EXPECT_EQ(version_of(a2), std::to_string(store_.revision()));
  EXPECT_EQ(store_.get(kPods, {"d", "a"}), a2);
}

TEST_F(StoreTest, ACommitAgainstAnotherStateIsRefused) {
  const Object a = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1"));
  EXPECT_EQ(store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u9")), nullptr);
  const Object a2 = store_.commit(kPods, {"d", "a"}, a, *a);
  EXPECT_EQ(store_.commit(kPods, {"d", "a"}, a, *a), nullptr);
  EXPECT_EQ(store_.erase(kPods, {"d", "a"}, a), nullptr);
  const Object gone = store_.erase(kPods, {"d", "a"}, a2);
  ASSERT_TRUE(gone);
  EXPECT_EQ(version_of(gone), std::to_string(store_.revision()));
  EXPECT_EQ(store_.get(kPods, {"d", "a"}), nullptr);
}

TEST_F(StoreTest, ListsByNamespaceInOrder) {
  for (const auto& [ns, name] : {std::pair{"b", "x"}, {"a", "z"}, {"a", "y"}, {"ab", "w"}}) {
    store_.commit(kPods, {ns, name}, nullptr, object(ns, name, std::string(ns) + name));
  }
  const auto names = [&](std::string_view ns) {
    std::string all;
    for (const Object& o : store_.list(kPods, ns).items) all += json::string_at(*o, {"metadata", "name"});
    return all;
  };
  EXPECT_EQ(names(""), "yzwx");
  EXPECT_EQ(names("a"), "yz");
  EXPECT_EQ(store_.list(kPods, "").resource_version, store_.revision());
  EXPECT_EQ(store_.resources_in("a"), (std::vector<std::pair<Resource, size_t>>{{kPods, 2}}));
}

TEST_F(StoreTest, TheLogGivesWhatCameAfterUntilItIsTooShort) {
  const uint64_t start = store_.revision();
  Object a = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1"));
  for (int i = 0; i < 3; ++i) a = store_.commit(kPods, {"d", "a"}, a, *a);
  auto changes = store_.changes_since(kPods, start);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->events.size(), 4u);
  EXPECT_EQ(changes->events[0].type, WatchEvent::Type::kAdded);
  EXPECT_EQ(changes->events[3].previous, changes->events[2].object);
  EXPECT_EQ(store_.changes_since(kPods, start + 3)->events.size(), 1u);
  EXPECT_EQ(store_.changes_since(kPods, start, 2)->revision, start + 2);
  store_.erase(kPods, {"d", "a"}, a);
  EXPECT_EQ(store_.changes_since(kPods, start + 1)->events.back().type, WatchEvent::Type::kDeleted);
  EXPECT_EQ(store_.changes_since(kPods, start).error().code, Code::kGone);
  store_.compact();
  EXPECT_EQ(store_.changes_since(kPods, start + 4).error().code, Code::kGone);
  EXPECT_TRUE(store_.changes_since(kPods, start + 5)->events.empty());
}

TEST_F(StoreTest, KnowsOwnersAndDependents) {
  const Object set = store_.commit(kSets, {"d", "s"}, nullptr, object("d", "s", "u2"));
  const Object pod = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1", {"u2"}));
  EXPECT_EQ(store_.dependents_of("u2"), (std::vector<Store::Place>{{kPods, {"d", "a"}}}));
  EXPECT_EQ(store_.find_uid("u2"), (Store::Place{kSets, {"d", "s"}}));
  const Object orphan = store_.commit(kPods, {"d", "a"}, pod, object("d", "a", "u1"));
  EXPECT_TRUE(store_.dependents_of("u2").empty());
  store_.erase(kSets, {"d", "s"}, set);
  EXPECT_EQ(store_.find_uid("u2"), std::nullopt);
  EXPECT_EQ(store_.find_uid("u1"), (Store::Place{kPods, {"d", "a"}}));
}

TEST_F(StoreTest, AWatchStartsWithWhatIsThereAndWaitsForMore) {
  const Object first = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1"));
  const auto watch = make_store_watch(store_, kPods);
  EXPECT_EQ(watch->wait(kNever, {}), runtime::Wake::kNotified);
  EXPECT_EQ(watch->take().size(), 1u);
  EXPECT_EQ(watch->wait(sim_->now() + 1s, {}), runtime::Wake::kTimeout);
  auto writer = sim_->spawn("writer", [&](const std::stop_token& stop) {
    (void)sim_->sleep_for(1s, stop);
    store_.commit(kSets, {"d", "s"}, nullptr, object("d", "s", "u2"));
    store_.erase(kPods, {"d", "a"}, first);
  });
  EXPECT_EQ(watch->wait(kNever, {}), runtime::Wake::kNotified);
  const auto events = watch->take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, WatchEvent::Type::kDeleted);
}

TEST_F(StoreTest, AWatchThatFellBehindTellsTheDifference) {
  const Object a = store_.commit(kPods, {"d", "a"}, nullptr, object("d", "a", "u1"));
  const Object b = store_.commit(kPods, {"d", "b"}, nullptr, object("d", "b", "u2"));
  store_.commit(kPods, {"d", "same"}, nullptr, object("d", "same", "u3"));
  const auto watch = make_store_watch(store_, kPods);
  EXPECT_EQ(watch->take().size(), 3u);
  store_.erase(kPods, {"d", "a"}, a);
  store_.commit(kPods, {"d", "b"}, b, object("d", "b", "u2"));
  store_.commit(kPods, {"d", "c"}, nullptr, object("d", "c", "u4"));
  store_.compact();
  EXPECT_EQ(watch->wait(kNever, {}), runtime::Wake::kNotified);
  std::string seen;
  for (const WatchEvent& e : watch->take()) {
    seen += std::string("+~-").substr(static_cast<size_t>(e.type), 1);
    seen += json::string_at(*e.object, {"metadata", "name"});
  }
  EXPECT_EQ(seen, "-a~b+c");
}

}  // namespace
}  // namespace tenon::kubesim

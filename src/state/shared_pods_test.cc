// Snapshots in several threads share the pods of their nodes: each thread reads, edits and releases them at the same
// time as the others.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <thread>

#include "model/testing/builders.h"
#include "scheduling/input/node_pods.h"

namespace tenon::state {
namespace {

using scheduling::NodePods;

constexpr size_t kThreads = 2;
constexpr size_t kRounds = 200;

scheduling::PodPtr pod(size_t i) {
  return std::make_shared<const model::Pod>(
      model::testing::a_pod("p" + std::to_string(i)).label("app", i % 2 ? "odd" : "even").cpu("1").build());
}

// The thread's view of the pods, which are its own copy.
struct Seen {
  const scheduling::PodTotals* totals = nullptr;
  int64_t before = 0, after = 0;
  size_t odd = 0;
};

Seen read_and_edit(NodePods pods) {
  Seen seen;
  seen.totals = &pods.totals();
  seen.before = pods.totals().requests.get("cpu");
  seen.odd = pods.maybe_with_label(scheduling::NodePods::label_hash("app", "odd")).size();
  pods.edit().pop_back();
  seen.after = pods.totals().requests.get("cpu");
  return seen;
}

TEST(SharedPods, ThreadsThatAskFirstGetOneAnswer) {
  for (size_t round = 0; round < kRounds; ++round) {
    const NodePods common{pod(0), pod(1), pod(2), pod(3)};
    std::vector<Seen> seen(kThreads);
    std::barrier begin(kThreads);
    std::vector<std::thread> threads;
    for (Seen& mine : seen) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        mine = read_and_edit(common);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Seen& one : seen) {
      EXPECT_EQ(one.totals, &common.totals());
      EXPECT_EQ(one.before, 4000);
      EXPECT_GE(one.odd, 2u);
      EXPECT_EQ(one.after, 3000);
    }
    EXPECT_EQ(common.totals().requests.get("cpu"), 4000);
  }
}

// The last two owners: one edits in place what the other one has just released.
TEST(SharedPods, TheLastOwnerEditsWhatOthersHaveRead) {
  for (size_t round = 0; round < kRounds; ++round) {
    NodePods mine{pod(0), pod(1)};
    std::barrier begin(kThreads);
    std::thread other([&begin, copy = mine]() mutable {
      begin.arrive_and_wait();
      EXPECT_EQ(copy.totals().requests.get("cpu"), 2000);
      copy = {};
    });
    begin.arrive_and_wait();
    mine.edit().pop_back();
    EXPECT_EQ(mine.totals().requests.get("cpu"), 1000);
    other.join();
  }
}

}  // namespace
}  // namespace tenon::state

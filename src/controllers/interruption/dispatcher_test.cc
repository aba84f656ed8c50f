// The dispatcher over a queue that counts.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>

#include "log/testing/capture.h"
#include "runtime/sim.h"

namespace tenon::controllers::interruption {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Kind = cloud::InterruptionKind;

constexpr Duration kCall = 10ms;  // duration of each call

// Keeps the order; a message that was read and not removed is not delivered again.
class MemoryQueue final : public cloud::InterruptionQueue {
 public:
  explicit MemoryQueue(runtime::Runtime& runtime) : runtime_(runtime) {}

  void put(Kind kind, const std::string& instance) {
    cloud::Interruption what{kind, {}, runtime_.now()};
    if (kind == Kind::kMalformed) what.problem = "it is not JSON";
    if (!instance.empty()) what.instance_ids = {instance};
    waiting_.push_back({"r" + std::to_string(++last_), what});
  }
  Result<std::vector<cloud::QueuedInterruption>> receive(Duration wait, const std::stop_token& stop) override {
    runtime_.sleep_for(kCall, stop);
    if (waiting_.empty() && wait > Duration(0)) runtime_.sleep_for(wait, stop);
    ++reads;
    if (fails) return fail(Code::kNotFound, "queue demo: there is none");
    std::vector<cloud::QueuedInterruption> out;
    while (!waiting_.empty() && out.size() < cloud::kInterruptionBatch) {
      out.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return out;
  }
  Result<size_t> remove(const std::vector<std::string>& receipts, const std::stop_token& stop) override {
    runtime_.sleep_for(kCall, stop);
    EXPECT_LE(receipts.size(), cloud::kInterruptionBatch);
    removed.insert(removed.end(), receipts.begin(), receipts.end());
    return receipts.size();
  }

  size_t reads = 0;
  bool fails = false;
  std::vector<std::string> removed;

 private:
  runtime::Runtime& runtime_;
  std::deque<cloud::QueuedInterruption> waiting_;
  int last_ = 0;
};

struct World {
  Status round() { return dispatcher.round(20s, {}); }
  double dropped(const std::string& reason) const { return metrics.interruptions_dropped.value({{"reason", reason}}); }
  double received(const std::string& kind) const {
    return metrics.interruptions_received.value({{"message_type", kind}});
  }
  Result<Handled> handle(const std::string& id, Kind kind) {
    most_at_once = std::max(most_at_once, ++at_once);
    EXPECT_TRUE(busy.insert(id).second) << id << " is handled twice at once";
    sim->sleep_for(kCall, {});
    busy.erase(id);
    --at_once;
    if (broken.contains(id)) return fail(Code::kUnavailable, "the API server is away");
    handled.push_back(id + " " + std::string(to_string(kind)));
    if (reads_at_first_urgent == 0 && kind == Kind::kSpotInterrupted) reads_at_first_urgent = queue.reads;
    return foreign.contains(id) ? Handled::kForeign : Handled::kDone;
  }

  std::unique_ptr<runtime::SimRuntime> sim = runtime::make_sim_runtime({});
  metrics::Registry registry;
  Metrics metrics{registry};
  MemoryQueue queue{*sim};
  std::set<std::string> foreign, broken, busy;
  std::vector<std::string> handled;
  std::shared_ptr<tenon::log::testing::Capture> log = std::make_shared<tenon::log::testing::Capture>();
  int at_once = 0, most_at_once = 0;
  size_t reads_at_first_urgent = 0;
  Dispatcher dispatcher{{*sim, queue, metrics, tenon::log::Logger(log)},
                        [this](const std::string& id, const auto& what, const auto&) { return handle(id, what.kind); }};
};

TEST(Dispatcher, TheUrgentComeFirstHoweverDeepTheQueue) {
  World world;
  constexpr int kOthers = 14'990, kUrgent = 10;
  for (int i = 0; i < kOthers; ++i)
    world.queue.put(i % 3 ? Kind::kRebalance : Kind::kNoOp, i % 3 ? "i-" + std::to_string(i % 1000) : "");
  for (int i = 0; i < kUrgent; ++i) world.queue.put(Kind::kSpotInterrupted, "s-" + std::to_string(i));
  const Instant begun = world.sim->now();
  ASSERT_TRUE(world.round());
  ASSERT_GE(world.handled.size(), 10u);
  for (int i = 0; i < kUrgent; ++i) EXPECT_TRUE(world.handled[static_cast<size_t>(i)].starts_with("s-")) << i;
  EXPECT_LE(world.reads_at_first_urgent, 15'000 / cloud::kInterruptionBatch + kWidth) << "each message is read once";
  EXPECT_EQ(world.queue.removed.size(), 15'000u);
  EXPECT_EQ(world.most_at_once, static_cast<int>(kWidth));
  EXPECT_EQ(world.received("spot_interrupted"), kUrgent);
  EXPECT_EQ(world.metrics.interruptions_deleted.value(), 15'000);
  EXPECT_EQ(world.metrics.interruption_latency.count(), 15'000u);
  // Calls of ten milliseconds, ten at once: reading 1.5 s, the urgent, a thousand instances, removing 1.5 s.
  EXPECT_LE(world.sim->now() - begun, 5s);
}

TEST(Dispatcher, AnInstanceIsHandledOnceForEqualMessages) {
  World world;
  for (int i = 0; i < 3; ++i) world.queue.put(Kind::kSpotInterrupted, "i-1");
  world.queue.put(Kind::kInstanceTerminated, "i-1");
  ASSERT_TRUE(world.round());
  EXPECT_THAT(world.handled, ElementsAre("i-1 spot_interrupted", "i-1 instance_terminated"));
  EXPECT_EQ(world.dropped("duplicate"), 2);
  EXPECT_EQ(world.queue.removed.size(), 4u);
}

TEST(Dispatcher, WhatIsMalformedForeignOrNothingIsRemovedAndCounted) {
  World world;
  world.foreign = {"i-9"};
  world.queue.put(Kind::kMalformed, "");
  world.queue.put(Kind::kNoOp, "");
  world.queue.put(Kind::kSpotInterrupted, "i-9");
  ASSERT_TRUE(world.round());
  EXPECT_EQ(world.dropped("malformed"), 1);
  EXPECT_EQ(world.dropped("foreign"), 1);
  EXPECT_EQ(world.received("malformed"), 1);
  EXPECT_EQ(world.received("no_op"), 1);
  EXPECT_THAT(world.queue.removed, UnorderedElementsAre("r1", "r2", "r3"));
  EXPECT_THAT(world.log->failures(), ElementsAre("interruption: a message was dropped: it is not JSON"));
}

TEST(Dispatcher, WhatCouldNotBeHandledStaysInTheQueue) {
  World world;
  world.broken = {"i-1"};
  world.queue.put(Kind::kSpotInterrupted, "i-1");
  world.queue.put(Kind::kSpotInterrupted, "i-2");
  ASSERT_TRUE(world.round());
  EXPECT_THAT(world.handled, ElementsAre("i-2 spot_interrupted"));
  EXPECT_THAT(world.queue.removed, ElementsAre("r2"));
  EXPECT_THAT(world.log->failures(), Contains("interruption i-1: the API server is away"));
}

TEST(Dispatcher, AQueueThatCannotBeReadIsItsError) {
  World world;
  world.queue.fails = true;
  const Status read = world.round();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kNotFound);
  world.queue.fails = false;
  EXPECT_TRUE(world.round()) << "it may come";
}

TEST(Dispatcher, AShallowQueueIsReadOnce) {
  World world;
  world.queue.put(Kind::kRebalance, "i-1");
  ASSERT_TRUE(world.round());
  EXPECT_EQ(world.queue.reads, 1u);
  EXPECT_THAT(world.handled, ElementsAre("i-1 rebalance_recommendation"));
}

}  // namespace
}  // namespace tenon::controllers::interruption

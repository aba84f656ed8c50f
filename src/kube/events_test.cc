// SPDX-License-Identifier: Apache-2.0
#include "kube/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "json/json.h"
#include "kube/limits.h"
#include "kube/testing/fake_api.h"
#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using testing::FakeApi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kEventsPath = "/api/v1/events";

// Every request takes `latency`.
class SlowTransport : public http::Transport {
 public:
  SlowTransport(runtime::Runtime& runtime, std::unique_ptr<http::Transport> inner)
      : runtime_(runtime), inner_(std::move(inner)) {}
  Duration latency = 0s;

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    if (latency > 0s && runtime_.sleep_for(latency, stop) == runtime::Wake::kStopped) {
      return fail(Code::kCancelled, "stopped");
    }
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  runtime::Runtime& runtime_;
  const std::unique_ptr<http::Transport> inner_;
};

class EventsTest : public ::testing::Test {
 protected:
  void SetUp() override { recorder_.start(); }

  static EventRecorder::Event event(const std::string& name, const std::string& reason = "Unconsolidatable") {
    return {{"v1", "Node", "", name, "uid-" + name}, "Normal", reason, "text", 2min};
  }
  // Waits until the event is recorded and written.
  bool write(const EventRecorder::Event& event) {
    const size_t before = api_.count(kEventsPath);
    const bool recorded = recorder_.record(event);
    sim_->run_for(1s);
    EXPECT_EQ(api_.count(kEventsPath), before + (recorded ? 1 : 0));
    return recorded;
  }
  double count(const std::string& name) { return registry_.counter({name, ""}).value(); }
  double dropped(const std::string& why) {
    return registry_.counter({"tenon_events_dropped_total", "", {"reason"}}).value({{"reason", why}});
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  FakeApi api_{*sim_};
  SlowTransport transport_{*sim_, http::make_loopback_transport({{"api", &api_}})};
  std::unique_ptr<Client> client_ = make_client(*sim_, transport_, {.server = "http://api"});
  metrics::Registry registry_;
  std::vector<std::string> failures_;
  EventRecorder recorder_{*sim_, *client_, registry_, [this](const Error& e) { failures_.push_back(e.message); }};
};

TEST_F(EventsTest, AnEventIsWrittenOnceWithinItsWindow) {
  EventRecorder::Event event{
      {"karpenter.sh/v1", "NodeClaim", "", "default-x", "u1"}, "Normal", "Disrupted", "text", 2min};
  EXPECT_TRUE(write(event));
  const json::value written = *json::parse(api_.last_request().body);
  EXPECT_EQ(api_.requests().back(), "POST /api/v1/namespaces/default/events");
  EXPECT_EQ(json::string_at(written, {"involvedObject", "kind"}), "NodeClaim");
  EXPECT_EQ(json::string_at(written, {"source", "component"}), "karpenter");
  EXPECT_EQ(json::string_at(written, {"firstTimestamp"}), "2026-09-01T12:00:00Z");
  EXPECT_THAT(std::string(json::string_at(written, {"metadata", "name"})), HasSubstr("default-x."));

  event.message = "another text";
  EXPECT_FALSE(write(event));
  EventRecorder::Event other = event;
  other.reason = "Launched";
  EXPECT_TRUE(write(other));
  other.about.uid = "u2";
  EXPECT_TRUE(write(other));
  sim_->run_for(2min);
  EXPECT_TRUE(write(event));
  EXPECT_EQ(api_.count(kEventsPath), 4u);
}

TEST_F(EventsTest, PodsHaveEventsInTheirNamespaceAndLongTextsAreCut) {
  EXPECT_TRUE(write({{"v1", "Pod", "web", "p", "u"}, "Warning", "FailedScheduling", std::string(2000, 'x'), 5min}));
  EXPECT_EQ(api_.requests().back(), "POST /api/v1/namespaces/web/events");
  const json::value written = *json::parse(api_.last_request().body);
  EXPECT_EQ(json::string_at(written, {"message"}).size(), 1024u);
}

TEST_F(EventsTest, RecordingTakesNoTimeAndTheOrderStays) {
  transport_.latency = 60ms;
  const Instant before = sim_->now();
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(recorder_.record(event(name)));
  EXPECT_EQ(sim_->now(), before);
  sim_->run_for(1s);
  EXPECT_EQ(count("tenon_events_written_total"), 3);
  EXPECT_EQ(api_.count(kEventsPath), 3u);
  EXPECT_THAT(api_.last_request().body, HasSubstr(R"("name":"c")"));
}

TEST_F(EventsTest, WhatAFullQueueDropsIsCountedAndMayComeAgain) {
  transport_.latency = 60ms;
  for (size_t i = 0; i < kMaxQueuedEvents; ++i) ASSERT_TRUE(recorder_.record(event(std::to_string(i))));
  EXPECT_FALSE(recorder_.record(event("one-too-many")));
  EXPECT_EQ(dropped("queue_full"), 1);
  sim_->run_for(1min + 1s);
  EXPECT_EQ(count("tenon_events_written_total"), kMaxQueuedEvents);
  EXPECT_TRUE(recorder_.record(event("one-too-many")));
}

TEST_F(EventsTest, AnObjectMayBeTheSubjectOfABurstAndThenOfOneEventInFiveMinutes) {
  EventRecorder::Event often = event("n");
  often.dedupe = 0s;
  for (int i = 0; i < kObjectEventBurst; ++i) ASSERT_TRUE(recorder_.record(often));
  EXPECT_FALSE(recorder_.record(often));
  EXPECT_EQ(dropped("object_rate"), 1);
  EXPECT_TRUE(recorder_.record(event("n", "DisruptionTerminating")));
  sim_->run_for(kObjectEventInterval);
  EXPECT_TRUE(recorder_.record(often));
  EXPECT_FALSE(recorder_.record(often));
}

TEST_F(EventsTest, NominationsHaveARateOfTheirOwn) {
  for (int i = 0; i < kNominationBurst; ++i) ASSERT_TRUE(recorder_.record(event(std::to_string(i), "Nominated")));
  EXPECT_FALSE(recorder_.record(event("late", "Nominated")));
  EXPECT_EQ(dropped("reason_rate"), 1);
  sim_->run_for(kNominationInterval);
  EXPECT_TRUE(recorder_.record(event("late", "Nominated")));
}

TEST_F(EventsTest, WritesHaveARate) {
  for (size_t i = 0; i < kMaxQueuedEvents; ++i) ASSERT_TRUE(recorder_.record(event(std::to_string(i))));
  sim_->run_for(1s);
  EXPECT_EQ(api_.count(kEventsPath), static_cast<size_t>(kEventBurst + 1s / kEventInterval));
}

TEST_F(EventsTest, AnEventThatTheServerRefusesIsLostAndReportedOnce) {
  api_.fail_next(2, 403);
  EXPECT_TRUE(recorder_.record(event("a")));
  EXPECT_TRUE(recorder_.record(event("b")));
  EXPECT_TRUE(recorder_.record(event("c")));
  sim_->run_for(1s);
  EXPECT_EQ(count("tenon_events_failed_total"), 2);
  EXPECT_EQ(count("tenon_events_written_total"), 1);
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("create events")));
}

TEST_F(EventsTest, TheQueueWaitsForAServerThatDoesNotAnswer) {
  api_.fail_next(3, 503);
  EXPECT_TRUE(recorder_.record(event("a")));
  EXPECT_TRUE(recorder_.record(event("b")));
  sim_->run_for(30s);
  EXPECT_EQ(count("tenon_events_written_total"), 2);
  EXPECT_EQ(count("tenon_events_failed_total"), 0);
}

TEST_F(EventsTest, AStopWritesWhatIsQueuedForAShortTime) {
  transport_.latency = 60ms;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(recorder_.record(event(std::to_string(i))));
  recorder_.stop();
  EXPECT_EQ(api_.count(kEventsPath), 5u);
  EXPECT_FALSE(recorder_.record(event("late")));
  EXPECT_EQ(dropped("stopped"), 1);
}

TEST_F(EventsTest, AStopDoesNotWaitForAServerThatHangs) {
  transport_.latency = 1h;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(recorder_.record(event(std::to_string(i))));
  const Instant before = sim_->now();
  recorder_.stop();
  EXPECT_EQ(sim_->now() - before, kEventDrain);
  EXPECT_EQ(dropped("stopped"), 5);
}

}  // namespace
}  // namespace tenon::kube

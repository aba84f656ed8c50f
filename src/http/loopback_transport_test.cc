// SPDX-License-Identifier: Apache-2.0
#include "http/loopback_transport.h"

#include <gtest/gtest.h>

#include <functional>

#include "runtime/sim.h"

namespace tenon::http {
namespace {

class FunctionHandler : public Handler {
 public:
  using Function = std::function<void(const ServerRequest&, ResponseWriter&, const std::stop_token&)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}
  void serve(const ServerRequest& request, ResponseWriter& writer, const std::stop_token& stop) override {
    function_(request, writer, stop);
  }

 private:
  Function function_;
};

struct RecordingSink : StreamSink {
  bool on_head(int status, const Headers&) override {
    head = status;
    return head_wanted;
  }
  bool on_data(std::string_view bytes) override {
    data.emplace_back(bytes);
    return data.size() < wanted;
  }
  int head = 0;
  bool head_wanted = true;
  size_t wanted = 1000;
  std::vector<std::string> data;
};

TEST(LoopbackTransport, TheHandlerSeesTheRequestAsSent) {
  ServerRequest seen;
  FunctionHandler handler([&](const ServerRequest& request, ResponseWriter& writer, const std::stop_token&) {
    seen = request;
    writer.respond({201, {{"X-Answer", "yes"}}, "made"});
  });
  auto transport = make_loopback_transport({{"api.local:6443", &handler}});
  const auto response = transport->send(
      {.method = "PUT", .url = "https://api.local:6443/a%2Fb?x=1&y", .headers = {{"X-Q", "1"}}, .body = "hello"}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.get("x-answer"), "yes");
  EXPECT_EQ(response->body, "made");
  EXPECT_EQ(seen.method, "PUT");
  EXPECT_EQ(seen.host, "api.local:6443");
  EXPECT_EQ(seen.raw_path, "/a%2Fb");
  EXPECT_EQ(seen.raw_query, "x=1&y");
  EXPECT_EQ(seen.headers.get("x-q"), "1");
  EXPECT_EQ(seen.body, "hello");
}

TEST(LoopbackTransport, UnknownHostsAndBadUrlsAreErrors) {
  auto transport = make_loopback_transport({});
  EXPECT_EQ(transport->send({.url = "http://nowhere/"}, {}).error().code, Code::kUnavailable);
  EXPECT_EQ(transport->send({.url = "nowhere"}, {}).error().code, Code::kInvalid);
}

TEST(LoopbackTransport, AStoppedCallerIsToldSo) {
  FunctionHandler handler(
      [](const ServerRequest&, ResponseWriter& writer, const std::stop_token&) { writer.respond({200, {}, ""}); });
  auto transport = make_loopback_transport({{"h", &handler}});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(transport->send({.url = "http://h/"}, stop.get_token()).error().code, Code::kCancelled);
}

TEST(LoopbackTransport, AHandlerWithoutAnAnswerIsA500) {
  FunctionHandler handler([](const ServerRequest&, ResponseWriter&, const std::stop_token&) {});
  auto transport = make_loopback_transport({{"h", &handler}});
  EXPECT_EQ(transport->send({.url = "http://h/"}, {})->status, 500);
  RecordingSink sink;
  EXPECT_TRUE(transport->stream({.url = "http://h/"}, sink, {}));
  EXPECT_EQ(sink.head, 500);
}

TEST(LoopbackTransport, SendCollectsAStreamedAnswer) {
  FunctionHandler handler([](const ServerRequest&, ResponseWriter& writer, const std::stop_token&) {
    EXPECT_TRUE(writer.begin(200, {}));
    EXPECT_TRUE(writer.write("a"));
    EXPECT_TRUE(writer.write("b"));
  });
  auto transport = make_loopback_transport({{"h", &handler}});
  EXPECT_EQ(transport->send({.url = "http://h/"}, {})->body, "ab");
}

TEST(LoopbackTransport, WhenTheSinkHasEnoughTheHandlerIsStopped) {
  int written = 0;
  bool stopped = false;
  FunctionHandler handler([&](const ServerRequest&, ResponseWriter& writer, const std::stop_token& stop) {
    ASSERT_TRUE(writer.begin(200, {}));
    while (writer.write("x")) ++written;
    stopped = stop.stop_requested();
  });
  auto transport = make_loopback_transport({{"h", &handler}});
  RecordingSink sink;
  sink.wanted = 3;
  EXPECT_TRUE(transport->stream({.url = "http://h/"}, sink, {}));
  EXPECT_EQ(sink.data.size(), 3u);
  EXPECT_EQ(written, 2);
  EXPECT_TRUE(stopped);
}

TEST(LoopbackTransport, ASinkThatRefusesTheHeadGetsNoData) {
  FunctionHandler handler(
      [&](const ServerRequest&, ResponseWriter& writer, const std::stop_token&) { writer.respond({404, {}, "body"}); });
  auto transport = make_loopback_transport({{"h", &handler}});
  RecordingSink sink;
  sink.head_wanted = false;
  EXPECT_TRUE(transport->stream({.url = "http://h/"}, sink, {}));
  EXPECT_EQ(sink.head, 404);
  EXPECT_TRUE(sink.data.empty());
}

TEST(LoopbackTransport, AStreamIsCancelledInSimulation) {
  auto sim = runtime::make_sim_runtime({});
  auto event = sim->make_event();
  FunctionHandler handler([&](const ServerRequest&, ResponseWriter& writer, const std::stop_token& stop) {
    EXPECT_TRUE(writer.begin(200, {}));
    EXPECT_EQ(event->wait(0, kNever, stop), runtime::Wake::kStopped);
    EXPECT_FALSE(writer.write("too late"));
  });
  auto transport = make_loopback_transport({{"h", &handler}});
  RecordingSink sink;
  Status ended;
  auto task = sim->spawn(
      "watcher", [&](const std::stop_token& stop) { ended = transport->stream({.url = "http://h/"}, sink, stop); });
  sim->run_for(1h);
  EXPECT_EQ(sink.head, 200);
  task.reset();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kCancelled);
  EXPECT_TRUE(sink.data.empty());
}

}  // namespace
}  // namespace tenon::http

// The API server's answers about NodeClaims and Pods are incomplete for some time. No node is removed because of it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr const char* kClaims = "/apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kPods = "/api/v1/pods";

struct Wrong {
  bool kind_unknown = false;  // every request about NodeClaims is answered with 404
  bool lists_empty = false;   // lists of NodeClaims have no items
  bool watches_gone = false;  // the watch of NodeClaims ends with 410
  bool pods_garbled = false;  // the containers of pods cannot be decoded
};

std::string garbled(std::string pods) {
  constexpr std::string_view kList = R"("containers":[)";
  for (size_t at = 0; (at = pods.find(kList, at)) != std::string::npos; at += kList.size())
    pods.replace(at, kList.size(), R"("containers":"?","was":[)");
  return pods;
}

// Between the controllers and the API server.
class WrongWire : public http::Transport {
 public:
  WrongWire(std::unique_ptr<http::Transport> inner, const Wrong& wrong) : inner_(std::move(inner)), wrong_(wrong) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const auto url = http::parse_url(request.url);
    if (wrong_.kind_unknown && url->path.starts_with(kClaims)) return status(404, "NotFound", R"("details":{},)");
    Result<http::Response> answer = inner_->send(request, stop);
    if (answer && wrong_.lists_empty && request.method == "GET" && url->path == kClaims) {
      json::value list = *json::parse(answer->body);
      list.as_object()["items"] = json::array();
      answer->body = json::to_string(list);
    }
    if (answer && wrong_.pods_garbled && url->path == kPods) answer->body = garbled(std::move(answer->body));
    return answer;
  }

  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    const auto url = http::parse_url(request.url);
    if (!wrong_.watches_gone || url->path != kClaims) {
      WrongSink wrong(sink, wrong_, url->path);
      return inner_->stream(request, wrong, stop);
    }
    const http::Response gone = status(410, "Expired", "");
    (void)(sink.on_head(gone.status, gone.headers) && sink.on_data(gone.body));
    return ok();
  }

 private:
  // Ends a watch of NodeClaims at its next event while watches must end.
  class WrongSink : public http::StreamSink {
   public:
    WrongSink(http::StreamSink& inner, const Wrong& wrong, std::string_view path)
        : inner_(inner), wrong_(wrong), claims_(path == kClaims), pods_(path == kPods) {}
    bool on_head(int code, const http::Headers& headers) override { return inner_.on_head(code, headers); }
    bool on_data(std::string_view bytes) override {
      if (pods_ && wrong_.pods_garbled) return inner_.on_data(garbled(std::string(bytes)));
      return !(claims_ && wrong_.watches_gone) && inner_.on_data(bytes);
    }

   private:
    http::StreamSink& inner_;
    const Wrong& wrong_;
    const bool claims_, pods_;
  };

  static http::Response status(int code, const std::string& reason, const std::string& more) {
    return {code,
            {{"Content-Type", "application/json"}},
            R"({"kind":"Status","apiVersion":"v1","status":"Failure",)" + more + R"("reason":")" + reason +
                R"(","message":"the server could not find the requested resource","code":)" + std::to_string(code) +
                "}"};
  }

  std::unique_ptr<http::Transport> inner_;
  const Wrong& wrong_;
};

class BlindCaches : public testing::Test {
 protected:
  BlindCaches() {
    life_.scale(5);
    EXPECT_TRUE(life_.settle());
    EXPECT_EQ(life_.nodes().size(), 1u);
    EXPECT_EQ(life_.running_pods(), 5);
    name_ = life_.nodes().front().name;
  }
  void expect_untouched() {
    ASSERT_EQ(life_.nodes().size(), 1u);
    EXPECT_EQ(life_.nodes().front().name, name_);
    EXPECT_EQ(life_.running_pods(), 5);
    EXPECT_EQ(life_.live_instances(), 1);
    EXPECT_EQ(life_.calls("TerminateInstances"), 0);
  }

  Wrong wrong_;
  Life life_{{.types = {"m5.large"},
              .pod_millicores = 100,
              .pod_mib = 512,
              .kube_transport = [this](auto inner) { return std::make_unique<WrongWire>(std::move(inner), wrong_); }}};
  std::string name_;
};

TEST_F(BlindCaches, AWatchThatIsGoneAndAKindThatIsUnknownEndNoNode) {
  wrong_ = {.kind_unknown = true, .watches_gone = true};
  life_.run_for(30min);
  expect_untouched();
  const std::string why = life_.not_ready();
  EXPECT_TRUE(why.starts_with("NodeClaim: list nodeclaims: the server could not find the requested resource")) << why;
  wrong_ = {};
  life_.run_for(5min);
  expect_untouched();
  EXPECT_EQ(life_.not_ready(), "");
  life_.scale(0);
  ASSERT_TRUE(life_.settle());
  EXPECT_EQ(life_.live_instances(), 0) << "and then all works as before";
}

TEST_F(BlindCaches, EmptyListsOfNodeClaimsEndNoNode) {
  wrong_ = {.lists_empty = true, .watches_gone = true};
  life_.run_for(30min);
  expect_untouched();
  wrong_ = {};
  life_.run_for(5min);
  expect_untouched();
}

// The node would look empty without its pods.
TEST_F(BlindCaches, PodsThatCannotBeReadKeepTheirNode) {
  life_.crash();
  wrong_ = {.pods_garbled = true};
  life_.restart();
  life_.run_for(2h);
  expect_untouched();
  wrong_ = {};
  life_.scale(0);
  ASSERT_TRUE(life_.settle());
  EXPECT_EQ(life_.live_instances(), 0) << "what can be read again may go";
}

TEST_F(BlindCaches, AControllerThatStartsWithThemEndsNoNode) {
  life_.crash();
  wrong_ = {.lists_empty = true};
  life_.restart();
  life_.run_for(30min);
  expect_untouched();
}

}  // namespace
}  // namespace tenon::simulation

// The ConfigMap tenon-freeze cannot be read, or its watch is lost: that is not "no freeze".
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "simulation/life.h"
#include "simulation/tampered_wire.h"

namespace tenon::simulation {
namespace {

constexpr const char* kConfigMaps = "/api/v1/namespaces/karpenter/configmaps";
const kubesim::Resource kResource{"", "configmaps"};

// A transport between the controllers and the API server. While `denied` is set, it denies requests about ConfigMaps
// and ends their watches.
class DenyingWire : public http::Transport {
 public:
  DenyingWire(std::unique_ptr<http::Transport> inner, const bool& denied) : inner_(std::move(inner)), denied_(denied) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    if (denies(request)) return refusal();
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    if (denies(request)) {
      const http::Response answer = refusal();
      (void)(sink.on_head(answer.status, answer.headers) && sink.on_data(answer.body));
      return ok();
    }
    CuttingSink cutting(sink, http::parse_url(request.url)->path == kConfigMaps, denied_);
    return inner_->stream(request, cutting, stop);
  }

 private:
  // Ends a watch of ConfigMaps at its next data while it is denied.
  class CuttingSink : public http::StreamSink {
   public:
    CuttingSink(http::StreamSink& inner, bool cuts, const bool& denied) : inner_(inner), cuts_(cuts), denied_(denied) {}
    bool on_head(int code, const http::Headers& headers) override { return inner_.on_head(code, headers); }
    bool on_data(std::string_view bytes) override { return !(cuts_ && denied_) && inner_.on_data(bytes); }

   private:
    http::StreamSink& inner_;
    const bool cuts_;
    const bool& denied_;
  };

  static http::Response refusal() { return kube_refusal(403, "Forbidden", "configmaps is forbidden"); }
  bool denies(const http::Request& request) const {
    return denied_ && http::parse_url(request.url)->path == kConfigMaps;
  }

  std::unique_ptr<http::Transport> inner_;
  const bool& denied_;
};

class Freeze : public testing::Test {
 protected:
  Freeze() { life_.create({"", "namespaces"}, "", "{apiVersion: v1, kind: Namespace, metadata: {name: karpenter}}"); }
  void freeze(const std::string& data) {
    life_.create(kResource, "karpenter",
                 "{apiVersion: v1, kind: ConfigMap, metadata: {name: tenon-freeze, namespace: karpenter}, data: {" +
                     data + "}}");
  }
  bool logged(const std::string& text) const {
    return std::any_of(life_.decided().begin(), life_.decided().end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  bool denied_ = false;
  Life life_{
      {.types = {"m5.large"},
       .consolidate_after = "30s",
       .pod_millicores = 1500,
       .pod_mib = 512,
       .kube_transport = [this](auto inner) { return std::make_unique<DenyingWire>(std::move(inner), denied_); }}};
};

TEST_F(Freeze, AStartWithoutThePermissionLaunchesNothingAndSaysWhy) {
  life_.crash();
  denied_ = true;
  life_.scale(2);
  life_.restart();
  life_.run_for(10min);
  EXPECT_EQ(life_.live_instances(), 0);
  const std::string why = life_.not_ready();
  EXPECT_NE(why.find("ConfigMap karpenter/tenon-freeze: "), std::string::npos) << why;
  EXPECT_NE(why.find("configmaps is forbidden"), std::string::npos) << why;
  denied_ = false;
  EXPECT_TRUE(life_.run_until_running(2));
  EXPECT_EQ(life_.not_ready(), "");
}

TEST_F(Freeze, AFreezeThatALostWatchHidesHoldsNevertheless) {
  life_.scale(2);
  ASSERT_TRUE(life_.run_until_running(2));
  ASSERT_TRUE(life_.settle());
  denied_ = true;
  // The last event before the cut: the watch ends with it, and no later request is allowed.
  freeze(R"(launches: "true", disruption: "true")");
  life_.run_for(4s);
  life_.scale(0);
  life_.run_for(1min);
  life_.scale(5);
  life_.run_for(15min);
  EXPECT_EQ(life_.live_instances(), 2) << "neither launched nor removed";
  EXPECT_TRUE(logged("are frozen until it is known: ConfigMap karpenter/tenon-freeze"));
  denied_ = false;
  ASSERT_TRUE(life_.run_until([&] { return logged("are frozen by ConfigMap karpenter/tenon-freeze"); }, 1min));
  life_.run_for(5min);
  EXPECT_EQ(life_.live_instances(), 2) << "the freeze is known now";
  life_.remove(kResource, "karpenter", "tenon-freeze");
  EXPECT_TRUE(life_.run_until_running(5)) << "and thaws";
}

TEST_F(Freeze, LaunchesStopWithinFiveSecondsOfTheFreezeAndResumeAfterIt) {
  life_.scale(1);
  ASSERT_TRUE(life_.run_until_running(1));
  freeze(R"(launches: "true")");
  life_.run_for(5s);
  const Instant frozen = life_.now();
  life_.scale(6);
  life_.run_for(10min);
  EXPECT_TRUE(life_.launched_since(frozen).empty());
  EXPECT_EQ(life_.running_pods(), 1);
  life_.remove(kResource, "karpenter", "tenon-freeze");
  ASSERT_TRUE(life_.run_until([&] { return life_.live_instances() == 6; }, 10s));
  EXPECT_TRUE(life_.run_until_running(6));
}

}  // namespace
}  // namespace tenon::simulation

// `tenon controller --observe` beside another controller: it writes its own lease and events in its own namespace only,
// reports each decision once, and stays within deploy/rbac-observe.yaml (tests/scenarios/permissions_test.cc: and
// within deploy/iam/observe-policy.json).
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "aws/observer_rule.h"
#include "base/text.h"
#include "json/json.h"
#include "simulation/as_karpenter.h"
#include "simulation/life.h"
#include "testing/roles.h"

namespace tenon::simulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The requests that the observer has sent, recorded below its own filter.
struct Sent {
  std::set<std::string> writes;      // "PUT /apis/…", to the API server
  std::vector<std::string> refused;  // by the roles
  size_t to_aws = 0;
};

class Recording final : public http::Transport {
 public:
  Recording(std::unique_ptr<http::Transport> inner, Sent& sent, bool to_aws)
      : inner_(std::move(inner)), sent_(sent), to_aws_(to_aws) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    if (to_aws_) {
      ++sent_.to_aws;
      EXPECT_TRUE(aws::observer_may_send(request)) << request.body;
    } else if (request.method != "GET") {
      sent_.writes.insert(request.method + " " + std::string(http::parse_url(request.url)->path));
    }
    return inner_->send(request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    EXPECT_EQ(request.method, "GET");
    return inner_->stream(request, sink, stop);
  }

 private:
  const std::unique_ptr<http::Transport> inner_;
  Sent& sent_;
  const bool to_aws_;
};

class ObserverLife : public ::testing::Test {
 protected:
  LifeOptions options() {
    return {.types = {"m5.large", "m5.2xlarge"},
            .pod_millicores = 1500,
            .pod_mib = 1500,
            .leader_election = true,
            .observer = true,
            .observer_wire = [this](auto inner) { return wire(std::move(inner)); },
            .kube_transport = as_karpenter};
  }

  // The transport to the API server is made right before that to AWS.
  std::unique_ptr<http::Transport> wire(std::unique_ptr<http::Transport> inner) {
    const bool to_aws = wires_++ % 2 == 1;
    auto recording = std::make_unique<Recording>(std::move(inner), sent_, to_aws);
    if (to_aws) return recording;
    return tenon::testing::hold_to_roles(std::move(recording), sent_.refused, {"rbac-observe.yaml"});
  }

  static std::vector<std::string> reported(const Life& life) {
    std::vector<std::string> lines;
    for (const std::string& line : life.decided()) {
      if (line.starts_with("observed: ")) lines.push_back(line);
    }
    return lines;
  }

  // Returns reason and message of the events in kube-system about the observer's lease.
  static std::set<std::string> events(Life& life) {
    std::set<std::string> all;
    const auto found = life.api().list({"", "events"}, "kube-system");
    for (const auto& event : found->items) {
      if (json::string_at(*event, {"involvedObject", "name"}) != "tenon-observer") continue;
      all.insert(std::string(json::string_at(*event, {"reason"})) + ": " +
                 std::string(json::string_at(*event, {"message"})));
    }
    return all;
  }

  static std::string holder(Life& life, const std::string& lease) {
    const auto found = life.api().get({"coordination.k8s.io", "leases"}, "kube-system", lease);
    return found ? std::string(json::string_at(**found, {"spec", "holderIdentity"})) : found.error().message;
  }

  static size_t claims(Life& life) { return life.api().list({"karpenter.sh", "nodeclaims"}, "")->items.size(); }

  void expect_harmless(const Life& life) const {
    EXPECT_THAT(sent_.writes, ElementsAre("POST /api/v1/namespaces/kube-system/events",
                                          "POST /apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
                                          "PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
                                          "tenon-observer"));
    EXPECT_THAT(sent_.refused, IsEmpty());
    EXPECT_GT(sent_.to_aws, 0u);
    for (const Life::Failure& failure : life.failures()) ADD_FAILURE() << failure.line;
  }

  Sent sent_;
  int wires_ = 0;
};

// The other controller waits for an hour, because the node looks adopted.
TEST_F(ObserverLife, ReportsOnceWhatAReplacementWouldSave) {
  Life life(options());
  life.scale(5);
  ASSERT_TRUE(life.settle());
  const size_t before = reported(life).size();
  life.scale(1);
  life.run_for(30min);
  auto lines = reported(life);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before));
  ASSERT_EQ(lines.size(), 1u) << join(lines, "\n");
  EXPECT_THAT(lines[0], HasSubstr("observed: would remove "));
  EXPECT_THAT(lines[0], HasSubstr(" of nodepools=[default] (Underutilized) and launch on-demand m5.large in "));
  EXPECT_THAT(lines[0], HasSubstr(" at $0.096/h, which saves $0.288/h"));
  EXPECT_TRUE(events(life).contains("WouldDisrupt: Would" + lines[0].substr(std::string("observed: would").size())));
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.nodes()[0].type, "m5.2xlarge");
  EXPECT_EQ(holder(life, "tenon-observer"), "observer");
  EXPECT_THAT(holder(life, "karpenter-leader-election"), HasSubstr("replica-0"));
  expect_harmless(life);
}

TEST_F(ObserverLife, ReportsOnceWhatItWouldLaunch) {
  Life life(options());
  life.process(0).crash();
  const size_t before = reported(life).size();
  life.scale(5);
  life.run_for(30min);
  auto lines = reported(life);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before));
  ASSERT_EQ(lines.size(), 1u) << join(lines, "\n");
  EXPECT_THAT(lines[0], HasSubstr("observed: would launch on-demand m5.2xlarge in "));
  EXPECT_THAT(lines[0], HasSubstr(" at $0.384/h for 5 pods of nodepool/default"));
  EXPECT_TRUE(events(life).contains("WouldLaunch: Would" + lines[0].substr(std::string("observed: would").size())));
  EXPECT_EQ(claims(life), 0u);
  EXPECT_EQ(life.live_instances(), 0);
  // A change of the pods is another decision.
  life.scale(2);
  life.run_for(10min);
  EXPECT_GT(reported(life).size(), before + 1);
  EXPECT_EQ(claims(life), 0u);
  expect_harmless(life);
}

}  // namespace
}  // namespace tenon::simulation

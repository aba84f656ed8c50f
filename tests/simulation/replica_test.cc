// Replicas with leader election: how the lease passes on when a leader is stopped, and when it cannot renew it.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "cli/demo/sim_process.h"
#include "cli/demo/world.h"
#include "json/json.h"
#include "json/yaml.h"
#include "testing/demo_node_class.h"

namespace tenon::simulation {
namespace {

using ::testing::HasSubstr;

constexpr Duration kRenewDeadline = 10s;

const kubesim::Resource kClaims{"karpenter.sh", "nodeclaims"};

constexpr const char* kNodePool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
)";

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {namespace: default}
spec: {containers: [{name: main, image: pause, resources: {requests: {cpu: 1500m}}}]}
)";

struct Sent {
  Instant at;
  std::string what;  // "PUT /apis/…" or "CreateFleet"
};

// The wires of one process to both servers, and the requests on them.
struct Line {
  bool hangs = false;           // no answer comes, of the API server
  std::string slow = "-";       // requests whose name begins so are answered with this delay
  Duration late{};              // the delay
  std::vector<Sent> sent = {};  // in order

  size_t count(std::string_view what, Instant from = {}) const {
    return static_cast<size_t>(std::count_if(sent.begin(), sent.end(),
                                             [&](const Sent& s) { return s.at >= from && s.what.starts_with(what); }));
  }
};

std::string name_of(const http::Request& request, bool aws) {
  if (!aws) return request.method + " " + std::string(http::parse_url(request.url)->path);
  const std::string& body = request.body;
  const size_t at = body.find("Action=");
  return at == std::string::npos ? "other" : body.substr(at + 7, body.find('&', at) - at - 7);
}

class LineTransport : public http::Transport {
 public:
  LineTransport(runtime::Runtime*& runtime, std::unique_ptr<http::Transport> inner, std::shared_ptr<Line> line,
                bool aws)
      : runtime_(runtime), inner_(std::move(inner)), line_(std::move(line)), aws_(aws) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const std::string name = name_of(request, aws_);
    line_->sent.push_back({runtime_->now(), name});
    if (line_->hangs && !aws_) {
      const bool stopped = runtime_->sleep_for(request.timeout, stop) == runtime::Wake::kStopped;
      return fail(stopped ? Code::kCancelled : Code::kTimeout, "no answer");
    }
    auto answer = inner_->send(request, stop);
    if (name.starts_with(line_->slow) && runtime_->sleep_for(line_->late, stop) == runtime::Wake::kStopped)
      return fail(Code::kCancelled, "cancelled");
    return answer;
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  runtime::Runtime*& runtime_;
  const std::unique_ptr<http::Transport> inner_;
  const std::shared_ptr<Line> line_;
  const bool aws_;
};

class Replicas : public ::testing::Test {
 protected:
  void start(size_t replicas) {
    cli::SimWorld::Options options;
    options.replicas = replicas;
    options.leader_election = true;
    options.aws_fault = [this](const std::string& action) {
      return action == aws_refuses_ ? "InternalError" : std::string();
    };
    // The Kubernetes transport of a process is made right before that of AWS.
    options.kube_wire = [this](std::unique_ptr<http::Transport> inner) -> std::unique_ptr<http::Transport> {
      lines_.push_back(std::make_shared<Line>());
      return std::make_unique<LineTransport>(runtime_, std::move(inner), lines_.back(), false);
    };
    options.aws_wire = [this](std::unique_ptr<http::Transport> inner) -> std::unique_ptr<http::Transport> {
      return std::make_unique<LineTransport>(runtime_, std::move(inner), lines_.back(), true);
    };
    auto world = cli::SimWorld::make(std::move(options));
    CHECK(world.has_value(), world ? "" : world.error().message);
    world_ = std::move(*world);
    runtime_ = &world_->sim();
    create({"karpenter.k8s.aws", "ec2nodeclasses"}, "", testing::kDemoNodeClass);
    create({"karpenter.sh", "nodepools"}, "", kNodePool);
    world_->sim().run_for(1min);
  }

  void create(const kubesim::Resource& resource, const std::string& ns, const std::string& yaml,
              const std::string& name = "") {
    json::value object = json::parse_yaml(yaml)->front();
    if (!name.empty()) json::ensure(object, {"metadata", "name"}) = name;
    const auto created = world_->cluster().api().create(resource, ns, object);
    CHECK(created.has_value(), created ? "" : created.error().message);
  }
  void add_pod(const std::string& name) { create({"", "pods"}, "default", kPod, name); }

  // Adds a pod; returns as soon as AWS receives the request for its instance.
  void await_launch(const Line& line) {
    const Instant begun = now();
    add_pod("a");
    ASSERT_TRUE(until([&] { return line.count("CreateFleet", begun) > 0; }, 1min));
  }

  Instant now() const { return world_->sim().now(); }
  bool until(const std::function<bool()>& done, Duration at_most) { return world_->sim().run_until(done, at_most); }
  size_t leader() {
    for (size_t i = 0; i < 2; ++i) {
      if (world_->process(i).leading()) return i;
    }
    ADD_FAILURE() << "nobody leads";
    return 0;
  }
  std::string holder() {
    const auto lease =
        world_->cluster().api().get({"coordination.k8s.io", "leases"}, "kube-system", "karpenter-leader-election");
    return lease ? std::string(json::string_at(**lease, {"spec", "holderIdentity"})) : lease.error().message;
  }
  std::vector<std::string> claims() {  // their instances; "" until it is recorded
    std::vector<std::string> ids;
    const auto all = world_->cluster().api().list(kClaims, "");
    for (const auto& claim : all->items) ids.emplace_back(json::string_at(*claim, {"status", "providerID"}));
    return ids;
  }
  size_t instances() { return world_->cluster().fake_aws().instances().size(); }
  bool pods_run() {
    const auto pods = world_->cluster().api().list({"", "pods"}, "default");
    return std::all_of(pods->items.begin(), pods->items.end(),
                       [](const auto& pod) { return json::string_at(*pod, {"status", "phase"}) == "Running"; });
  }

  std::string aws_refuses_;                   // an action
  std::vector<std::shared_ptr<Line>> lines_;  // of each process's life, oldest first
  runtime::Runtime* runtime_ = nullptr;
  std::unique_ptr<cli::SimWorld> world_;  // last: it writes to the members above
};

TEST_F(Replicas, ACleanStopWithNothingInFlightHandsOverWithinThreeSeconds) {
  start(2);
  const size_t first = leader();
  const Instant asked = now();
  world_->process(first).terminate();
  ASSERT_TRUE(until([&] { return world_->process(1 - first).leading(); }, 1min));
  EXPECT_LT(now() - asked, 3s);
  EXPECT_FALSE(world_->process(first).running());
  add_pod("a");
  EXPECT_TRUE(until([&] { return pods_run(); }, 5min));
}

TEST_F(Replicas, ACleanStopAwaitsLaunchesInFlightAndKeepsTheLease) {
  start(1);
  lines_[0]->slow = "CreateFleet";
  lines_[0]->late = 8s;
  await_launch(*lines_[0]);
  const Instant asked = now();
  const std::string holds = holder();
  world_->process(0).terminate();
  add_pod("b");  // no decision is pending any more
  world_->sim().run_for(7s);
  EXPECT_TRUE(world_->process(0).running());
  EXPECT_EQ(holder(), holds);
  EXPECT_GE(lines_[0]->count("PUT /apis/coordination.k8s.io", asked), 3u);
  ASSERT_TRUE(until([&] { return !world_->process(0).running(); }, 5s));
  ASSERT_EQ(claims().size(), 1u);
  EXPECT_THAT(claims().front(), HasSubstr("aws:///"));
  EXPECT_EQ(lines_[0]->count("POST /apis/karpenter.sh", asked + 1ns), 0u);  // no NodeClaim for the other pod
  EXPECT_EQ(holder(), "");

  ASSERT_TRUE(world_->process(0).start());
  EXPECT_TRUE(until([&] { return pods_run(); }, 5min));
  EXPECT_EQ(instances(), claims().size());
}

TEST_F(Replicas, ALaunchThatOutlastsTheGraceIsLeftToTheNextLeader) {
  start(1);
  lines_[0]->slow = "CreateFleet";
  lines_[0]->late = 10min;
  await_launch(*lines_[0]);
  const Instant asked = now();
  world_->process(0).terminate();
  ASSERT_TRUE(until([&] { return !world_->process(0).running(); }, 1min));
  EXPECT_GE(now() - asked, controllers::kLaunchGrace);
  EXPECT_LT(now() - asked, controllers::kLaunchGrace + 3s);
  EXPECT_EQ(claims(), std::vector<std::string>{""});
  EXPECT_EQ(instances(), 1u);
  ASSERT_TRUE(world_->process(0).start());
  ASSERT_TRUE(until([&] { return pods_run(); }, 5min));
  EXPECT_EQ(instances(), 1u);
}

TEST_F(Replicas, ALeaderWhoseServerHangsSendsNothingAfterItsLeaseIsLost) {
  start(2);
  const size_t first = leader();
  const auto line = lines_[first];
  line->slow = "CreateFleet";
  line->late = 5s;
  for (const char* name : {"b", "c"}) add_pod(name);
  await_launch(*line);
  line->hangs = true;
  Instant renewed{};
  for (const Sent& sent : line->sent) {
    if (sent.what.starts_with("PUT /apis/coordination.k8s.io")) renewed = sent.at;
  }
  ASSERT_TRUE(until([&] { return world_->process(first).leases_lost() == 1; }, 1min));
  EXPECT_LE(now() - renewed, kRenewDeadline + 2s);
  const Instant lost = renewed + kRenewDeadline;
  for (const Sent& sent : line->sent) EXPECT_LT(sent.at, lost) << sent.what;
  ASSERT_TRUE(until([&] { return world_->process(1 - first).leading(); }, 1min));
  ASSERT_TRUE(until([&] { return pods_run(); }, 5min));
  EXPECT_EQ(instances(), claims().size());
  EXPECT_FALSE(world_->process(first).leading());  // its next life waits
}

TEST_F(Replicas, ACrashedLeadersLeaseRunsOut) {
  start(2);
  const size_t first = leader();
  world_->process(first).crash();
  const Instant crashed = now();
  ASSERT_TRUE(until([&] { return world_->process(1 - first).leading(); }, 1min));
  EXPECT_GT(now() - crashed, 12s);
  // The standby observes the last renewal, and that it has expired, each at one of its reads: 2 to 2.5 s apart.
  EXPECT_LE(now() - crashed, 15s + 2 * 2500ms);
}

TEST_F(Replicas, AStandbyIsReadyOnceItsCachesAndItsCatalogAre) {
  start(2);
  const size_t first = leader(), second = 1 - first;
  EXPECT_TRUE(world_->process(second).parts()->manager->ready());
  EXPECT_GE(lines_[second]->count("DescribeInstanceTypes"), 1u);
  EXPECT_EQ(lines_[second]->count("POST /api"), 0u);

  world_->process(second).crash();
  aws_refuses_ = "DescribeInstanceTypes";
  ASSERT_TRUE(world_->process(second).start());
  world_->sim().run_for(1min);
  EXPECT_FALSE(world_->process(second).parts()->manager->ready());
  aws_refuses_.clear();
  EXPECT_TRUE(until([&] { return world_->process(second).parts()->manager->ready(); }, 1min));
  EXPECT_TRUE(world_->process(first).leading());
}

}  // namespace
}  // namespace tenon::simulation

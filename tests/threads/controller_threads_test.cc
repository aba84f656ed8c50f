// The controller process on sockets and real threads, against the embedded cluster: from its start through a launch to
// its end, while probes and metrics are scraped all the time.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/text.h"
#include "cli/controller/controller_command.h"
#include "cli/demo/world.h"
#include "http/curl_transport.h"
#include "http/listener.h"
#include "json/json.h"
#include "json/yaml.h"
#include "testing/demo_node_class.h"

namespace tenon::cli {
namespace {

constexpr Duration kAtMost = 4min;  // for any condition

constexpr const char* kNodePool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
)";
constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: main, image: pause, resources: {requests: {cpu: 1500m}}}]}
)";

uint16_t free_port() {
  const auto listener = http::listen_on("", 0);
  return listener ? listener->port : 0;
}

class ControllerThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    auto world = LiveWorld::make({.controllers = false});
    ASSERT_TRUE(world) << world.error().message;
    world_ = std::move(*world);
    const std::string exports = world_->aws_environment();
    for (const std::string_view line : split(exports, '\n')) {
      const auto [name, value] = cut(cut(line, ' ').second, '=');
      if (!name.empty()) variables_[std::string(name)] = value;
    }
    kubeconfig_ = std::filesystem::temp_directory_path() / ("tenon-threads-" + std::to_string(::getpid()));
    std::ofstream(kubeconfig_) << world_->kubeconfig();
    create({"karpenter.k8s.aws", "ec2nodeclasses"}, "", testing::kDemoNodeClass);
    create({"karpenter.sh", "nodepools"}, "", kNodePool);
    create({"", "pods"}, "default", kPod);
  }
  void TearDown() override { std::filesystem::remove(kubeconfig_); }

  void create(const kubesim::Resource& resource, const std::string& ns, const char* yaml) {
    const auto created = world_->cluster().api().create(resource, ns, json::parse_yaml(yaml)->front());
    ASSERT_TRUE(created) << created.error().message;
  }
  aws::Environment environment() {
    return [this](const std::string& name) {
      const auto it = variables_.find(name);
      return it == variables_.end() ? std::string() : it->second;
    };
  }
  // Waits until an object of this kind satisfies `done`.
  bool await(const kubesim::Resource& resource, const std::function<bool(const json::value&)>& done) {
    const auto changes = world_->cluster().api().watch(resource);
    const Instant end = world_->runtime().now() + kAtMost;
    while (changes->wait(end, {}) == runtime::Wake::kNotified) {
      for (const auto& change : changes->take()) {
        if (change.object && done(*change.object)) return true;
      }
    }
    return false;
  }

  std::unique_ptr<LiveWorld> world_;
  std::map<std::string, std::string> variables_;
  std::filesystem::path kubeconfig_;
};

TEST_F(ControllerThreads, FromStartToStopWhileItIsScraped) {
  ControllerOptions options;
  options.kubeconfig = kubeconfig_;
  options.cluster_name = kDemoCluster;
  options.cluster_endpoint = world_->server_url();
  options.metrics_port = free_port();
  options.health_probe_port = free_port();
  std::atomic<bool> lost = false;
  auto process = ControllerProcess::make(options, environment(), {}, [&](const std::string&) { lost = true; });
  ASSERT_TRUE(process) << process.error().message;
  std::atomic<int> answers = 0;
  const auto transport = http::make_curl_transport();
  std::vector<std::unique_ptr<runtime::Task>> scrapers;
  for (const uint16_t port : {options.metrics_port, options.health_probe_port}) {
    scrapers.push_back(world_->runtime().spawn("scraper", [&, port](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        for (const char* path : {"/readyz", "/metrics", "/healthz"}) {
          http::Request request;
          request.url = "http://127.0.0.1:" + std::to_string(port) + path;
          const auto answer = transport->send(request, stop);
          if (answer) ++answers;
        }
      }
    }));
  }
  controllers::Replica::End end{};
  auto running =
      (*process)->runtime().spawn("controller", [&](const std::stop_token& stop) { end = (*process)->run(stop); });
  // It stops during a launch or a registration, so that every thread is busy.
  EXPECT_TRUE(await({"karpenter.sh", "nodeclaims"}, [](const json::value&) { return true; }));
  running->request_stop();
  running->join();
  EXPECT_EQ(end, controllers::Replica::End::kStopped);
  EXPECT_FALSE(lost);
  EXPECT_GT(answers, 0);
  running.reset();
  process->reset();
  scrapers.clear();

  const auto lease =
      world_->cluster().api().get({"coordination.k8s.io", "leases"}, "kube-system", "karpenter-leader-election");
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(json::string_at(**lease, {"spec", "holderIdentity"}), "");

  // The next process, from a cluster in use to a running pod.
  process = ControllerProcess::make(options, environment(), {}, [&](const std::string&) { lost = true; });
  ASSERT_TRUE(process) << process.error().message;
  running =
      (*process)->runtime().spawn("controller", [&](const std::stop_token& stop) { end = (*process)->run(stop); });
  EXPECT_TRUE(await({"", "pods"},
                    [](const json::value& pod) { return json::string_at(pod, {"status", "phase"}) == "Running"; }));
  EXPECT_EQ(world_->cluster().fake_aws().instances().size(), 1u);
  running.reset();
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace tenon::cli

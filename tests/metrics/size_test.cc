// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "aws/call_metrics.h"
#include "cloud/measured_provider.h"
#include "cloud/testing/memory_provider.h"
#include "controllers/manager/manager.h"
#include "controllers/metrics.h"
#include "http/loopback_transport.h"
#include "kube/client_metrics.h"
#include "kube/testing/fake_api.h"
#include "metrics/process.h"
#include "model/labels.h"
#include "runtime/sim.h"

namespace tenon::metrics_tests {
namespace {

using metrics::Detail;
using ::testing::HasSubstr;

constexpr int kNodes = 1000, kPodsOnNode = 10, kPools = 5;
constexpr size_t kMostSamples = 5000;

size_t samples_in(const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1)
    count += text[at] != '#';
  return count;
}

std::string conditions(std::initializer_list<const char*> types) {
  std::string out;
  for (const char* type : types) {
    out += fmt::format(R"({}{{"type":"{}","status":"True","reason":"{}","lastTransitionTime":"2026-01-01T00:00:00Z"}})",
                       out.empty() ? "" : ",", type, type);
  }
  return out;
}

// A cluster whose nodes all differ in type, zone or capacity type, behind an API server that only stores it.
class Cluster {
 public:
  explicit Cluster(Detail detail, int nodes = kNodes) : registry_(detail) {
    for (int pool = 0; pool < kPools; ++pool) put_pool(fmt::format("pool-{}", pool));
    for (int node = 0; node < nodes; ++node) put_node(node);
    manager_ =
        std::make_unique<controllers::Manager>(*sim_, *client_, *cloud_, registry_, controllers::ManagerOptions{});
    process_ = metrics::collect_process(registry_);
    manager_->warm_up();
    sim_->run_for(10s);
  }
  ~Cluster() { manager_->stop(); }

  metrics::Registry& registry() { return registry_; }
  runtime::SimRuntime& sim() { return *sim_; }
  kube::testing::FakeApi& api() { return api_; }

 private:
  void put_pool(const std::string& name) {
    api_.put("/apis/karpenter.sh/v1/nodepools", fmt::format(R"({{"metadata":{{"name":"{0}","uid":"{0}"}},
      "spec":{{"limits":{{"cpu":"1000"}},"template":{{"spec":{{"requirements":[],"nodeClassRef":
      {{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"}}}}}}}},
      "status":{{"resources":{{"cpu":"10","memory":"1Gi","nodes":"7"}},"conditions":[{1}]}}}})",
                                                            name, conditions({"Ready", "ValidationSucceeded"})));
  }

  void put_node(int number) {
    const std::string name = fmt::format("node-{}", number);
    const std::string labels = fmt::format(
        R"("karpenter.sh/nodepool":"pool-{}","karpenter.k8s.aws/ec2nodeclass":"default","kubernetes.io/arch":"amd64",
        "kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"type-{}","karpenter.sh/registered":"true",
        "karpenter.sh/capacity-type":"{}","topology.kubernetes.io/zone":"zone-{}","karpenter.sh/initialized":"true")",
        number % kPools, number / 6, number % 2 ? "spot" : "on-demand", number % 3);
    const char* resources = R"({"cpu":"2","memory":"8Gi","pods":"29","ephemeral-storage":"20Gi"})";
    api_.put("/api/v1/nodes", fmt::format(R"({{"metadata":{{"name":"{0}","uid":"{0}","labels":{{{1}}},
      "creationTimestamp":"2026-01-01T00:00:00Z"}},"spec":{{"providerID":"aws:///a/i-{2}"}},
      "status":{{"capacity":{3},"allocatable":{3},"conditions":[{4}]}}}})",
                                          name, labels, number, resources,
                                          conditions({"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"})));
    api_.put("/apis/karpenter.sh/v1/nodeclaims",
             fmt::format(R"({{"metadata":{{"name":"claim-{2}","uid":"claim-{2}",
      "labels":{{{1}}},"creationTimestamp":"2026-01-01T00:00:00Z"}},"spec":{{"requirements":[],"nodeClassRef":
      {{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"}}}},
      "status":{{"providerID":"aws:///a/i-{2}","nodeName":"{0}","capacity":{3},"allocatable":{3},
      "conditions":[{4}]}}}})",
                         name, labels, number, resources,
                         conditions({"Launched", "Registered", "Initialized", "Ready", "Consolidatable", "Drifted"})));
    for (int pod = 0; pod < kPodsOnNode; ++pod) {
      api_.put("/api/v1/pods",
               fmt::format(R"({{"metadata":{{"name":"p-{0}-{1}","namespace":"ns-{1}","uid":"p-{0}-{1}"}},
        "spec":{{"nodeName":"{2}","containers":[{{"name":"c","resources":{{"requests":{{"cpu":"100m",
        "memory":"100Mi"}}}}}}]}},"status":{{"phase":"{3}"}}}})",
                           number, pod, name, pod == 0 ? "Pending" : "Running"));
    }
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  kube::testing::FakeApi api_{*sim_};
  metrics::Registry registry_;
  std::unique_ptr<http::Transport> transport_ = http::make_loopback_transport({{"api", &api_}});
  std::unique_ptr<http::Transport> measured_ = kube::measure_requests(*transport_, *sim_, registry_);
  std::unique_ptr<kube::Client> client_ = kube::make_client(*sim_, *measured_, {.server = "http://api"});
  std::unique_ptr<cloud::Provider> cloud_ =
      cloud::measure(std::make_unique<cloud::testing::MemoryProvider>(*sim_), "aws", *sim_, registry_);
  std::shared_ptr<metrics::Collector> process_;
  std::unique_ptr<controllers::Manager> manager_;
};

// Records events of weeks: every reason, pool, zone and call that occurs.
void record_events(metrics::Registry& registry) {
  controllers::Metrics metrics(registry);
  for (int pool = 0; pool < kPools; ++pool) {
    for (const char* zone : {"zone-0", "zone-1", "zone-2"}) {
      for (const char* capacity : {"spot", "on-demand"}) {
        model::NodeClaim claim;
        claim.meta.labels = {{std::string(model::kLabelNodePool), fmt::format("pool-{}", pool)},
                             {std::string(model::kLabelZone), zone},
                             {std::string(model::kLabelCapacityType), capacity}};
        claim.meta.finalizers = {std::string(model::kFinalizerTermination)};
        claim.meta.deleted_at = Instant();
        for (const char* reason : {"provisioned", "drifted", "underutilized"})
          metrics.performed(plan::CreateNodeClaim{.claim = claim, .why = reason}, {});
        for (const char* reason :
             {"empty", "drifted", "underutilized", "expired", "unhealthy", "insufficient_capacity"})
          metrics.performed(plan::DeleteNodeClaim{claim, reason, "when_empty_or_underutilized", 1}, {});
        model::NodeClaim registered = claim;
        registered.conditions = {{.type = "Registered", .status = "True"},
                                 {.type = "Drained", .status = "True"},
                                 {.type = "InstanceTerminating", .status = "True"}};
        metrics.performed(plan::PatchNodeClaim{claim, registered}, {});
        model::NodeClaim released = registered;
        released.meta.finalizers.clear();
        metrics.performed(plan::PatchNodeClaim{registered, released}, {});
        model::Node node;
        node.meta = claim.meta;
        model::Node gone = node;
        gone.meta.finalizers.clear();
        metrics.performed(plan::PatchNode{node, gone}, {});
      }
    }
  }
  for (const char* reason : {"empty", "drifted", "underutilized"}) {
    for (const char* type : {"empty", "single", "multi"})
      metrics.evaluation_duration.observe({{"reason", reason}, {"consolidation_type", type}}, 1);
  }
  for (const char* controller : {"provisioner", "disruption"})
    metrics.scheduling_duration.observe({{"controller", controller}}, 1);
  auto& calls = registry.histogram({"karpenter_cloudprovider_duration_seconds",
                                    "Seconds of calls of the cloud provider.",
                                    {"controller", "method", "provider"}});
  for (const char* controller : {"nodeclaim.lifecycle", "node.termination", "nodeclaim.disruption", "catalog"}) {
    for (const char* method : {"Create", "Delete", "Get", "List", "IsDrifted", "GetInstanceTypes"})
      calls.observe({{"controller", controller}, {"method", method}, {"provider", "aws"}}, 1);
  }
  const auto aws = aws::count_calls(registry);
  for (const char* action :
       {"CreateFleet", "CreateLaunchTemplate", "DeleteLaunchTemplate", "CreateTags", "DescribeInstances",
        "DescribeInstanceTypes", "DescribeInstanceTypeOfferings", "DescribeImages", "DescribeSubnets",
        "DescribeSecurityGroups", "DescribeSpotPriceHistory", "DescribeCapacityReservations", "TerminateInstances",
        "GetParameter", "GetProducts", "ReceiveMessage", "DeleteMessage", "DescribeCluster", "GetInstanceProfile"}) {
    for (const int status : {200, 400, 503}) aws(aws::Attempt{.service = "ec2", .action = action, .status = status});
  }
}

TEST(MetricsAtScale, StandardHasFewerThanFiveThousandSamplesAtAThousandNodes) {
  Cluster cluster(Detail::kStandard);
  record_events(cluster.registry());
  const std::string text = cluster.registry().text();
  EXPECT_LT(samples_in(text), kMostSamples);
  EXPECT_THAT(text, HasSubstr("\nkarpenter_cluster_state_node_count 1000\n"));
  // The sums are those of all nodes and pods, whatever the number of groups.
  const auto sum_of = [&](const std::string& start, const std::string& containing) {
    double sum = 0;
    for (size_t at = text.find("\n" + start); at != std::string::npos; at = text.find("\n" + start, at + 1)) {
      const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
      if (line.find(containing) != std::string::npos) sum += std::stod(line.substr(line.rfind(' ') + 1));
    }
    return sum;
  };
  EXPECT_EQ(sum_of("tenon_nodes{", ""), kNodes);
  EXPECT_EQ(sum_of("karpenter_nodes_allocatable{", "resource_type=\"cpu\""), 2.0 * kNodes);
  EXPECT_NEAR(sum_of("karpenter_nodes_total_pod_requests{", "resource_type=\"cpu\""), kNodes, 1e-6);
  EXPECT_EQ(sum_of("karpenter_pods_state{", "phase=\"Running\""), kNodes * (kPodsOnNode - 1));
  EXPECT_EQ(sum_of("operator_nodeclaim_status_condition_count{", "type=\"Ready\""), kNodes);
  EXPECT_EQ(text.find("node-1"), std::string::npos);
}

TEST(MetricsAtScale, FullHasASeriesForEachNodeAndPod) {
  Cluster cluster(Detail::kFull, 20);
  const std::string text = cluster.registry().text();
  EXPECT_THAT(text, HasSubstr("node_name=\"node-7\""));
  EXPECT_THAT(text, HasSubstr("karpenter_pods_unstarted_time_seconds{name=\"p-3-0\",namespace=\"ns-0\"}"));
  EXPECT_THAT(text, HasSubstr("operator_nodeclaim_status_condition_current_status_seconds{type=\"Ready\""));
}

TEST(MetricsAtScale, ObjectsThatAreGoneLeaveNoSeries) {
  for (const Detail detail : {Detail::kStandard, Detail::kFull}) {
    Cluster cluster(detail, 20);
    record_events(cluster.registry());
    EXPECT_THAT(cluster.registry().text(), HasSubstr("nodepool=\"pool-3\""));
    for (int node = 0; node < 20; ++node) {
      cluster.api().remove("/api/v1/nodes", fmt::format("node-{}", node));
      cluster.api().remove("/apis/karpenter.sh/v1/nodeclaims", fmt::format("claim-{}", node));
      for (int pod = 0; pod < kPodsOnNode; ++pod)
        cluster.api().remove("/api/v1/pods", fmt::format("ns-{0}/p-{1}-{0}", pod, node));
    }
    cluster.api().remove("/apis/karpenter.sh/v1/nodepools", "pool-3");
    cluster.sim().run_for(1min);
    // The counters of the NodePool end an hour after it.
    EXPECT_THAT(cluster.registry().text(), HasSubstr("nodepool=\"pool-3\""));
    cluster.sim().run_for(1h);
    const std::string text = cluster.registry().text();
    for (const char* gone : {"pool-3", "node-7", "claim-7", "p-3-0", "type-1"})
      EXPECT_EQ(text.find(gone), std::string::npos) << gone;
    EXPECT_THAT(text, HasSubstr("nodepool=\"pool-2\""));
  }
}

}  // namespace
}  // namespace tenon::metrics_tests

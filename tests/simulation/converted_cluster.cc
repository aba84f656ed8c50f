// SPDX-License-Identifier: Apache-2.0
#include "simulation/converted_cluster.h"

#include <sstream>

#include "aws/client.h"
#include "aws/credentials.h"
#include "aws/ec2.h"
#include "base/check.h"
#include "cli/convert/in_cluster.h"
#include "cli/demo/world.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "simulation/tampered_wire.h"

namespace tenon::simulation {
namespace {

const kubesim::Resource kProvisioners{"karpenter.sh", "provisioners"}, kClaims{"karpenter.sh", "nodeclaims"},
    kNodes{"", "nodes"}, kPods{"", "pods"}, kLeases{"coordination.k8s.io", "leases"};
constexpr const char* kLease = "karpenter-leader-election";

LifeOptions life_options() {
  LifeOptions options;
  options.leader_election = true;
  options.types = {"m5.large"};
  options.pod_millicores = 1600;
  options.pod_mib = 128;
  options.pod_rules = "nodeSelector: {team: a}";
  return options;
}

std::string environment(const std::string& name) {
  if (name == "AWS_ENDPOINT_URL") return "http://aws.sim";
  if (name == "AWS_ACCESS_KEY_ID" || name == "AWS_SECRET_ACCESS_KEY") return "simulation";
  return name == "AWS_REGION" ? std::string(cli::kDemoRegion) : std::string();
}

// Counts the writes on the wire; after the last permitted one, nothing passes.
class Wire {
 public:
  Wire(int left, std::function<void(int)> after_write) : left_(left), after_write_(std::move(after_write)) {}
  int writes() const { return writes_; }

  Result<http::Response> operator()(const Passing& passing) {
    const bool reads = passing.request.method == "GET" || passing.calls("DescribeInstances");
    const bool of_lease = passing.request.url.find("/leases") != std::string::npos;
    if (!reads && !of_lease && writes_ == left_) cut_ = true;
    if (cut_) return fail(Code::kUnavailable, "the wire is cut");
    if (reads || of_lease) return passing.perform();
    ++writes_;
    Result<http::Response> answer = passing.perform();
    if (after_write_) after_write_(writes_);
    return answer;
  }

 private:
  const int left_;
  const std::function<void(int)> after_write_;
  int writes_ = 0;
  bool cut_ = false;
};

}  // namespace

ConvertedCluster::ConvertedCluster(const std::string& spec) : life_(life_options()) {
  life_.create({"", "namespaces"}, "", "{apiVersion: v1, kind: Namespace, metadata: {name: karpenter}}");
  life_.create({"", "configmaps"}, "karpenter", R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: karpenter-global-settings, namespace: karpenter}
data: {aws.defaultInstanceProfile: KarpenterNodeInstanceProfile-demo, aws.clusterName: demo}
)");
  life_.create({"karpenter.k8s.aws", "awsnodetemplates"}, "", R"(
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: old}
spec:
  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {karpenter.sh/discovery: demo}
)");
  life_.create(
      kProvisioners, "",
      "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: old}, spec: {labels: {team: a}, "
      "providerRef: {name: old}, requirements: [{key: node.kubernetes.io/instance-type, operator: In, "
      "values: [m5.large]}]" +
          spec + "}}");
  life_.scale(3);
  CHECK(life_.run_until_running(3), "the pods run");
  CHECK(life_.settle(), "nothing changes any more");
  life_.crash();
  make_bare();
  wait_for_lease();
}

void ConvertedCluster::make_bare() {
  kubesim::Api& api = life_.api();
  const std::string provisioner(json::string_at(**api.get(kProvisioners, "", "old"), {"metadata", "uid"}));
  const json::value node = all(kNodes).back();
  const std::string name(json::string_at(node, {"metadata", "name"}));
  const json::value patch{
      {"metadata",
       {{"labels", {{"karpenter.k8s.aws/awsnodetemplate", nullptr}, {"karpenter.sh/registered", nullptr}}},
        {"annotations", {{"karpenter.sh/do-not-consolidate", "true"}}},
        {"ownerReferences", json::array{json::object{{"apiVersion", "karpenter.sh/v1alpha5"},
                                                     {"kind", "Provisioner"},
                                                     {"name", "old"},
                                                     {"uid", provisioner},
                                                     {"blockOwnerDeletion", true}}}}}}};
  CHECK(api.merge_patch(kNodes, "", name, patch), name);
  const std::string_view id = json::string_at(node, {"spec", "providerID"});
  for (const json::value& claim : all(kClaims)) {
    if (json::string_at(claim, {"status", "providerID"}) != id) continue;
    const std::string claim_name(json::string_at(claim, {"metadata", "name"}));
    CHECK(api.merge_patch(kClaims, "", claim_name, {{"metadata", {{"finalizers", nullptr}}}}), claim_name);
    CHECK(api.remove(kClaims, "", claim_name), claim_name);
  }
  const auto aws_wire = http::make_loopback_transport({{"aws.sim", &life_.cluster().fake_aws()}});
  const auto credentials = aws::make_environment_credentials(environment);
  aws::Client client({*aws_wire, life_.sim(), **credentials}, {.region = cli::kDemoRegion, .environment = environment});
  const std::string instance(id.substr(id.rfind('/') + 1));
  CHECK(aws::Ec2(client).delete_tags(
            {instance}, {"karpenter.k8s.aws/ec2nodeclass", "eks:eks-cluster-name", "karpenter.sh/nodeclaim"}, {}),
        instance);
}

cli::ConvertOptions ConvertedCluster::options(bool apply) const {
  cli::ConvertOptions options;
  options.in_cluster = true;
  options.apply = apply;
  options.dry_run = !apply;
  options.rollback_file = file();
  return options;
}

Ran ConvertedCluster::convert(cli::ConvertOptions options, int cut_after, std::function<void(int)> after_write) {
  Wire wire(cut_after, std::move(after_write));
  const auto through = [&](std::unique_ptr<http::Transport> inner) {
    return tamper_with(
        std::move(inner), [this]() -> runtime::Runtime& { return life_.sim(); },
        [&wire](const Passing& passing) { return wire(passing); });
  };
  const std::map<std::string, http::Handler*> hosts{{"kubernetes.sim", &life_.cluster().api_handler()},
                                                    {"aws.sim", &life_.cluster().fake_aws()}};
  const auto kube = through(http::make_loopback_transport(hosts)), aws = through(http::make_loopback_transport(hosts)),
             local = http::make_loopback_transport({});
  std::ostringstream out, err;
  bool done = false;
  Ran ran;
  const auto task = life_.sim().spawn("convert", [&](const std::stop_token& stop) {
    ran.code = cli::convert_cluster(
        options, {life_.sim(), *kube, *aws, *local, {.server = "http://kubernetes.sim"}, environment}, out, err, stop);
    done = true;
  });
  CHECK(life_.run_until([&] { return done; }, 1h), "the command ends");
  ran.writes = wire.writes();
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

std::string ConvertedCluster::lease_holder() {
  const auto lease = life_.api().get(kLeases, "kube-system", kLease);
  return lease ? std::string(json::string_at(**lease, {"spec", "holderIdentity"})) : lease.error().message;
}

void ConvertedCluster::take_lease(const std::string& holder) {
  const json::value patch{{"spec", {{"holderIdentity", holder}, {"renewTime", format_rfc3339_micro(life_.now())}}}};
  CHECK(life_.api().merge_patch(kLeases, "kube-system", kLease, patch), holder);
}

void ConvertedCluster::run_controller(Duration span) {
  life_.restart();
  life_.run_for(span);
  life_.crash();
  wait_for_lease();
}

std::vector<json::value> ConvertedCluster::all(const kubesim::Resource& resource) {
  std::vector<json::value> objects;
  const auto listed = life_.api().list(resource, "");
  for (const kubesim::Object& object : listed->items) objects.push_back(*object);
  return objects;
}

Inventory ConvertedCluster::inventory() {
  Inventory found;
  for (const auto& instance : life_.instances()) {
    if (instance.state == "running") found.instances.insert(instance.id);
  }
  for (const json::value& node : all(kNodes))
    found.nodes[std::string(json::string_at(node, {"metadata", "name"}))] = json::string_at(node, {"metadata", "uid"});
  for (const json::value& pod : all(kPods)) found.pods.emplace(json::string_at(pod, {"metadata", "uid"}));
  return found;
}

std::multiset<std::string> ConvertedCluster::claimed() {
  std::multiset<std::string> ids;
  for (const json::value& claim : all(kClaims)) ids.emplace(json::string_at(claim, {"status", "providerID"}));
  return ids;
}

std::map<std::string, std::string> ConvertedCluster::tags(const std::string& instance) {
  for (const auto& one : life_.instances()) {
    if (one.id == instance) return one.tags;
  }
  return {};
}

std::string ConvertedCluster::unconverted() {
  std::string found;
  for (const json::value& claim : all(kClaims)) {
    const std::string name(json::string_at(claim, {"metadata", "name"}));
    if (json::string_at(claim, {"metadata", "labels", "karpenter.sh/nodepool"}) != "old") found += name + ": pool; ";
    if (json::string_at(claim, {"spec", "nodeClassRef", "kind"}) != "EC2NodeClass") found += name + ": class; ";
    if (life_.condition(kClaims, "", name, "Ready").substr(0, 4) != "True") found += name + ": not ready; ";
    if (!life_.condition(kClaims, "", name, "Drifted").empty()) found += name + ": drifted; ";
  }
  for (const json::value& node : all(kNodes)) {
    const std::string name(json::string_at(node, {"metadata", "name"}));
    const json::array& owners = json::array_at(node, {"metadata", "ownerReferences"});
    if (owners.size() != 1 || json::string_at(owners.front(), {"kind"}) != "NodeClaim") found += name + ": owner; ";
    for (const char* key : {"karpenter.sh/nodepool", "karpenter.sh/provisioner-name", "karpenter.k8s.aws/ec2nodeclass"})
      if (json::string_at(node, {"metadata", "labels", key}) != "old") found += name + ": label; ";
  }
  for (const auto& instance : life_.instances()) {
    const auto own = tags(instance.id);
    for (const char* key : {"karpenter.sh/nodepool", "karpenter.k8s.aws/ec2nodeclass"})
      if (!own.contains(key) || own.at(key) != "old") found += instance.id + ": tag " + key + "; ";
    for (const char* key : {"eks:eks-cluster-name", "karpenter.sh/nodeclaim"})
      if (!own.contains(key)) found += instance.id + ": tag " + key + "; ";
  }
  if (!all(kProvisioners).empty()) found += "a Provisioner; ";
  return found;
}

}  // namespace tenon::simulation

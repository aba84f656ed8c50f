// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/testing/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/server.h"

namespace tenon::kubesim::testing {
namespace {

// The resource of each kind that tests use, and whether it is namespaced.
std::pair<Resource, bool> resource_of(std::string_view kind) {
  static const std::map<std::string_view, std::pair<Resource, bool>> table{
      {"Pod", {kPods, true}},
      {"Node", {kNodes, false}},
      {"Namespace", {kNamespaces, false}},
      {"Deployment", {kDeployments, true}},
      {"ReplicaSet", {kReplicaSets, true}},
      {"DaemonSet", {kDaemonSets, true}},
      {"StatefulSet", {kStatefulSets, true}},
      {"Job", {kJobs, true}},
      {"PodDisruptionBudget", {kBudgets, true}},
      {"PersistentVolumeClaim", {kClaims, true}},
      {"PersistentVolume", {kVolumes, false}},
      {"StorageClass", {kStorageClasses, false}},
      {"PriorityClass", {{"scheduling.k8s.io", "priorityclasses"}, false}}};
  const auto at = table.find(kind);
  CHECK(at != table.end(), kind);
  return at->second;
}

class Recorder : public http::ResponseWriter {
 public:
  void respond(http::Response response) override { status = response.status; }
  Status begin(int code, http::Headers) override {
    status = code;
    return ok();
  }
  Status write(std::string_view) override { return ok(); }
  int status = 0;
};

json::value parse_one(std::string_view yaml) {
  auto documents = json::parse_yaml(yaml);
  CHECK(documents.has_value(), documents ? "" : documents.error().message);
  CHECK(documents->size() == 1, yaml);
  return documents->front();
}

}  // namespace

World::World(Options options) : sim_(runtime::make_sim_runtime({.seed = options.seed})) {
  api_ = make_api_server(*sim_);
  if (options.make_aws) aws_ = options.make_aws(*sim_);
  scheduler_ = std::make_unique<Scheduler>(*sim_, *api_);
  kubelets_ = std::make_unique<Kubelets>(*sim_, *api_, aws_.get(), options.kubelet);
  workloads_ = std::make_unique<Workloads>(*sim_, *api_, options.workloads);
}

World::~World() = default;

Api& World::api() { return *api_; }

void World::apply(std::string_view yaml) {
  const auto documents = json::parse_yaml(yaml);
  CHECK(documents.has_value(), documents ? "" : documents.error().message);
  for (const json::value& document : *documents) {
    const auto [resource, namespaced] = resource_of(json::string_at(document, {"kind"}));
    const std::string_view ns = namespaced ? json::string_at(document, {"metadata", "namespace"}, "default") : "";
    const auto created = api_->create(resource, ns, document);
    CHECK(created.has_value(), created ? "" : created.error().message);
  }
}

void World::add_node(const std::string& name, const std::string& cpu, const std::string& memory,
                     const std::string& labels, const std::string& taints) {
  json::value node = parse_one(fmt::format(
      "{{apiVersion: v1, kind: Node, metadata: {{name: '{0}', annotations: {{kwok.x-k8s.io/node: fake}}, labels: "
      "{{kubernetes.io/hostname: '{0}', kubernetes.io/os: linux, kubernetes.io/arch: amd64, "
      "topology.kubernetes.io/zone: zone-a}}}}, spec: {{taints: [{3}]}}, status: {{capacity: {{cpu: '{1}', memory: "
      "'{2}', pods: '110'}}, allocatable: {{cpu: '{1}', memory: '{2}', pods: '110'}}}}}}",
      name, cpu, memory, taints));
  const json::value extra = parse_one("{" + labels + "}");
  for (const auto& [key, value] : extra.as_object()) json::ensure(node, {"metadata", "labels", key}) = value;
  const auto created = api_->create(kNodes, "", node);
  CHECK(created.has_value(), created ? "" : created.error().message);
}

void World::scale(const std::string& deployment, int replicas) {
  patch(kDeployments, "default", deployment, fmt::format("{{spec: {{replicas: {}}}}}", replicas));
}

int World::evict(const std::string& pod) {
  http::ServerRequest request;
  request.method = "POST";
  request.raw_path = "/api/v1/namespaces/default/pods/" + pod + "/eviction";
  request.headers.set("content-type", "application/json");
  request.body =
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + pod + R"(","namespace":"default"}})";
  Recorder recorder;
  api_->serve(request, recorder, {});
  return recorder.status;
}

void World::patch(const Resource& resource, const std::string& ns, const std::string& name, std::string_view yaml) {
  const auto patched = api_->merge_patch(resource, ns, name, parse_one(yaml));
  CHECK(patched.has_value(), patched ? "" : patched.error().message);
}

Object World::get(const Resource& resource, const std::string& ns, const std::string& name) {
  const auto object = api_->get(resource, ns, name);
  return object ? *object : nullptr;
}

std::vector<Object> World::list(const Resource& resource, std::string_view selector) {
  const auto listed = api_->list(resource, "", selector);
  CHECK(listed.has_value(), listed ? "" : listed.error().message);
  return listed->items;
}

std::vector<std::string> World::names(const Resource& resource, std::string_view selector) {
  std::vector<std::string> result;
  for (const Object& object : list(resource, selector)) result.emplace_back(name_of(*object));
  std::sort(result.begin(), result.end());
  return result;
}

json::value World::status(const Resource& resource, const std::string& name) {
  const Object found = get(resource, resource == kNodes ? "" : "default", name);
  const json::value* at = found ? json::find(*found, {"status"}) : nullptr;
  return at == nullptr ? json::value() : *at;
}

std::string World::placement(std::string_view selector) {
  std::map<std::string, int> pods;
  for (const Object& pod : list(kPods, selector)) {
    const std::string_view node = node_name_of(*pod);
    ++pods[node.empty() ? "-" : std::string(node)];
  }
  std::string text;
  for (const auto& [node, count] : pods) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", node, count);
  return text;
}

int World::running(std::string_view selector) {
  int count = 0;
  for (const Object& pod : list(kPods, selector))
    if (json::string_at(*pod, {"status", "phase"}) == "Running" && pod_is_ready(*pod)) ++count;
  return count;
}

std::vector<std::string> World::events(std::string_view reason) {
  std::multimap<std::pair<std::string, std::string>, std::string> found;  // by time, then name
  for (const Object& event : list({"", "events"}))
    if (json::string_at(*event, {"reason"}) == reason)
      found.emplace(std::pair(std::string(json::string_at(*event, {"firstTimestamp"})), std::string(name_of(*event))),
                    std::string(json::string_at(*event, {"message"})));
  std::vector<std::string> messages;
  for (const auto& [at, message] : found) messages.push_back(message);
  return messages;
}

std::string deployment(const std::string& name, int replicas, const std::string& cpu, const std::string& pod) {
  json::value spec =
      parse_one("{containers: [{name: main, image: 'pause:3.7', resources: {requests: {cpu: '" + cpu + "'}}}]}");
  json::apply_merge_patch(spec, parse_one(pod));
  return fmt::format(
      "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {0}}}, spec: {{replicas: {1}, selector: "
      "{{matchLabels: "
      "{{app: {0}}}}}, template: {{metadata: {{labels: {{app: {0}}}}}, spec: {2}}}}}}}",
      name, replicas, json::to_string(spec));
}

}  // namespace tenon::kubesim::testing

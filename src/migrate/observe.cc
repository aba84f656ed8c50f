// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cloud/aws_provider/util/tags.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "migrate/observed.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

const kube::ResourceType kMachines{"karpenter.sh", "v1alpha5", "machines", "Machine", false};
constexpr std::string_view kSettings = "karpenter-global-settings";
constexpr size_t kDescribedTogether = 100;  // instances in one call

// Lists a kind. Members of lists of built-in kinds have no kind of their own: it is added.
Result<Documents> list(kube::Client& client, const kube::ResourceType& type, const kube::ListOptions& options,
                       const std::stop_token& stop) {
  auto page = client.list(type, options, stop);
  if (!page) return fail(std::move(page).error());
  for (value& item : page->items) {
    json::ensure(item, {"apiVersion"}) = type.api_version();
    json::ensure(item, {"kind"}) = type.kind;
  }
  return std::move(page->items);
}

// The CRDs of v0.27 may be absent.
Result<Documents> list_earlier(kube::Client& client, const kube::ResourceType& type, const std::stop_token& stop) {
  auto found = list(client, type, {}, stop);
  if (!found && found.error().code == Code::kNotFound) return Documents();
  return found;
}

}  // namespace

Result<Observed> observe(kube::Client& client, const std::string& settings_namespace, Instant now,
                         const std::stop_token& stop) {
  Observed out;
  out.now = now;
  out.kubernetes_version = TRY(client.server_version(stop));
  out.provisioners = TRY(list_earlier(client, kube::kProvisioners, stop));
  out.templates = TRY(list_earlier(client, kube::kNodeTemplates, stop));
  out.machines = TRY(list_earlier(client, kMachines, stop));
  out.settings =
      TRY(list(client, kube::kConfigMaps,
               {.ns = settings_namespace, .field_selector = "metadata.name=" + std::string(kSettings)}, stop));
  if (out.settings.size() > 1)
    return fail(Code::kInvalid, "several namespaces have a ConfigMap " + std::string(kSettings) +
                                    ": name the controller's with --leader-election-namespace");
  auto pools = list(client, kube::kNodePools, {}, stop);
  if (!pools && pools.error().code == Code::kNotFound)
    return fail(Code::kNotFound, pools.error().message + ": install the CRDs of v1 first (deploy/crds)");
  out.pools = TRY(std::move(pools));
  out.classes = TRY(list(client, kube::kNodeClasses, {}, stop));
  out.claims = TRY(list(client, kube::kNodeClaims, {}, stop));
  out.nodes = TRY(list(client, kube::kNodes, {}, stop));
  out.pods = TRY(list(client, kube::kPods, {}, stop));
  return out;
}

std::vector<std::string> instance_ids(const Observed& observed) {
  std::vector<std::string> ids;
  for (const value& node : observed.nodes) {
    if (label(node, model::kLabelProvisioner).empty()) continue;
    if (std::string id = instance_id(provider_id(node)); !id.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

Status observe_instances(aws::Ec2& ec2, Observed& observed, const std::stop_token& stop) {
  const std::vector<std::string> ids = instance_ids(observed);
  for (size_t from = 0; from < ids.size(); from += kDescribedTogether) {
    const size_t to = std::min(from + kDescribedTogether, ids.size());
    // By a filter, not by id: EC2 rejects a list of ids if one of them has ended.
    const aws::Filters filters = {
        {"instance-id", {ids.begin() + static_cast<ptrdiff_t>(from), ids.begin() + static_cast<ptrdiff_t>(to)}},
        {"instance-state-name", {"pending", "running"}}};
    std::vector<aws::InstanceInfo> found = TRY(ec2.describe_instances({}, filters, stop));
    for (aws::InstanceInfo& info : found) {
      const std::string id = cloud::format_provider_id(info.zone, info.id);
      observed.instances[id] = std::move(info);
    }
  }
  return ok();
}

std::string name_of(const value& document) { return std::string(json::string_at(document, {"metadata", "name"})); }
std::string reference(const value& document) {
  return std::string(json::string_at(document, {"kind"})) + "/" + name_of(document);
}
std::string uid_of(const value& document) { return std::string(json::string_at(document, {"metadata", "uid"})); }

std::string label(const value& document, std::string_view key) {
  return std::string(json::string_at(document, {"metadata", "labels", key}));
}

std::string annotation(const value& document, std::string_view key) {
  return std::string(json::string_at(document, {"metadata", "annotations", key}));
}

std::string provider_id(const value& document) {
  if (json::string_at(document, {"kind"}) == kube::kNodes.kind)
    return std::string(json::string_at(document, {"spec", "providerID"}));
  const std::string_view recorded = json::string_at(document, {"status", "providerID"});
  return recorded.empty() ? annotation(document, model::kAnnotationInstance) : std::string(recorded);
}

bool deleting(const value& document) { return json::find(document, {"metadata", "deletionTimestamp"}) != nullptr; }

const value* by_name(const Documents& documents, std::string_view name) {
  for (const value& document : documents) {
    if (json::string_at(document, {"metadata", "name"}) == name) return &document;
  }
  return nullptr;
}

std::string instance_id(std::string_view provider_id) {
  const auto parts = cloud::parse_provider_id(provider_id);
  return parts ? parts->instance_id : std::string();
}

}  // namespace tenon::migrate

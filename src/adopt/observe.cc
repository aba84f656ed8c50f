// SPDX-License-Identifier: Apache-2.0
#include "adopt/observed.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::adopt {
namespace {

// Members of lists have no kind of their own: it is added.
Result<Documents> list(kube::Client& client, const kube::ResourceType& type, const std::stop_token& stop) {
  auto page = client.list(type, {}, stop);
  if (!page) return fail(std::move(page).error());
  for (json::value& item : page->items) {
    json::ensure(item, {"apiVersion"}) = type.api_version();
    json::ensure(item, {"kind"}) = type.kind;
  }
  return std::move(page->items);
}

// The kinds of CRDs: without the CRD there are no objects, and inspect() reports the missing CRD.
Result<Documents> list_if_served(kube::Client& client, const kube::ResourceType& type, const std::stop_token& stop) {
  auto found = list(client, type, stop);
  if (!found && found.error().code == Code::kNotFound) return Documents();
  return found;
}

bool is_karpenters(const json::value& definition) {
  const std::string_view group = json::string_at(definition, {"spec", "group"});
  return group == kube::kNodePools.group || group == kube::kNodeClasses.group;
}

// A service account that does not exist names no role.
Result<Documents> service_accounts_of(kube::Client& client, const Documents& deployments, const std::stop_token& stop) {
  Documents accounts;
  for (const json::value& deployment : deployments) {
    if (!is_karpenter(deployment)) continue;
    const std::string name(json::string_at(deployment, {"spec", "template", "spec", "serviceAccountName"}));
    if (name.empty()) continue;
    const std::string ns(json::string_at(deployment, {"metadata", "namespace"}));
    auto account = client.get(kube::kServiceAccounts, {ns, name}, stop);
    if (!account && account.error().code == Code::kNotFound) continue;
    accounts.push_back(TRY(std::move(account)));
  }
  return accounts;
}

}  // namespace

bool is_karpenter(const json::value& deployment) {
  const std::string_view app = json::string_at(deployment, {"metadata", "labels", "app.kubernetes.io/name"});
  if (app == "karpenter") return true;
  for (const json::value& container : json::array_at(deployment, {"spec", "template", "spec", "containers"})) {
    if (json::string_at(container, {"image"}).find("karpenter/controller") != std::string_view::npos) return true;
  }
  return false;
}

Result<Observed> observe(kube::Client& client, const std::string& lease_name, Instant now,
                         const std::stop_token& stop) {
  Observed out;
  out.cluster = json::string_at(TRY(client.get(kube::kNamespaces, {"", "kube-system"}, stop)), {"metadata", "uid"});
  for (json::value& definition : TRY(list(client, kube::kDefinitions, stop))) {
    if (is_karpenters(definition)) out.definitions.push_back(std::move(definition));
  }
  out.pools = TRY(list_if_served(client, kube::kNodePools, stop));
  out.classes = TRY(list_if_served(client, kube::kNodeClasses, stop));
  out.claims = TRY(list_if_served(client, kube::kNodeClaims, stop));
  out.validating = TRY(list(client, kube::kValidatingWebhooks, stop));
  out.mutating = TRY(list(client, kube::kMutatingWebhooks, stop));
  out.deployments = TRY(list(client, kube::kDeployments, stop));
  out.service_accounts = TRY(service_accounts_of(client, out.deployments, stop));
  for (const json::value& service : TRY(list(client, kube::kServices, stop))) {
    out.services.insert(std::string(json::string_at(service, {"metadata", "namespace"})) + "/" +
                        std::string(json::string_at(service, {"metadata", "name"})));
  }
  out.leases = TRY(migrate::find_leases(client, lease_name, now, stop));
  return out;
}

}  // namespace tenon::adopt

// SPDX-License-Identifier: Apache-2.0
#include "webhooks/registrations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::webhooks {
namespace {

using json::array;
using json::object;
using json::value;

// The names, as Karpenter v0.27's chart has them; RBAC lists the same (deploy/rbac.yaml).
struct Known {
  const kube::ResourceType& type;
  const char* name;
};
const std::vector<Known>& known_objects() {
  static const std::vector<Known> kKnown{{kube::kDefinitions, "nodepools.karpenter.sh"},
                                         {kube::kDefinitions, "nodeclaims.karpenter.sh"},
                                         {kube::kDefinitions, "ec2nodeclasses.karpenter.k8s.aws"},
                                         {kube::kMutatingWebhooks, "defaulting.webhook.karpenter.k8s.aws"},
                                         {kube::kValidatingWebhooks, "validation.webhook.karpenter.k8s.aws"},
                                         {kube::kValidatingWebhooks, "validation.webhook.karpenter.sh"},
                                         {kube::kValidatingWebhooks, "validation.webhook.config.karpenter.sh"}};
  return kKnown;
}

bool of_service(const value& client_config, const ServiceName& service) {
  return json::string_at(client_config, {"service", "name"}) == service.name &&
         json::string_at(client_config, {"service", "namespace"}) == service.ns;
}

std::optional<Registration> registration_of(const Known& known, const value& document, const ServiceName& service) {
  Registration out{known.type, known.name, {}, {}};
  if (known.type == kube::kDefinitions) {
    const value* config = json::find(document, {"spec", "conversion", "webhook", "clientConfig"});
    if (config == nullptr || !of_service(*config, service)) return std::nullopt;
    out.bundles.emplace_back(json::string_at(*config, {"caBundle"}));
    return out;
  }
  const array& webhooks = json::array_at(document, {"webhooks"});
  for (size_t i = 0; i < webhooks.size(); ++i) {
    const value* config = json::find(webhooks[i], {"clientConfig"});
    if (config == nullptr || !of_service(*config, service)) continue;
    out.ours.emplace_back(i, std::string(json::string_at(webhooks[i], {"name"})));
    out.bundles.emplace_back(json::string_at(*config, {"caBundle"}));
  }
  return out.ours.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

bool Registration::trusts(std::string_view ca_pem) const {
  const std::string wanted = base64_encode(ca_pem);
  return std::all_of(bundles.begin(), bundles.end(), [&](const std::string& bundle) { return bundle == wanted; });
}

std::vector<Registration> find_registrations(kube::Client& client, const ServiceName& service, bool admission,
                                             Status& failed, const std::stop_token& stop) {
  std::vector<Registration> out;
  for (const Known& known : known_objects()) {
    if (!admission && known.type != kube::kDefinitions) continue;
    const auto document = client.get(known.type, {"", known.name}, stop);
    if (!document) {
      if (document.error().code != Code::kNotFound && failed) failed = fail(document.error());
      continue;
    }
    if (auto registration = registration_of(known, *document, service)) out.push_back(std::move(*registration));
  }
  return out;
}

Status inject_ca(kube::Client& client, const Registration& registration, const std::string& ca_pem,
                 const std::stop_token& stop) {
  const kube::ObjectName name{"", registration.name};
  const std::string bundle = base64_encode(ca_pem);
  kube::PatchOptions options;
  options.answer = kube::PatchAnswer::kNothing;
  if (registration.type == kube::kDefinitions) {
    value patch;
    json::ensure(patch, {"spec", "conversion", "webhook", "clientConfig", "caBundle"}) = bundle;
    TRY(client.patch(registration.type, name, kube::PatchType::kMerge, patch, options, stop));
    return ok();
  }
  array patch;
  for (const auto& [index, webhook] : registration.ours) {  // the names show that nobody has changed the list
    const std::string at = "/webhooks/" + std::to_string(index);
    patch.push_back(object{{"op", "test"}, {"path", at + "/name"}, {"value", webhook}});
    patch.push_back(object{{"op", "add"}, {"path", at + "/clientConfig/caBundle"}, {"value", bundle}});
  }
  TRY(client.patch(registration.type, name, kube::PatchType::kJson, value(std::move(patch)), options, stop));
  return ok();
}

}  // namespace tenon::webhooks

// Leftovers of Karpenter's webhooks. A configuration that calls a Service which does not exist makes every write to
// these objects fail, also Tenon's: --apply removes it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adopt/inspect.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::adopt {
namespace {

using json::value;

bool is_karpenters_group(const value& group) {
  return group.is_string() &&
         (group.get_string() == kube::kNodePools.group || group.get_string() == kube::kNodeClasses.group);
}

bool is_about_karpenter(const value& webhook) {
  for (const value& rule : json::array_at(webhook, {"rules"})) {
    const json::array& groups = json::array_at(rule, {"apiGroups"});
    if (std::any_of(groups.begin(), groups.end(), is_karpenters_group)) return true;
  }
  return false;
}

// "karpenter/karpenter" of a clientConfig; empty: it names a URL.
std::string service_of(const value& client_config) {
  const std::string_view name = json::string_at(client_config, {"service", "name"});
  if (name.empty()) return {};
  return std::string(json::string_at(client_config, {"service", "namespace"})) + "/" + std::string(name);
}

// The configuration is dead if all its webhooks are Karpenter's and call Services that do not exist.
void inspect_configuration(const Observed& observed, const value& document, const kube::ResourceType& type,
                           Report& report) {
  const json::array& webhooks = json::array_at(document, {"webhooks"});
  std::string missing;
  size_t dead = 0, about = 0;
  for (const value& webhook : webhooks) {
    if (!is_about_karpenter(webhook)) continue;
    ++about;
    const value* client_config = json::find(webhook, {"clientConfig"});
    const std::string service = client_config != nullptr ? service_of(*client_config) : std::string();
    if (service.empty() || observed.services.contains(service)) continue;
    ++dead;
    missing = service;
  }
  if (about == 0) return;
  if (dead == 0) {
    report.findings.push_back({Level::kChanges, reference(document),
                               "checks Karpenter's objects; it must not outlive the Service that it calls"});
  } else if (dead < webhooks.size()) {
    report.findings.push_back({Level::kBlocks, reference(document),
                               "a webhook calls the Service " + missing +
                                   ", which does not exist; other ones are in "
                                   "use: remove the dead webhook from it"});
  } else {
    report.findings.push_back({Level::kChanges, reference(document),
                               "calls the Service " + missing + ", which does not exist: --apply deletes it"});
    report.originals.push_back(document);
    report.writes.push_back({.verb = migrate::Verb::kRemove,
                             .type = type,
                             .name = std::string(json::string_at(document, {"metadata", "name"})),
                             .uid = std::string(json::string_at(document, {"metadata", "uid"}))});
  }
}

size_t served_versions(const value& definition) {
  const json::array& versions = json::array_at(definition, {"spec", "versions"});
  return static_cast<size_t>(std::count_if(versions.begin(), versions.end(), [](const value& version) {
    const value* served = json::find(version, {"served"});
    return served != nullptr && served->is_bool() && served->get_bool();
  }));
}

void inspect_conversion(const Observed& observed, const value& definition, Report& report) {
  if (json::string_at(definition, {"spec", "conversion", "strategy"}) != "Webhook") return;
  const value* client_config = json::find(definition, {"spec", "conversion", "webhook", "clientConfig"});
  const std::string service = client_config != nullptr ? service_of(*client_config) : std::string();
  if (service.empty() || observed.services.contains(service)) {
    report.findings.push_back({Level::kChanges, reference(definition),
                               "spec.conversion: calls " + (service.empty() ? "a URL" : "the Service " + service) +
                                   ", which must select Tenon's pods before Karpenter is removed"});
    return;
  }
  const std::string what = "spec.conversion: calls the Service " + service + ", which does not exist";
  // Without a conversion, an object of another version would be returned with fields of the wrong version.
  if (served_versions(definition) > 1 ||
      json::array_at(definition, {"status", "storedVersions"}) != json::array{"v1"}) {
    report.findings.push_back(
        {Level::kBlocks, reference(definition),
         what + ", and several versions are in use: install the CRDs of v1, or restore the Service"});
    return;
  }
  report.findings.push_back({Level::kChanges, reference(definition), what + ": --apply sets the strategy None"});
  report.originals.push_back(definition);
  report.writes.push_back({.verb = migrate::Verb::kPatch,
                           .type = kube::kDefinitions,
                           .name = std::string(json::string_at(definition, {"metadata", "name"})),
                           .body = {{"spec", {{"conversion", {{"strategy", "None"}, {"webhook", nullptr}}}}}}});
}

}  // namespace

void inspect_webhooks(const Observed& observed, Report& report) {
  for (const value& document : observed.validating)
    inspect_configuration(observed, document, kube::kValidatingWebhooks, report);
  for (const value& document : observed.mutating)
    inspect_configuration(observed, document, kube::kMutatingWebhooks, report);
  for (const value& definition : observed.definitions) inspect_conversion(observed, definition, report);
}

}  // namespace tenon::adopt

// SPDX-License-Identifier: Apache-2.0
#include "migrate/decide.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

constexpr size_t kNamed = 5;  // objects in a finding

std::string name_some(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamed);
  std::string text = join(std::span(names).first(shown), ", ");
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " other(s)";
  return text;
}

bool selects_provisioner(const value& pod) {
  for (const char* field : {"nodeSelector", "affinity", "topologySpreadConstraints"}) {
    const value* rules = json::find(pod, {"spec", field});
    if (rules != nullptr && json::to_string(*rules).find(model::kLabelProvisioner) != std::string::npos) return true;
  }
  return false;
}

// Pods are not changed: what they say about v0.27 comes from their workloads.
void report_pods(const Observed& observed, std::vector<std::string>& findings) {
  std::vector<std::string> selecting, kept;
  for (const value& pod : observed.pods) {
    const std::string name = std::string(json::string_at(pod, {"metadata", "namespace"})) + "/" + name_of(pod);
    if (selects_provisioner(pod)) selecting.push_back(name);
    const bool both = annotation(pod, model::kAnnotationDoNotDisrupt) == "true";
    if (annotation(pod, model::kAnnotationDoNotEvict) == "true" && !both) kept.push_back(name);
  }
  if (!selecting.empty())
    findings.push_back("pods select nodes by " + std::string(model::kLabelProvisioner) +
                       ", which nodes that are launched later do not have; use " + std::string(model::kLabelNodePool) +
                       " in their workloads: " + name_some(selecting));
  if (!kept.empty())
    findings.push_back("pods have " + std::string(model::kAnnotationDoNotEvict) +
                       ", which v1 ignores: they may be evicted after the conversion; add " +
                       std::string(model::kAnnotationDoNotDisrupt) +
                       " to them and their workloads first: " + name_some(kept));
}

void remove_all(const Documents& objects, const kube::ResourceType& type, std::vector<Write>& writes) {
  for (const value& object : objects) {
    if (!deleting(object))
      writes.push_back({.verb = Verb::kRemove, .type = type, .name = name_of(object), .uid = uid_of(object)});
  }
}

}  // namespace

Plan decide(const Observed& observed, const schema::KnownSchemas& schemas) {
  Plan plan;
  // Their finalizers, and the Nodes that they own, would need the steps that NodeClaims have.
  for (const value& machine : observed.machines)
    plan.refused.push_back(reference(machine) + ": Machines of Karpenter 0.28 to 0.31 are not converted");
  Converted pools = convert_pools(observed, schemas, plan);
  if (!plan.refused.empty()) return plan;
  std::vector<Write> nodes = convert_nodes(observed, pools.pools, plan);
  plan.writes = std::move(pools.writes);
  std::move(nodes.begin(), nodes.end(), std::back_inserter(plan.writes));
  // Last: while a Provisioner exists, the Nodes that v0.27 launched end with it.
  remove_all(observed.provisioners, kube::kProvisioners, plan.writes);
  remove_all(observed.templates, kube::kNodeTemplates, plan.writes);
  if (!plan.writes.empty()) report_pods(observed, plan.findings);
  if (!plan.refused.empty()) plan.writes.clear();
  return plan;
}

}  // namespace tenon::migrate

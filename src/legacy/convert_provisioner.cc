// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "json/json.h"
#include "legacy/convert_parts.h"
#include "legacy/provisioner.h"
#include "model/labels.h"

namespace tenon::legacy {
namespace {

using json::value;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// Copies a field if it exists.
void copy(const value& from, std::string_view field, value& into, std::string_view as) {
  if (const value* v = json::find(from, {field})) json::ensure(into, {as}) = *v;
}

std::string seconds(int64_t count) { return std::to_string(count) + "s"; }

void disruption(const value& spec, bool drift, value& pool, std::vector<Note>& notes) {
  value& out = json::ensure(pool, {"spec", "disruption"});
  const value* empty = json::find(spec, {"ttlSecondsAfterEmpty"});
  const bool consolidates = json::bool_at(spec, {"consolidation", "enabled"});
  out = json::object{{"consolidationPolicy", consolidates ? "WhenEmptyOrUnderutilized" : "WhenEmpty"},
                     {"consolidateAfter", consolidates ? "0s"
                                          : empty      ? seconds(empty->is_int64() ? empty->get_int64() : 0)
                                                       : "Never"}};
  // v0.27 had no budgets: it removed all empty nodes at once, and did one consolidation or one drift at a time.
  json::array budgets{json::object{{"nodes", "100%"}, {"reasons", json::array{"Empty"}}}};
  if (consolidates) budgets.push_back(json::object{{"nodes", "10%"}, {"reasons", json::array{"Underutilized"}}});
  budgets.push_back(json::object{{"nodes", drift ? "1" : "0"}, {"reasons", json::array{"Drifted"}}});
  json::ensure(out, {"budgets"}) = std::move(budgets);
  if (!drift) {
    notes.push_back({"spec",
                     "drift was off unless featureGates.driftEnabled was true, so the NodePool has a budget of 0 for "
                     "Drifted; remove it to let nodes follow new AMIs and edits"});
  }
  if (json::find(spec, {"ttlSecondsUntilExpired"}) == nullptr) return;
  notes.push_back(
      {"spec.ttlSecondsUntilExpired",
       "expireAfter drains an expired node at once, regardless of budgets; v0.27 launched the replacement first"});
}

}  // namespace

value kept_metadata(const value& document) {
  value kept = json::object();
  const value* metadata = json::find(document, {"metadata"});
  if (metadata == nullptr) return kept;
  for (const char* field : {"name", "labels", "annotations", "finalizers"}) copy(*metadata, field, kept, field);
  if (json::find(kept, {"annotations", kLastApplied})) {
    json::erase(kept, {"annotations", kLastApplied});
    if (json::object_at(kept, {"annotations"}).empty()) json::erase(kept, {"annotations"});
  }
  return kept;
}

void rename_annotations(value& annotations, const std::string& path, std::vector<Note>& notes) {
  if (!annotations.is_object()) return;
  for (const std::string_view old : {model::kAnnotationDoNotConsolidate, model::kAnnotationDoNotEvict}) {
    const value* found = annotations.get_object().if_contains(old);
    if (found == nullptr) continue;
    const bool set = found->is_string() && found->get_string() == "true";
    annotations.get_object().erase(old);
    if (set) annotations.get_object()[model::kAnnotationDoNotDisrupt] = "true";
    notes.push_back({path + "[" + std::string(old) + "]",
                     set ? "is karpenter.sh/do-not-disrupt in v1, which also forbids drift"
                         : "was not \"true\" and is dropped; v1 has no annotation that forces consolidation"});
  }
}

value convert_provisioner(const value& provisioner, std::string_view class_name, bool drift, std::vector<Note>& notes) {
  static const value kNone = json::object();
  value with_defaults = provisioner;
  apply_defaults(with_defaults);
  const value* found = json::find(with_defaults, {"spec"});
  const value& spec = found == nullptr ? kNone : *found;
  value pool = json::object{{"apiVersion", kPoolApi}, {"kind", "NodePool"}};
  json::ensure(pool, {"metadata"}) = kept_metadata(provisioner);
  value& node_template = json::ensure(pool, {"spec", "template"});
  node_template = json::object();
  if (json::find(spec, {"labels"})) json::ensure(node_template, {"metadata", "labels"}) = *json::find(spec, {"labels"});
  if (const value* annotations = json::find(spec, {"annotations"})) {
    value renamed = *annotations;
    rename_annotations(renamed, "spec.annotations", notes);
    json::ensure(node_template, {"metadata", "annotations"}) = std::move(renamed);
  }
  value& node = json::ensure(node_template, {"spec"});
  node = json::object{
      {"nodeClassRef", json::object{{"group", "karpenter.k8s.aws"}, {"kind", "EC2NodeClass"}, {"name", class_name}}}};
  copy(spec, "requirements", node, "requirements");
  copy(spec, "taints", node, "taints");
  copy(spec, "startupTaints", node, "startupTaints");
  const value* until = json::find(spec, {"ttlSecondsUntilExpired"});
  json::ensure(node, {"expireAfter"}) = until && until->is_int64() ? seconds(until->get_int64()) : "Never";
  if (const value* runtime = json::find(spec, {"kubeletConfiguration", "containerRuntime"})) {
    notes.push_back({"spec.kubeletConfiguration.containerRuntime",
                     json::to_string(*runtime) + " is dropped: nodes of v1 run containerd"});
  }
  disruption(spec, drift, pool, notes);
  if (const value* limits = json::find(spec, {"limits", "resources"})) json::ensure(pool, {"spec", "limits"}) = *limits;
  copy(spec, "weight", json::ensure(pool, {"spec"}), "weight");
  return pool;
}

}  // namespace tenon::legacy

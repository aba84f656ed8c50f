// SPDX-License-Identifier: Apache-2.0
#include "kube/salvage.h"

#include "json/json.h"
#include "model/unreadable.h"

namespace tenon::kube {
namespace {

template <class Object>
bool mark(Object& object, const std::string& fault, std::string_view reason = "") {
  object.conditions.push_back({std::string(model::kUnreadable), "True", std::string(reason), fault, {}, 0});
  return true;
}

// Whether spec.nodeName is not a string, or the spec or the document is not an object.
bool node_unknown(const json::value& document) {
  const auto* pod = document.if_object();
  const auto* spec_value = pod ? pod->if_contains("spec") : nullptr;
  if (!spec_value || spec_value->is_null()) return pod == nullptr;
  const auto* spec = spec_value->if_object();
  const auto* name = spec ? spec->if_contains("nodeName") : nullptr;
  return !spec || (name && !name->is_null() && !name->is_string());
}

}  // namespace

bool salvage(model::Pod& pod, const json::value& document, const std::string& fault) {
  pod.spec.edit().problem = "pod " + pod.key() + " cannot be read: " + fault;
  return mark(pod, fault, node_unknown(document) ? model::kNodeUnknown : "");
}
bool salvage(model::Node& node, const json::value&, const std::string& fault) { return mark(node, fault); }
bool salvage(model::NodeClaim& claim, const json::value&, const std::string& fault) { return mark(claim, fault); }
bool salvage(model::NodePool& pool, const json::value&, const std::string& fault) { return mark(pool, fault); }
bool salvage(model::NodeClass& node_class, const json::value&, const std::string& fault) {
  return mark(node_class, fault);
}

bool salvage(model::PodDisruptionBudget& budget, const json::value&, const std::string&) {
  budget.selector = model::LabelSelector{};
  budget.disruptions_allowed = 0;
  budget.always_allow_unhealthy = false;
  budget.never_allows = false;  // the API server decides, and drains call it
  return true;
}

bool salvage(model::PersistentVolumeClaim& claim, const json::value&, const std::string&) {
  claim.lost = true;
  return true;
}

}  // namespace tenon::kube

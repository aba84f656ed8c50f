// SPDX-License-Identifier: Apache-2.0
#include "cluster_document.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "cli/documents/plan_documents.h"
#include "json/json.h"

namespace tenon::scenarios {
namespace {

using json::array;
using json::object;
using json::value;

constexpr std::string_view kMade = "2026-09-01T10:00:00Z";
constexpr std::array<std::string_view, 10> kNodeFields{"name",  "type",   "pool",       "zone", "capacityType",
                                                       "ready", "labels", "conditions", "node", "claim"};
constexpr std::array<std::string_view, 6> kPodFields{"name", "node", "cpu", "memory", "count", "pod"};

// Merges as a JSON merge patch does.
void lay_over(value& below, const value& above) {
  if (!above.is_object()) {
    below = above;
    return;
  }
  if (!below.is_object()) below = object();
  for (const auto& [key, v] : above.get_object()) {
    if (v.is_null()) {
      below.get_object().erase(key);
    } else {
      lay_over(below.get_object()[key], v);
    }
  }
}

template <size_t N>
Status only_known(const value& row, const std::array<std::string_view, N>& fields) {
  if (!row.is_object()) return fail(Code::kInvalid, "Cluster: a row must be an object");
  for (const auto& [key, v] : row.get_object()) {
    if (std::find(fields.begin(), fields.end(), std::string_view(key)) == fields.end())
      return fail(Code::kInvalid, "Cluster: there is no " + std::string(key));
  }
  return ok();
}

std::string text_at(const value& row, std::string_view field, std::string_view otherwise) {
  return std::string(json::string_at(row, {field}, otherwise));
}

const value* find_type(const value& catalog, const std::string& name) {
  for (const value& type : json::array_at(catalog, {"instanceTypes"})) {
    if (json::string_at(type, {"name"}) == name) return &type;
  }
  return nullptr;
}

value condition(std::string_view type, std::string_view status, std::string_view since) {
  return object{{"type", type}, {"status", status}, {"lastTransitionTime", since}, {"reason", type}};
}

// Labels of the machine from the catalog, the pool and the row.
object labels_of(const value& type, const value& row) {
  object labels;
  const value* own = json::find(type, {"labels"});
  if (own && own->is_object()) {
    for (const auto& [key, values] : own->get_object()) {
      if (values.is_array() && values.get_array().size() == 1) labels[key] = values.get_array()[0];
    }
  }
  labels["node.kubernetes.io/instance-type"] = text_at(row, "type", "");
  labels["karpenter.sh/nodepool"] = text_at(row, "pool", "default");
  labels["karpenter.sh/capacity-type"] = text_at(row, "capacityType", "on-demand");
  labels["topology.kubernetes.io/zone"] = text_at(row, "zone", "east-a");
  labels["topology.kubernetes.io/region"] = "east";
  if (const value* more = json::find(row, {"labels"})) {
    for (const auto& [key, v] : more->get_object()) labels[key] = v;
  }
  return labels;
}

array conditions_of(const value& row) {
  array out;
  const value* changed = json::find(row, {"conditions"});
  const auto says = [&](std::string_view type) { return changed ? json::find(*changed, {type}) : nullptr; };
  for (const std::string_view type : {"Launched", "Registered", "Initialized", "Consolidatable"}) {
    if (!says(type)) out.push_back(condition(type, "True", kMade));
  }
  if (!changed) return out;
  for (const auto& [type, since] : changed->get_object()) {
    if (since.is_string()) out.push_back(condition(type, "True", since.get_string()));
  }
  return out;
}

Status add_node(const value& row, const value& catalog, array& out) {
  TRY(only_known(row, kNodeFields));
  const std::string name = text_at(row, "name", ""), type_name = text_at(row, "type", "");
  const value* type = find_type(catalog, type_name);
  if (!type) return fail(Code::kInvalid, "Cluster: the catalog has no type " + type_name);
  const object labels = labels_of(*type, row);
  const value capacity = *json::find(*type, {"capacity"});
  const std::string id = "aws:///" + text_at(row, "zone", "east-a") + "/i-" + name;
  const object amounts{{"capacity", capacity}, {"allocatable", capacity}};

  object node_labels = labels;
  node_labels["kubernetes.io/hostname"] = name;
  node_labels["karpenter.sh/registered"] = "true";
  node_labels["karpenter.sh/initialized"] = "true";
  object node_status = amounts;
  const bool ready = json::bool_at(row, {"ready"}, true);
  node_status["conditions"] = array{condition("Ready", ready ? "True" : "False", kMade)};
  value node = object{{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", object{{"name", name}, {"creationTimestamp", kMade}, {"labels", node_labels}}},
                      {"spec", object{{"providerID", id}}},
                      {"status", node_status}};
  object claim_status = amounts;
  claim_status["providerID"] = id;
  claim_status["nodeName"] = name;
  claim_status["conditions"] = conditions_of(row);
  const object node_class{{"group", "karpenter.k8s.aws"}, {"kind", "EC2NodeClass"}, {"name", "default"}};
  value claim =
      object{{"apiVersion", "karpenter.sh/v1"},
             {"kind", "NodeClaim"},
             {"metadata", object{{"name", "claim-" + name}, {"creationTimestamp", kMade}, {"labels", labels}}},
             {"spec", object{{"nodeClassRef", node_class}, {"requirements", array()}}},
             {"status", claim_status}};
  if (const value* more = json::find(row, {"node"})) lay_over(node, *more);
  if (const value* more = json::find(row, {"claim"})) lay_over(claim, *more);
  for (value* made : {&node, &claim}) {
    if (made->is_object()) out.push_back(std::move(*made));  // node: null requires that there is none
  }
  return ok();
}

Status add_pods(const value& row, array& out) {
  TRY(only_known(row, kPodFields));
  const value* count = json::find(row, {"count"});
  const int64_t many = json::int_at(row, {"count"}, 1);
  for (int64_t i = 0; i < many; ++i) {
    const std::string name = text_at(row, "name", "") + (count ? "-" + std::to_string(i) : "");
    object requests;
    for (const std::string_view resource : {"cpu", "memory"}) {
      if (const value* amount = json::find(row, {resource})) requests[resource] = *amount;
    }
    const object owner{
        {"apiVersion", "apps/v1"}, {"kind", "ReplicaSet"}, {"name", "web"}, {"uid", "web"}, {"controller", true}};
    value pod = object{
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", object{{"name", name}, {"labels", object{{"app", "web"}}}, {"ownerReferences", array{owner}}}},
        {"spec", object{{"nodeName", text_at(row, "node", "")},
                        {"containers", array{object{{"name", "app"}, {"resources", object{{"requests", requests}}}}}}}},
        {"status",
         object{{"phase", "Running"},
                {"conditions", array{condition("Ready", "True", kMade), condition("PodScheduled", "True", kMade)}}}}};
    if (const value* more = json::find(row, {"pod"})) lay_over(pod, *more);
    out.push_back(std::move(pod));
  }
  return ok();
}

}  // namespace

Status expand_cluster(const value& cluster, const std::string& catalog, array& out) {
  const std::string text = TRY(cli::read_text(catalog, std::cin));
  const value types = TRY(json::parse(text));
  for (const value& row : json::array_at(cluster, {"nodes"})) TRY(add_node(row, types, out));
  for (const value& row : json::array_at(cluster, {"pods"})) TRY(add_pods(row, out));
  return ok();
}

}  // namespace tenon::scenarios

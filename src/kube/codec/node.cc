// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"

namespace tenon::kube::codec {

Result<model::Node> decode_node(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field node(document, problem);
  const Field spec = node["spec"];
  const Field status = node["status"];
  model::Node out;
  out.meta = read_meta(node["metadata"]);
  out.provider_id = spec["providerID"].text();
  out.unschedulable = spec["unschedulable"].boolean();
  out.taints = read_taints(spec["taints"]);
  out.capacity = read_resources(status["capacity"], Round::kDown);
  out.allocatable = read_resources(status["allocatable"], Round::kDown);
  out.conditions = read_conditions(status["conditions"]);
  return problem.take(std::move(out));
}

json::value encode(const model::Node& node, const model::Node* unlike) {
  json::object spec;
  if (!node.provider_id.empty()) spec["providerID"] = node.provider_id;
  if (node.unschedulable) spec["unschedulable"] = true;
  if (!node.taints.empty()) spec["taints"] = write_taints(node.taints);
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", write_meta(node.meta, unlike ? &unlike->meta : nullptr)},
                      {"spec", std::move(spec)}};
}

}  // namespace tenon::kube::codec

// NodeOverlay, CapacityBuffer, and the pod sources of buffers.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"

namespace tenon::kube::codec {

Result<model::NodeOverlay> decode_node_overlay(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field overlay(document, problem);
  const Field spec = overlay["spec"];
  model::NodeOverlay out;
  out.meta = read_meta(overlay["metadata"]);
  out.requirements = read_requirements(spec["requirements"], true);
  out.price = spec["price"].text_or_number();
  out.price_adjustment = spec["priceAdjustment"].text();
  out.capacity = read_resources(spec["capacity"], Round::kDown);
  out.weight = spec["weight"].int32();
  out.conditions = read_conditions(overlay["status"]["conditions"]);
  return problem.take(std::move(out));
}

Result<model::CapacityBuffer> decode_capacity_buffer(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field buffer(document, problem);
  const Field spec = buffer["spec"];
  model::CapacityBuffer out;
  out.meta = read_meta(buffer["metadata"]);
  out.strategy = spec["provisioningStrategy"].text(model::kActiveCapacity);
  out.pod_template = spec["podTemplateRef"]["name"].text();
  out.scalable_kind = spec["scalableRef"]["kind"].text();
  out.scalable_name = spec["scalableRef"]["name"].text();
  out.replicas = spec["replicas"].optional_int32();
  out.percentage = spec["percentage"].optional_int32();
  if (spec["limits"].present()) out.limits = read_resources(spec["limits"], Round::kDown);
  const Field status = buffer["status"];
  out.status.pod_template = status["podTemplateRef"]["name"].text();
  out.status.strategy = status["provisioningStrategy"].text();
  out.status.pod_template_generation = status["podTemplateGeneration"].integer();
  if (status["replicas"].present()) out.status.replicas = status["replicas"].integer();
  out.status.conditions = read_conditions(status["conditions"]);
  return problem.take(std::move(out));
}

json::value encode(const model::NodeOverlay& overlay) {
  return json::object{{"apiVersion", "karpenter.sh/v1alpha1"},
                      {"kind", "NodeOverlay"},
                      {"metadata", write_meta(overlay.meta)},
                      {"status", json::object{{"conditions", write_conditions(overlay.conditions)}}}};
}

json::value encode(const model::CapacityBuffer& buffer) {
  const model::CapacityBufferStatus& s = buffer.status;
  json::object status{{"conditions", write_conditions(s.conditions)}};
  if (!s.pod_template.empty()) status["podTemplateRef"] = json::object{{"name", s.pod_template}};
  if (!s.strategy.empty()) status["provisioningStrategy"] = s.strategy;
  if (s.pod_template_generation != 0) status["podTemplateGeneration"] = s.pod_template_generation;
  if (s.replicas) status["replicas"] = *s.replicas;
  return json::object{{"apiVersion", "autoscaling.x-k8s.io/v1beta1"},
                      {"kind", "CapacityBuffer"},
                      {"metadata", write_meta(buffer.meta)},
                      {"status", std::move(status)}};
}

Result<model::PodSource> decode_pod_source(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field source(document, problem);
  const Field spec = source["spec"];
  model::PodSource out;
  out.meta = read_meta(source["metadata"]);
  out.pod_template = read_pod(source["template"].present() ? source["template"] : spec["template"]);
  out.replicas = spec["replicas"].int32(1);
  return problem.take(std::move(out));
}

}  // namespace tenon::kube::codec

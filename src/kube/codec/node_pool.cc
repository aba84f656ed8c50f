// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"
#include "model/generations.h"

namespace tenon::kube::codec {
namespace {

constexpr std::string_view kNodes = "nodes";

std::vector<model::Budget> read_budgets(const Field& budgets) {
  std::vector<model::Budget> out;
  for (const Field& b : budgets.items()) {
    model::Budget budget;
    budget.nodes = b["nodes"].present() ? b["nodes"].text_or_number() : budget.nodes;
    budget.schedule = b["schedule"].text();
    if (b["duration"].present()) budget.duration = b["duration"].duration();
    const Field reasons = b["reasons"];
    for (const Field& reason : reasons.items()) {
      budget.reasons.push_back(reason.one_of({"Underutilized", "Empty", "Drifted"}));
    }
    // An empty list applies to no reason at all, whereas an absent one applies to every reason.
    if (reasons.present() && budget.reasons.empty()) continue;
    out.push_back(std::move(budget));
  }
  return out;
}

model::ConsolidationPolicy read_policy(const Field& field) {
  const std::string word =
      field.one_of({"WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"}, "WhenEmptyOrUnderutilized");
  if (word == "WhenEmpty") return model::ConsolidationPolicy::kWhenEmpty;
  if (word == "Balanced") return model::ConsolidationPolicy::kBalanced;
  return model::ConsolidationPolicy::kWhenEmptyOrUnderutilized;
}

model::NodeTemplate read_template(const Field& node_template) {
  const Field spec = node_template["spec"];
  model::NodeTemplate out;
  out.labels = node_template["metadata"]["labels"].string_map();
  out.annotations = node_template["metadata"]["annotations"].string_map();
  out.node_class_ref = read_node_class_ref(spec["nodeClassRef"]);
  out.requirements = read_requirements(spec["requirements"], true);
  out.taints = read_taints(spec["taints"]);
  out.startup_taints = read_taints(spec["startupTaints"]);
  out.expire_after = read_duration_or_never(spec["expireAfter"], out.expire_after);
  if (spec["terminationGracePeriod"].present())
    out.termination_grace_period = spec["terminationGracePeriod"].duration();
  return out;
}

// Karpenter 1.0 and the conversion webhook keep the kubelet's configuration of a v1beta1 NodePool in an annotation.
std::optional<model::KubeletConfig> read_kubelet_annotation(const Field& annotation) {
  if (!annotation.present()) return std::nullopt;
  const auto document = json::parse(annotation.text());
  if (!document) {
    annotation.complain("is not JSON: " + document.error().message);
    return std::nullopt;
  }
  std::string fault;
  model::KubeletConfig kubelet = decode_kubelet(*document, fault);
  if (!fault.empty()) annotation.complain(fault);
  return kubelet;
}

}  // namespace

Result<model::NodePool> decode_node_pool(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field pool(document, problem);
  const Field spec = pool["spec"];
  model::NodePool out;
  out.meta = read_meta(pool["metadata"]);
  out.node_template = read_template(spec["template"]);
  out.kubelet = read_kubelet_annotation(pool["metadata"]["annotations"][model::kAnnotationKubelet]);
  const Field disruption = spec["disruption"];
  out.consolidation_policy = read_policy(disruption["consolidationPolicy"]);
  out.consolidate_after = read_duration_or_never(disruption["consolidateAfter"], out.consolidate_after);
  if (disruption["budgets"].present()) out.budgets = read_budgets(disruption["budgets"]);
  if (spec["limits"].present()) out.limits = read_resources(spec["limits"], Round::kDown);
  out.weight = spec["weight"].int32();
  out.replicas = spec["replicas"].optional_int32();
  out.resources = read_resources(pool["status"]["resources"], Round::kDown);
  out.node_class_observed_generation = pool["status"]["nodeClassObservedGeneration"].integer();
  out.conditions = read_conditions(pool["status"]["conditions"]);
  return problem.take(std::move(out));
}

json::value encode(const model::NodePool& pool) {
  json::object status{{"resources", write_resources(pool.resources)}, {"nodes", pool.resources.get(kNodes)}};
  if (pool.node_class_observed_generation != 0) {
    status["nodeClassObservedGeneration"] = pool.node_class_observed_generation;
  }
  if (!pool.conditions.empty()) status["conditions"] = write_conditions(pool.conditions);
  return json::object{{"apiVersion", "karpenter.sh/v1"},
                      {"kind", "NodePool"},
                      {"metadata", write_meta(pool.meta)},
                      {"status", std::move(status)}};
}

}  // namespace tenon::kube::codec

// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/common.h"

#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::kube::codec {

using json::array;
using json::object;
using json::value;

model::ObjectMeta read_meta(const Field& metadata) {
  model::ObjectMeta meta;
  meta.name = metadata["name"].text();
  meta.ns = metadata["namespace"].text();
  meta.uid = metadata["uid"].text();
  meta.resource_version = metadata["resourceVersion"].text();
  meta.generate_name = metadata["generateName"].text();
  meta.generation = metadata["generation"].integer();
  meta.created_at = metadata["creationTimestamp"].time().value_or(Instant{});
  meta.deleted_at = metadata["deletionTimestamp"].time();
  meta.labels = metadata["labels"].string_map();
  meta.annotations = metadata["annotations"].string_map();
  meta.finalizers = metadata["finalizers"].texts();
  for (const Field& owner : metadata["ownerReferences"].items()) {
    meta.owners.push_back({.api_version = owner["apiVersion"].text(),
                           .kind = owner["kind"].text(),
                           .name = owner["name"].text(),
                           .uid = owner["uid"].text(),
                           .controller = owner["controller"].boolean(),
                           .block_owner_deletion = owner["blockOwnerDeletion"].boolean()});
  }
  return meta;
}

Result<model::ObjectMeta> decode_metadata(const value& document, std::string* fault) {
  Problem problem(document, fault);
  return problem.take(read_meta(Field(document, problem)["metadata"]));
}

std::vector<model::Condition> read_conditions(const Field& conditions) {
  std::vector<model::Condition> out;
  for (const Field& c : conditions.items()) {
    out.push_back({.type = c["type"].text(),
                   .status = c["status"].text(),
                   .reason = c["reason"].text(),
                   .message = c["message"].text(),
                   .last_transition = c["lastTransitionTime"].time().value_or(Instant{}),
                   .observed_generation = c["observedGeneration"].integer()});
  }
  return out;
}

std::vector<model::Taint> read_taints(const Field& taints) {
  std::vector<model::Taint> out;
  for (const Field& t : taints.items()) {
    out.push_back({.key = t["key"].text(),
                   .value = t["value"].text(),
                   .effect = t["effect"].one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"}),
                   .added_at = t["timeAdded"].time()});
  }
  return out;
}

std::vector<model::Toleration> read_tolerations(const Field& tolerations) {
  std::vector<model::Toleration> out;
  for (const Field& t : tolerations.items()) {
    out.push_back({.key = t["key"].text(),
                   .op = t["operator"].one_of({"Equal", "Exists", "Lt", "Gt", ""}),
                   .value = t["value"].text(),
                   .effect = t["effect"].one_of({"NoSchedule", "PreferNoSchedule", "NoExecute", ""}),
                   .toleration_seconds = t["tolerationSeconds"].optional_integer()});
  }
  return out;
}

std::vector<model::RequirementSpec> read_requirements(const Field& list, bool bounds) {
  std::vector<model::RequirementSpec> out;
  for (const Field& r : list.items()) {
    model::RequirementSpec spec;
    spec.key = r["key"].text();
    const Field op = r["operator"];
    const std::string word = bounds ? op.one_of({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"})
                                    : op.one_of({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
    if (!op.present()) r.complain("operator: missing");
    spec.op = model::parse_operator(word).value_or(model::Operator::kIn);
    spec.values = r["values"].texts();
    spec.min_values = r["minValues"].optional_int32();
    out.push_back(std::move(spec));
  }
  return out;
}

std::optional<model::LabelSelector> read_selector(const Field& selector) {
  if (!selector.present()) return std::nullopt;
  return model::LabelSelector{selector["matchLabels"].string_map(),
                              read_requirements(selector["matchExpressions"], false)};
}

model::NodeSelectorTerm read_node_term(const Field& term) {
  return {read_requirements(term["matchExpressions"], false), read_requirements(term["matchFields"], false)};
}

std::vector<model::NodeSelectorTerm> read_node_terms(const Field& terms) {
  std::vector<model::NodeSelectorTerm> out;
  for (const Field& term : terms.items()) out.push_back(read_node_term(term));
  return out;
}

model::NodeClassRef read_node_class_ref(const Field& ref) {
  return {ref["group"].text(), ref["kind"].text(), ref["name"].text()};
}

model::OptionalDuration read_duration_or_never(const Field& field, model::OptionalDuration otherwise) {
  if (!field.present()) return otherwise;
  if (field.text() == "Never") return std::nullopt;
  return field.duration();
}

model::Resources read_resources(const Field& map, Round round) {
  model::Resources out;
  for (const auto& [name, amount] : map.members()) {
    const model::Quantity quantity = amount.quantity();
    round == Round::kUp ? out.set_ceil(name, quantity) : out.set_floor(name, quantity);
  }
  return out;
}

value write_string_map(const model::StringMap& map) {
  object out;
  for (const auto& [key, text] : map) out[key] = text;
  return out;
}

value write_strings(const std::vector<std::string>& strings) {
  array out;
  for (const std::string& s : strings) out.emplace_back(s);
  return out;
}

value write_meta(const model::ObjectMeta& meta, const model::ObjectMeta* unlike) {
  object out;
  const auto set = [&out](std::string_view key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  set("name", meta.name);
  set("generateName", meta.generate_name);
  set("namespace", meta.ns);
  set("uid", meta.uid);
  set("resourceVersion", meta.resource_version);
  if (meta.generation != 0) out["generation"] = meta.generation;
  if (meta.created_at != Instant{}) out["creationTimestamp"] = format_rfc3339(meta.created_at);
  if (meta.deleted_at) out["deletionTimestamp"] = format_rfc3339(*meta.deleted_at);
  if (told(meta.labels, unlike ? &unlike->labels : nullptr)) out["labels"] = write_string_map(meta.labels);
  if (told(meta.annotations, unlike ? &unlike->annotations : nullptr))
    out["annotations"] = write_string_map(meta.annotations);
  if (!meta.finalizers.empty()) out["finalizers"] = write_strings(meta.finalizers);
  array owners;
  for (const model::OwnerReference& owner : meta.owners) {
    object o{{"apiVersion", owner.api_version}, {"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}};
    if (owner.controller) o["controller"] = true;
    if (owner.block_owner_deletion) o["blockOwnerDeletion"] = true;
    owners.push_back(std::move(o));
  }
  if (!owners.empty()) out["ownerReferences"] = std::move(owners);
  return out;
}

value encode(const model::ObjectMeta& meta) { return write_meta(meta); }

value encode(const model::Condition& c) {
  object out{{"type", c.type},
             {"status", c.status},
             {"reason", c.reason},
             {"message", c.message},
             {"lastTransitionTime", format_rfc3339(c.last_transition)}};
  if (c.observed_generation != 0) out["observedGeneration"] = c.observed_generation;
  return out;
}

value write_conditions(const std::vector<model::Condition>& conditions) {
  array out;
  for (const model::Condition& c : conditions) out.push_back(encode(c));
  return out;
}

value write_taints(const std::vector<model::Taint>& taints) {
  array out;
  for (const model::Taint& taint : taints) {
    object t{{"key", taint.key}, {"effect", taint.effect}};
    if (!taint.value.empty()) t["value"] = taint.value;
    if (taint.added_at) t["timeAdded"] = format_rfc3339(*taint.added_at);
    out.push_back(std::move(t));
  }
  return out;
}

value write_requirements(const std::vector<model::RequirementSpec>& requirements) {
  array out;
  for (const model::RequirementSpec& spec : requirements) {
    object r{{"key", spec.key}, {"operator", model::to_string(spec.op)}};
    if (!spec.values.empty()) r["values"] = write_strings(spec.values);
    if (spec.min_values) r["minValues"] = *spec.min_values;
    out.push_back(std::move(r));
  }
  return out;
}

value write_resources(const model::Resources& resources) {
  object out;
  for (const auto& [name, amount] : resources.entries()) out[name] = model::format_amount(name, amount);
  return out;
}

}  // namespace tenon::kube::codec

// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/earlier_api.h"

#include <charconv>
#include <utility>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"
#include "legacy/convert_parts.h"
#include "legacy/node_template.h"
#include "legacy/provisioner.h"
#include "model/generations.h"
#include "model/unreadable.h"

namespace tenon::kube::codec {
namespace {

using json::value;

std::string first_problem(const std::vector<legacy::FieldError>& errors, const std::vector<legacy::Note>& refused) {
  if (!errors.empty()) return legacy::to_string(errors.front());
  return refused.empty() ? std::string() : refused.front().path + ": " + refused.front().text;
}

// Puts what the conversion leaves out into the converted document.
void keep_identity(const value& document, value& converted) {
  for (const char* part : {"metadata", "status"}) {
    if (const value* same = json::find(document, {part})) json::ensure(converted, {part}) = *same;
  }
}

// Decodes the converted document. A problem of the original document precedes one of the conversion.
template <class T, class Decode>
Result<T> decode(const value& converted, const std::string& problem, Decode decode_v1, std::string* fault) {
  if (!problem.empty() && fault == nullptr) return fail(Code::kInvalid, problem);
  Result<T> out = decode_v1(converted, fault);
  if (!problem.empty() && fault != nullptr) *fault = problem;
  return out;
}

// The values of a ConfigMap are strings.
std::optional<bool> read_bool(const Field& field) {
  const std::string word = field.one_of({"true", "false", ""});
  return word.empty() ? std::nullopt : std::optional(word == "true");
}

std::optional<double> read_double(const Field& field) {
  const std::string digits = field.text();
  if (digits.empty()) return std::nullopt;
  double parsed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (error == std::errc() && end == digits.data() + digits.size()) return parsed;
  field.complain("is not a number");
  return std::nullopt;
}

// The texts of v0.27: a duration of 0 "cannot be negative", too.
std::optional<Duration> read_batch_duration(const Field& field) {
  if (!field.present()) return std::nullopt;
  const std::string text = field.text();
  const auto parsed = parse_go_duration(text);
  if (text.empty()) {
    field.complain("is required");
  } else if (text.starts_with('-') || parsed == Duration(0)) {
    field.complain("cannot be negative");
  } else if (!parsed) {
    field.complain("is not a duration");
  } else {
    return parsed;
  }
  return std::nullopt;
}

void read_tags(const Field& field, model::StringMap& out) {
  const std::string text = field.text();
  if (text.empty()) return;
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return field.complain("is not a JSON object");
  for (const auto& [key, tag] : parsed->get_object()) {
    if (!tag.is_string()) field.complain("is not a map of strings");
    if (tag.is_string()) out[std::string(key)] = tag.get_string();
  }
}

void read_process_settings(const Field& data, model::GlobalSettings& out) {
  out.cluster_name = data["aws.clusterName"].text();
  out.cluster_endpoint = data["aws.clusterEndpoint"].text();
  out.interruption_queue = data["aws.interruptionQueueName"].text();
  out.isolated_vpc = read_bool(data["aws.isolatedVPC"]);
  out.vm_memory_overhead_percent = read_double(data["aws.vmMemoryOverheadPercent"]);
  out.batch_idle = read_batch_duration(data["batchIdleDuration"]);
  out.batch_max = read_batch_duration(data["batchMaxDuration"]);
}

// Returns the v1 document of the spec of an AWSNodeTemplate or of an inline provider. Without amiFamily and amiSelector
// it has no images: model/global_settings.h has the default.
value class_of_template(const value& spec, const std::string& path, std::vector<legacy::Note>& refused) {
  std::vector<legacy::Note> notes;
  value converted = legacy::convert_node_template(spec, path, value(), "", notes, refused);
  const bool any_image = json::find(spec, {"amiFamily"}) || json::find(spec, {"amiSelector"});
  if (!any_image) json::erase(converted, {"spec", "amiSelectorTerms"});
  json::erase(converted, {"spec", "role"});  // a placeholder: v0.27 had instance profiles only
  return converted;
}

// Adds what v1 has no field for, and the prefix of the key. The capacity of nodes of a launch template is that of AL2.
Result<model::NodeClass> finish_class(Result<model::NodeClass> node_class, const value& spec, std::string_view prefix) {
  if (!node_class) return node_class;
  node_class->meta.name = std::string(prefix) + node_class->meta.name;
  node_class->launch_template = json::string_at(spec, {"launchTemplate"});
  if (!node_class->launch_template.empty()) node_class->ami_family = "AL2";
  return node_class;
}

}  // namespace

Result<model::NodePool> decode_provisioner(const value& document, std::string* fault) {
  value with_defaults = document;
  legacy::apply_defaults(with_defaults);
  std::string problem = first_problem(legacy::validate_provisioner(with_defaults), {});
  std::vector<legacy::Note> notes, refused;
  const value* provider = json::find(document, {"spec", "provider"});
  if (provider != nullptr && problem.empty()) {
    (void)class_of_template(*provider, "spec.provider", refused);
    problem = first_problem({}, refused);
  }
  value converted = legacy::convert_provisioner(document, "", true, notes);
  keep_identity(document, converted);
  Result<model::NodePool> pool = decode<model::NodePool>(converted, problem, decode_node_pool, fault);
  if (!pool) return pool;
  if (provider != nullptr) {
    pool->node_template.node_class_ref = {"karpenter.sh", std::string(model::kProvisionerKind), pool->meta.name};
    pool->inline_provider = json::to_string(*provider);
  } else {
    pool->node_template.node_class_ref = {"karpenter.k8s.aws", std::string(model::kNodeTemplateKind),
                                          std::string(json::string_at(document, {"spec", "providerRef", "name"}))};
  }
  pool->meta.name = std::string(model::kProvisionerPrefix) + pool->meta.name;
  if (const value* kubelet = json::find(document, {"spec", "kubeletConfiguration"})) {
    std::string kubelet_fault;
    pool->kubelet = decode_kubelet(*kubelet, kubelet_fault);
    if (!kubelet_fault.empty() && fault != nullptr && fault->empty()) *fault = kubelet_fault;
  }
  return pool;
}

Result<model::NodeClass> decode_node_template(const value& document, std::string* fault) {
  std::vector<legacy::Note> refused;
  const value* found = json::find(document, {"spec"});
  const value spec = found != nullptr ? *found : value(json::object());
  value converted = class_of_template(spec, "spec", refused);
  keep_identity(document, converted);
  const std::string problem = first_problem(legacy::validate_node_template(document), refused);
  return finish_class(decode<model::NodeClass>(converted, problem, decode_node_class, fault), spec,
                      model::kNodeTemplatePrefix);
}

Result<model::NodeClass> decode_inline_provider(const value& document, std::string*) {
  const value* provider = json::find(document, {"spec", "provider"});
  if (provider == nullptr) return model::NodeClass();
  std::vector<legacy::Note> refused;
  value converted = class_of_template(*provider, "spec.provider", refused);
  keep_identity(document, converted);
  const value* status = json::find(document, {"status", "provider"});
  json::ensure(converted, {"status"}) = status != nullptr ? *status : value(json::object());
  std::string problem = first_problem(legacy::validate_provisioner(document), refused), fault;
  Result<model::NodeClass> out = finish_class(decode<model::NodeClass>(converted, problem, decode_node_class, &fault),
                                              *provider, model::kProvisionerPrefix);
  if (out && !fault.empty()) out->conditions.push_back({std::string(model::kUnreadable), "True", "", fault, {}, 0});
  return out;
}

Result<model::GlobalSettings> decode_global_settings(const value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field map(document, problem);
  const Field data = map["data"];
  model::GlobalSettings out;
  out.meta = read_meta(map["metadata"]);
  out.default_instance_profile = data["aws.defaultInstanceProfile"].text();
  out.drift = read_bool(data["featureGates.driftEnabled"]).value_or(false);
  out.pod_eni = read_bool(data["aws.enablePodENI"]).value_or(out.pod_eni);
  out.eni_limited_pods = read_bool(data["aws.enableENILimitedPodDensity"]).value_or(out.eni_limited_pods);
  // Only checked: v0.27 predicted the name of a Node by it. A NodeClaim takes the name of the Node with its provider
  // id.
  data["aws.nodeNameConvention"].one_of({"ip-name", "resource-name", ""});
  read_tags(data["aws.tags"], out.tags);
  read_process_settings(data, out);
  return problem.take(std::move(out));
}

}  // namespace tenon::kube::codec

// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/rules.h"

#include "base/text.h"
#include "disruption/budgets.h"
#include "disruption/required_savings.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/earlier_api.h"
#include "legacy/node_template.h"
#include "legacy/provisioner.h"

namespace tenon::cli {
namespace {

using json::value;
namespace codec = kube::codec;
using Kind = Finding::Kind;

// "spec.a: what" → path and text.
Finding split_path(const std::string& message) {
  const size_t colon = message.find(": ");
  if (colon == message.npos || message.substr(0, colon).find(' ') != message.npos) return {Kind::kError, "", message};
  return {Kind::kError, message.substr(0, colon), message.substr(colon + 2)};
}

void add(const std::vector<legacy::FieldError>& errors, Findings& out) {
  for (const legacy::FieldError& error : errors) {
    const std::string text = error.message + (error.details.empty() ? "" : ": " + error.details);
    out.push_back({Kind::kError, std::string(cut(error.path, ',').first), text});
  }
}

void add_fault(const std::string& fault, Findings& out) {
  if (!fault.empty() && out.empty()) out.push_back(split_path(fault));
}

Findings check_provisioner(const value& document) {
  Findings out;
  value with_defaults = document;
  legacy::apply_defaults(with_defaults);
  add(legacy::validate_provisioner(with_defaults), out);
  std::string fault;
  (void)codec::decode_provisioner(document, &fault);
  add_fault(fault, out);
  return out;
}

Findings check_node_template(const value& document) {
  Findings out;
  add(legacy::validate_node_template(document), out);
  std::string fault;
  (void)codec::decode_node_template(document, &fault);
  add_fault(fault, out);
  return out;
}

Findings check_node_pool(const value& document) {
  Findings out;
  const auto pool = codec::decode_node_pool(document);
  if (!pool) return {split_path(pool.error().message)};
  if (const Status valid = model::validate(*pool); !valid) out.push_back(split_path(valid.error().message));
  if (const std::string problem = disruption::budget_problem(*pool); !problem.empty())
    out.push_back({Kind::kError, "spec.disruption.budgets", problem + "; nodes are not disrupted"});
  for (const std::string& problem : disruption::annotation_problems(*pool))
    out.push_back({Kind::kWarning, "metadata.annotations", problem});
  return out;
}

template <class T>
Findings check_decoding(const Result<T>& decoded) {
  return decoded ? Findings() : Findings{split_path(decoded.error().message)};
}

}  // namespace

Findings check_rules(const value& document) {
  const std::string_view api = json::string_at(document, {"apiVersion"}), kind = json::string_at(document, {"kind"});
  if (api == legacy::kProvisionerApi && kind == "Provisioner") return check_provisioner(document);
  if (api == legacy::kNodeTemplateApi && kind == "AWSNodeTemplate") return check_node_template(document);
  if (api == "karpenter.sh/v1" && kind == "NodePool") return check_node_pool(document);
  if (api == "karpenter.sh/v1" && kind == "NodeClaim") return check_decoding(codec::decode_node_claim(document));
  if (kind == "EC2NodeClass") return check_decoding(codec::decode_node_class(document));
  if (api == "v1" && kind == "Pod") return check_decoding(codec::decode_pod(document));
  if (api == "apps/v1" && kind == "DaemonSet") return check_decoding(codec::decode_daemon_set(document));
  if (kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet")
    return check_decoding(codec::decode_pod_source(document));
  if (kind == "PodDisruptionBudget") return check_decoding(codec::decode_disruption_budget(document));
  if (kind == "NodeOverlay") return check_decoding(codec::decode_node_overlay(document));
  if (kind == "CapacityBuffer") return check_decoding(codec::decode_capacity_buffer(document));
  const bool settings =
      kind == "ConfigMap" && json::string_at(document, {"metadata", "name"}) == "karpenter-global-settings";
  if (settings) return check_decoding(codec::decode_global_settings(document));
  return {};
}

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include "model/node_pool.h"

#include <set>

#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::model {
namespace {

Status refuse(const std::string& path, std::string why) { return fail(Code::kInvalid, path + ": " + std::move(why)); }

Status check_labels(const StringMap& labels) {
  for (const auto& [key, value] : labels) {
    const std::string path = "spec.template.metadata.labels[" + key + "]";
    if (key == kLabelNodePool) return refuse(path, "invalid key name \"" + key + "\" in labels, restricted");
    if (!valid_label_key(key)) return refuse(path, "invalid key name \"" + key + "\" in labels, not a qualified name");
    if (!valid_label_value(value)) return refuse(path, "invalid value \"" + value + "\", not a valid label value");
    if (auto reason = restricted_label_reason(key)) return refuse(path, *reason);
  }
  return ok();
}

Status check_taints(const NodeTemplate& node_template) {
  std::set<std::pair<std::string, std::string>> seen;
  const auto check = [&](const std::vector<Taint>& taints, const std::string& field) -> Status {
    for (size_t i = 0; i < taints.size(); ++i) {
      const Taint& taint = taints[i];
      const std::string path = "spec.template.spec." + field + "[" + std::to_string(i) + "]";
      if (!valid_label_key(taint.key)) return refuse(path + ".key", "\"" + taint.key + "\" is not a qualified name");
      if (!valid_label_value(taint.value))
        return refuse(path + ".value", "\"" + taint.value + "\" is not a valid value");
      if (!taint.effect.empty() && taint.effect != "NoSchedule" && taint.effect != "PreferNoSchedule" &&
          taint.effect != "NoExecute") {
        return refuse(path + ".effect", "\"" + taint.effect + "\" is not NoSchedule, PreferNoSchedule or NoExecute");
      }
      if (!seen.emplace(taint.key, taint.effect).second) {
        return refuse(path, "duplicate taint Key/Effect pair " + taint.key + "=" + taint.effect);
      }
    }
    return ok();
  };
  TRY(check(node_template.taints, "taints"));
  return check(node_template.startup_taints, "startupTaints");
}

Status check_requirements(const std::vector<RequirementSpec>& specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string path = "spec.template.spec.requirements[" + std::to_string(i) + "]";
    if (canonical_label(specs[i].key) == kLabelNodePool || specs[i].key == kLabelProvisioner) {
      return refuse(path, "invalid key: \"" + specs[i].key + "\" in requirements, restricted");
    }
    TRY_IN(path, validate(specs[i]));
  }
  return ok();
}

}  // namespace

std::string NodeClassRef::key() const {
  if (kind == kNodeTemplateKind) return std::string(kNodeTemplatePrefix) + name;
  if (kind == kKwokClassKind && group == kKwokGroup) return std::string(kKwokClassPrefix) + name;
  return is_inline() ? std::string(kProvisionerPrefix) + name : name;
}

bool NodeClassRef::of_aws() const {
  if (is_inline()) return group == "karpenter.sh";
  return group == "karpenter.k8s.aws" && (kind == "EC2NodeClass" || kind == kNodeTemplateKind);
}

Status validate(const NodePool& pool) {
  TRY(check_labels(pool.node_template.labels));
  TRY(check_taints(pool.node_template));
  return check_requirements(pool.node_template.requirements);
}

}  // namespace tenon::model

// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "json/json.h"
#include "legacy/node_template.h"
#include "legacy/provisioner.h"
#include "model/requirement.h"

namespace tenon::legacy {
namespace {

using json::value;

void append(std::vector<FieldError>& errors, std::vector<FieldError> more) {
  for (FieldError& error : more) errors.push_back(std::move(error));
}

void check_times(const value& provisioner, std::vector<FieldError>& errors) {
  for (const char* field : {"ttlSecondsUntilExpired", "ttlSecondsAfterEmpty"}) {
    if (json::int_at(provisioner, {"spec", field}) < 0)
      errors.push_back({"invalid value: cannot be negative", "spec." + std::string(field)});
  }
  if (json::find(provisioner, {"spec", "ttlSecondsAfterEmpty"}) != nullptr &&
      json::bool_at(provisioner, {"spec", "consolidation", "enabled"})) {
    errors.push_back({"expected exactly one, got both", "spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"});
  }
}

void check_taints(const value& provisioner, std::vector<FieldError>& errors) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const char* field : {"taints", "startupTaints"}) {
    const json::array& taints = json::array_at(provisioner, {"spec", field});
    for (size_t i = 0; i < taints.size(); ++i) {
      const std::string path = "spec." + std::string(field) + "[" + std::to_string(i) + "]";
      const std::string key(json::string_at(taints[i], {"key"})), text(json::string_at(taints[i], {"value"})),
          effect(json::string_at(taints[i], {"effect"}));
      if (!model::valid_label_key(key)) errors.push_back({"invalid value: " + key, path});
      if (!text.empty() && !model::valid_label_value(text)) errors.push_back({"invalid value: " + text, path});
      if (!effect.empty() && effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute")
        errors.push_back({"invalid value: " + effect, path});
      if (!seen.emplace(key, effect).second)
        errors.push_back({"duplicate taint Key/Effect pair " + key + "=" + effect, path});
    }
  }
}

void check_provider(const value& provisioner, std::vector<FieldError>& errors) {
  const value *inlined = json::find(provisioner, {"spec", "provider"}),
              *named = json::find(provisioner, {"spec", "providerRef"});
  if ((inlined == nullptr) == (named == nullptr)) {
    const std::string both = inlined == nullptr ? "neither" : "both";
    errors.push_back({"expected exactly one, got " + both, "spec.provider, spec.providerRef"});
  }
  if (inlined != nullptr) append(errors, validate_provider(*inlined));
}

}  // namespace

std::vector<FieldError> validate_provisioner(const value& provisioner) {
  std::vector<FieldError> errors;
  check_times(provisioner, errors);
  check_provider(provisioner, errors);
  append(errors, validate_labels(provisioner));
  check_taints(provisioner, errors);
  append(errors, validate_requirements(provisioner));
  append(errors, validate_kubelet(provisioner));
  return errors;
}

}  // namespace tenon::legacy

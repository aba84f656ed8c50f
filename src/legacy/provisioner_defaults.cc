// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "legacy/provisioner.h"
#include "model/labels.h"

namespace tenon::legacy {

using json::value;

void apply_defaults(value& provisioner) {
  value& list = json::ensure(provisioner, {"spec", "requirements"});
  if (!list.is_array()) {
    if (!list.is_null()) return;  // the schema refuses it
    list.emplace_array();
  }
  json::array& requirements = list.get_array();
  const auto has = [&](std::string_view key) {
    for (const value& one : requirements) {
      if (model::canonical_label(json::string_at(one, {"key"})) == key) return true;
    }
    return false;
  };
  const bool typed = has(model::kLabelInstanceType) || has(model::kLabelFamily) || has(model::kLabelCategory) ||
                     has(model::kLabelGeneration);
  const auto add = [&](std::string_view key, std::string_view op, json::array values) {
    requirements.push_back({{"key", key}, {"operator", op}, {"values", std::move(values)}});
  };
  if (!has(model::kLabelOs)) add(model::kLabelOs, "In", {"linux"});
  if (!has(model::kLabelArch)) add(model::kLabelArch, "In", {"amd64"});
  if (!has(model::kLabelCapacityType)) add(model::kLabelCapacityType, "In", {"on-demand"});
  if (typed) return;
  add(model::kLabelCategory, "In", {"c", "m", "r"});
  add(model::kLabelGeneration, "Gt", {"2"});
}

}  // namespace tenon::legacy

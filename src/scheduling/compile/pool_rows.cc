// The rows of a pool that labels and host ports allow, with an index of labels.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/compile/problem.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {

bool PoolProblem::is_type_key(std::string_view key) const {
  if (key == model::kLabelNodePool || key == model::kLabelProvisioner) return false;
  return std::binary_search(all_types->keys.begin(), all_types->keys.end(), key) || model::is_well_known_label(key);
}

bool PoolProblem::multi_valued(std::string_view key) const {
  return std::binary_search(all_types->multi_keys.begin(), all_types->multi_keys.end(), key);
}

const std::map<std::string, RowSet>& PoolProblem::rows_by_value(const std::string& key) const {
  const auto known = by_label.find(key);
  if (known != by_label.end()) return known->second;
  auto& index = by_label[key];
  const auto add = [&](const std::string& text, size_t row) {
    index.try_emplace(text, rows.size()).first->second.set(row);
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const model::InstanceType& type = *types[rows[i].type].type;
    if (const auto value = offering_value(key, *rows[i].offering)) {
      if (!value->empty()) add(std::string(*value), i);
    } else if (key == model::kLabelInstanceType) {
      add(type.name, i);
    } else if (const auto at = type.labels.find(key); at != type.labels.end()) {
      for (const std::string& each : at->second) add(each, i);
    }
  }
  return index;
}

RowSet PoolProblem::rows_allowed(const model::Requirement& requirement) const {
  RowSet allowed(rows.size()), with_value(rows.size());
  for (const auto& [value, of_value] : rows_by_value(requirement.key())) {
    with_value |= of_value;
    if (requirement.allows(value)) allowed |= of_value;
  }
  if (!requirement.tolerates_absence()) return allowed;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!with_value.test(i)) allowed.set(i);
  }
  return allowed;
}

bool PoolProblem::rows_for(const model::Requirements& asked, RowSet& out) const {
  out = all();
  for (const auto& [key, r] : asked.by_key()) {
    if (key == model::kLabelHostname) {  // a new node has a new name, so only exclusions hold
      if (r.complement() && !r.greater_than() && !r.less_than()) continue;
      return false;
    }
    if (is_type_key(key)) {
      out &= rows_allowed(r);
      if (out.none()) return false;
    }
    if (requirements.has(key)) {
      const model::Requirement mine = requirements.get(key);
      if (!mine.intersects(r) && !(mine.tolerates_absence() && r.tolerates_absence())) return false;
    } else if (!is_type_key(key) && !r.tolerates_absence()) {
      return false;
    }
  }
  return out.any();
}

bool PoolProblem::defines(const std::string& key) const {
  return requirements.has(key) || (is_type_key(key) && !rows_by_value(key).empty());
}

const RowSet* PoolProblem::rows_in(const std::string& key, const std::string& value) const {
  if (!is_type_key(key)) return nullptr;
  const auto& index = rows_by_value(key);
  const auto at = index.find(value);
  return at == index.end() ? nullptr : &at->second;
}

void PoolProblem::drop_port_conflicts(const std::vector<model::HostPort>& ports, RowSet& allowed) const {
  if (ports.empty()) return;
  for (const TypeProblem& type : types) {
    if (!ports_conflict(ports, type.daemon_ports)) continue;
    for (const size_t row : type.rows) allowed.reset(row);
  }
}

}  // namespace tenon::scheduling

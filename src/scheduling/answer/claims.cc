// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/claims.h"

#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "model/node_class_label.h"

namespace tenon::scheduling {
namespace {

// Returns a label value that the requirement allows; empty if it allows none, so that the label must be absent.
std::string some_value(const model::Requirement& r) {
  if (!r.complement()) return r.values().empty() ? std::string() : *r.values().begin();
  int64_t value = r.greater_than() ? *r.greater_than() + 1 : 0;
  if (r.less_than() && value >= *r.less_than()) value = *r.less_than() - 1;
  while (!r.allows(std::to_string(value))) ++value;
  return std::to_string(value);
}

}  // namespace

// Returns the requirements of the pods on the node, each once.
std::vector<const model::Requirements*> Claims::asked_on(const Bin& bin) const {
  std::vector<const model::Requirements*> asked;
  for (const Placed& p : bin.placed) {
    const model::Requirements& all = (*problem_.classes[p.pod_class].forms[p.form].variants)[p.variant].all;
    if (!all.empty() && (asked.empty() || asked.back() != &all) &&
        std::find(asked.begin(), asked.end(), &all) == asked.end())
      asked.push_back(&all);
  }
  return asked;
}

std::vector<std::string> Claims::capacity_types(const PoolProblem& pool, const RowSet& rows) const {
  std::vector<std::string> types;
  for (const auto& [value, of_value] : pool.rows_by_value(std::string(model::kLabelCapacityType))) {
    if (rows.intersects(of_value)) types.push_back(value);
  }
  return types;
}

model::Requirements Claims::requirements(const Bin& bin, const RowSet& rows, const PinnedZone& pinned) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  model::Requirements result = pool.requirements;
  for (const auto& [key, r] : (bin.narrowed ? *bin.narrowed : pool.loose).by_key()) result.replace(r);
  for (const model::Requirements* asked : asked_on(bin)) result.add(*asked);
  for (size_t k = 1; k < problem_.keys.size(); ++k) {
    if (bin.domains[k] == kNone) continue;
    const TopologyKey& key = problem_.keys[k];
    result.add(model::Requirement::in(key.name, {key.values[static_cast<size_t>(bin.domains[k])]}));
  }
  result.add(model::Requirement::in(model::kLabelCapacityType, capacity_types(pool, rows)));
  if (pinned) result.add(model::Requirement::in(model::kLabelZone, {*pinned}));
  if (bin.reservation != kNone) {
    const std::string& id = problem_.reservations[static_cast<size_t>(bin.reservation)].first;
    result.add(model::Requirement::in(model::kLabelReservationId, {id}));
  }
  result.erase(model::kLabelHostname);
  for (size_t i = 0; i < pool.min_values.size(); ++i) {
    model::Requirement r = result.get(pool.min_values[i].first);
    r.set_min_values(bin.min_values[i] > 0 ? std::optional(bin.min_values[i]) : std::nullopt);
    result.replace(std::move(r));
  }
  return result;
}

Claim Claims::make(const Bin& bin, const RowSet& rows, const PinnedZone& pinned) const {
  const PoolProblem& pool = problem_.pools[static_cast<size_t>(bin.pool)];
  Claim claim{requirements(bin, rows, pinned), Shared(pool.pool->node_template.labels)};
  model::StringMap& labels = claim.labels.edit();
  for (const auto& [key, r] : claim.requirements.by_key()) {
    if (model::is_restricted_node_label(key) || pool.is_type_key(key)) continue;
    if (std::string value = some_value(r); !value.empty()) labels[key] = std::move(value);
  }
  const auto [key_of_pool, name_of_pool] = model::pool_label(pool.name);
  labels[std::string(key_of_pool)] = name_of_pool;
  model::add_node_class_label(pool.pool->node_template.node_class_ref, labels);
  return claim;
}

const Claim& Claims::of(const Bin& bin, const RowSet& rows, const PinnedZone& pinned) {
  if (pinned) return only_ = make(bin, rows, pinned);
  const auto pool = static_cast<size_t>(bin.pool);
  Reasons reasons{pool,         bin.reservation, bin.narrowed.get(),
                  bin.domains,  bin.min_values,  capacity_types(problem_.pools[pool], rows),
                  asked_on(bin)};
  reasons.domains[kHostKey] = kNone;
  const auto known = known_.find(reasons);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::move(reasons), make(bin, rows, pinned)).first->second;
}

}  // namespace tenon::scheduling

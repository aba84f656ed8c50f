// Karpenter's message depends on three conditions that a type must meet at once: labels, an offering, and room. For
// each condition the filter computes whether some type meets it; room counts only for types that have the offering. The
// sentence then names the conditions that no type meets, or says that no type meets them together:
//
//   labels  offering  room   sentence: no instance type …
//   no      no        no     … met the scheduling requirements or had enough resources or had a required offering
//   yes     yes       no     … has enough resources
//   yes     yes       yes    … which had enough resources and the required offering met the scheduling requirements
//
// The last row is a pod for which one type has the labels and another one the room.
// Cost: types × requirements, once for each pool of an unschedulable pod.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/type_filter.h"

#include <algorithm>

#include "model/labels.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kSuspiciousMilliCpu = 1'000'000'000;  // a million cores: probably meant as milli-cores

std::string as_json(const model::Resources& resources) {
  std::string text = "{";
  for (const auto& [name, amount] : resources.entries()) {
    text += (text.size() > 1 ? "," : "") + ("\"" + name + "\":\"" + model::format_amount(name, amount) + "\"");
  }
  return text + "}";
}

std::string asked_resources(const Problem& problem, const PodClass& c, const Types& types) {
  const auto with = [&](const Amounts& daemons) {
    model::Resources sum = c.sample->spec->requests;
    for (size_t i = 0; i < daemons.size(); ++i) {
      if (daemons[i] > 0) sum.add(problem.resources[i], daemons[i]);
    }
    return sum;
  };
  Amounts least = types.front()->daemons, most = least;
  for (const TypeProblem* type : types) {
    for (size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], type->daemons[i]);
      most[i] = std::max(most[i], type->daemons[i]);
    }
  }
  if (least == most) return as_json(with(least));
  return "min=" + as_json(with(least)) + ", max=" + as_json(with(most));
}

std::string asked_requirements(const PoolProblem& pool, const model::Requirements& pod) {
  model::Requirements all = pool.requirements;
  all.add(pod);
  all.replace(model::Requirement::in(model::kLabelRegistered, {"true"}));
  all.replace(model::Requirement::in(model::kLabelInitialized, {"true"}));
  std::string text;
  for (const auto& [key, r] : all.by_key()) {
    if (key != model::kLabelHostname) text += (text.empty() ? "" : ", ") + r.to_string();
  }
  return text;
}

bool fits(const Amounts& requests, const Amounts& room) {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] > room[i]) return false;
  }
  return true;
}

TypeFilter filter_types(const PodClass& c, const PoolProblem& pool, const Types& types,
                        const model::Requirements& asked) {
  TypeFilter found;
  for (const TypeProblem* type : types) {
    const model::Requirements own = type->type->requirements();
    bool labels = true;
    RowSet rows(pool.rows.size());
    for (const size_t row : type->rows) rows.set(row);
    for (const auto& [key, r] : asked.by_key()) {
      if (!pool.is_type_key(key)) continue;
      const model::Requirement both = pool.requirements.get(key).intersect(r);
      labels = labels && (own.has(key) ? own.get(key).intersects(both) : both.tolerates_absence());
      if (offering_value(key, *pool.rows[type->rows.front()].offering)) rows &= pool.rows_allowed(r);
    }
    if (!c.ports.empty() && ports_conflict(c.ports, type->daemon_ports)) continue;
    found.labels |= labels;
    found.offering |= rows.any();
    found.room |= rows.any() && fits(c.requests, type->free);
  }
  return found;
}

// Returns the sentence for the conditions that no type meets. A type without the offering does not count as large
// enough.
std::string sentence(const TypeFilter& found) {
  if (found.labels && found.room) {
    return "no instance type which had enough resources and the required offering met the scheduling requirements";
  }
  if (found.labels && !found.offering) return "no instance type had enough resources or had a required offering";
  if (found.labels) return "no instance type has enough resources";
  if (found.room) return "no instance type met all requirements";
  if (found.offering) return "no instance type met the scheduling requirements or had enough resources";
  return "no instance type met the scheduling requirements or had enough resources or had a required offering";
}

}  // namespace

std::string asked_for(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                      const model::Requirements& asked) {
  return ", requirements=" + asked_requirements(pool, asked) + ", resources=" + asked_resources(problem, c, types);
}

TypeFilter type_filter(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                       const model::Requirements& asked) {
  TypeFilter found = filter_types(c, pool, types, asked);
  found.text = sentence(found) + asked_for(problem, c, pool, types, asked);
  if (!found.room && found.labels && found.offering && c.sample->spec->requests.get(model::kCpu) >= kSuspiciousMilliCpu)
    found.text += " (CPU request >= 1 Million, m vs M typo?)";
  return found;
}

}  // namespace tenon::scheduling

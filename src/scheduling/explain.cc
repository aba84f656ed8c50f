// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/finish.h"

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

struct Case {
  const State& state;
  const PodClass& c;
  const Form& form;
  Ask ask;
};

// What the pod asks for here, with the daemons of the pool's types.
std::string asked_resources(const Case& k, const PoolProblem& pool) {
  const Problem& problem = k.state.problem();
  const auto with = [&](const Amounts& daemons) {
    model::Resources sum = k.c.sample->requests;
    for (size_t i = 0; i < daemons.size(); ++i) {
      if (daemons[i] > 0) sum.add(problem.resources[i], daemons[i]);
    }
    return sum;
  };
  Amounts least = pool.types.front().daemons, most = least;
  for (const TypeProblem& type : pool.types) {
    for (size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], type.daemons[i]);
      most[i] = std::max(most[i], type.daemons[i]);
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

// Which resource no type has enough of: "cpu: 500 asked, 16 is the most any type has".
std::string short_of(const Case& k, const PoolProblem& pool) {
  const Problem& problem = k.state.problem();
  for (size_t i = 0; i < k.c.requests.size(); ++i) {
    int64_t most = 0;
    for (const TypeProblem& type : pool.types) most = std::max(most, type.free[i]);
    if (k.c.requests[i] > most) {
      return problem.resources[i] + ": " + model::format_amount(problem.resources[i], k.c.requests[i]) + " asked, " +
             model::format_amount(problem.resources[i], most) + " is the most any type has";
    }
  }
  return {};
}

bool fits(const Amounts& requests, const Amounts& room) {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] > room[i]) return false;
  }
  return true;
}

// The type filter's sentence. A type "fits" only if an offering that the requirements allow exists.
Reason filter_reason(const Case& k, const PoolProblem& pool, const Variant& variant) {
  RowSet rows(pool.rows.size());
  const bool compatible = pool.rows_for(variant.all, rows);
  bool room = false;
  for (const TypeProblem& type : pool.types) room = room || fits(k.c.requests, type.free);
  std::string text =
      "no instance type which met the scheduling requirements and the required offering had the required resources";
  if (!compatible && !room) text = "no instance type met the scheduling requirements or had enough resources";
  if (!compatible && room) text = "no instance type met all requirements";
  if (compatible && !room) text = "no instance type has enough resources";
  text += ", requirements=" + asked_requirements(pool, variant.all) + ", resources=" + asked_resources(k, pool);
  if (!room && k.c.sample->requests.get(model::kCpu) >= kSuspiciousMilliCpu)
    text += " (CPU request >= 1 Million, m vs M typo?)";
  const std::string constraint = compatible ? "resources" : "requirement";
  return {pool.name, constraint, text};
}

bool limits_allow_nothing(const PoolProblem& pool) {
  return std::none_of(pool.types.begin(), pool.types.end(), [&](const TypeProblem& type) {
    for (size_t i = 0; i < pool.left.size(); ++i) {
      if (type.charge[i] > pool.left[i]) return false;
    }
    return true;
  });
}

bool out_of_nodes(const PoolProblem& pool, const Amounts& left) {
  for (size_t i = 0; i < pool.limited.size(); ++i) {
    if (pool.limited[i] == "nodes" && left[i] <= 0) return true;
  }
  return false;
}

std::string topology_text(const State& state, const Group& group) {
  const Problem& problem = state.problem();
  const auto index = static_cast<size_t>(&group - problem.groups.data());
  const TopologyKey& key = problem.keys[static_cast<size_t>(group.key)];
  std::string kind = "topology spread";
  if (group.kind == GroupKind::kAffinity) kind = "pod affinity";
  if (group.kind == GroupKind::kAntiAffinity || group.kind == GroupKind::kPreferredAntiAffinity)
    kind = "pod anti-affinity";
  std::string counts;
  for (size_t d = 0; d < key.values.size(); ++d) {
    counts += (counts.empty() ? "" : " ") + key.values[d] + ":" + std::to_string(state.domain_count(index, d));
  }
  return "unsatisfiable topology constraint for " + kind + ", key=" + key.name + " (counts = map[" + counts + "])";
}

Reason pool_reason(const Case& k, size_t index) {
  const Problem& problem = k.state.problem();
  const PoolProblem& pool = problem.pools[index];
  if (const auto* taint = model::first_untolerated(pool.pool->node_template.taints, k.form.tolerations, true)) {
    return {pool.name, "taint", "did not tolerate taint (taint=" + to_string(*taint) + ")"};
  }
  if (k.form.variants.empty()) return {pool.name, "requirement", "incompatible volume requirements"};
  const Variant& variant = k.form.variants.front();
  if (const Status s = pool.requirements.compatible(variant.node, true); !s) {
    return {pool.name, "requirement", "incompatible requirements, " + s.error().message};
  }
  if (const Status s = pool.requirements.compatible(variant.all, true); !s) {
    return {pool.name, "volume", "incompatible volume requirements, " + s.error().message};
  }
  const Amounts& left = k.state.left(index);
  if (out_of_nodes(pool, left)) {
    return {pool.name, "limit", "node limits have been exhausted for nodepool (NodePool=" + pool.name + ")"};
  }
  const std::string over = "all available instance types exceed limits for nodepool (NodePool=" + pool.name + ")";
  if (limits_allow_nothing(pool)) return {pool.name, "limit", over};
  if (variant.rows[index].none()) return filter_reason(k, pool, variant);
  if (const Group* group = k.state.blocking_group(index, k.ask)) {
    return {pool.name, "topology", topology_text(k.state, *group)};
  }
  if (!pool.limited.empty()) return {pool.name, "limit", over};
  return filter_reason(k, pool, variant);
}

}  // namespace

Unschedulable explain(const State& state, size_t pod) {
  const Problem& problem = state.problem();
  const PodClass& c = problem.classes[problem.pods[pod].pod_class];
  if (!c.problem.empty()) return {c.problem, {{"", "pod", c.problem}}};
  Unschedulable result;
  const Case k{state, c, c.forms.back(), {problem.pods[pod].pod_class, c.forms.size() - 1, nullptr}};
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    Reason reason = pool_reason(k, p);
    result.message += (result.message.empty() ? "" : "; ") + reason.detail;
    if (reason.constraint == "resources") {
      if (std::string detail = short_of(k, problem.pools[p]); !detail.empty()) reason.detail = std::move(detail);
    }
    result.reasons.push_back(std::move(reason));
  }
  for (const auto& [name, why] : problem.pools_left_out) result.reasons.push_back({name, "nodepool", why});
  if (result.message.empty()) {
    const bool filtered = !problem.pools_left_out.empty();
    result.message =
        filtered ? "nodepool requirements filtered out all available instance types" : "no dynamic nodepools found";
    for (const auto& [name, why] : problem.pools_left_out) result.message += " (" + name + ": " + why + ")";
  }
  return result;
}

}  // namespace tenon::scheduling

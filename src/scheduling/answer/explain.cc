// Explains why a finished plan leaves a pod unschedulable.
//
// The problem: each NodePool rejects the pod for a reason that depends on the whole plan: limits are used up, zones are
// full. Users search for the sentences of Karpenter's events, so the words and the choice among several reasons must be
// Karpenter's. The smallest set of constraints is another question (binding.h).
//
// The method: the checks of Karpenter's scheduler are repeated for each NodePool in Karpenter's order, with the pod in
// its last form, in which all preferences are relaxed, against the limits and counts that the plan leaves. The first
// check that fails is the reason:
//
//   node limit → other limits → taints → node requirements → volumes → rows → topology → reservations → minValues
//
// Two reasons come before: the pod itself is invalid, or only --max-nodes keeps it out. Example: a pod requests 500 CPU
// and the largest type has 16. The check of rows fails: no row holds the pod. The message is Karpenter's sentence, and
// the detail of the Reason is "cpu: 500 asked, 16 is the most any type has".
//
// Cost for each unschedulable pod: pools × (types × resources + rows), and domains × variants for each topology rule.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/labels.h"
#include "scheduling/answer/finish.h"
#include "scheduling/answer/topology_text.h"
#include "scheduling/answer/type_filter.h"
#include "scheduling/compile/preferences.h"
#include "scheduling/input/pod_check.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {
namespace {

struct Case {
  const State& state;
  const PodClass& c;
  const Form& form;
  Ask ask;
};

// Returns the types that fit into what is left of the limits.
Types types_within(const PoolProblem& pool, const Amounts& left) {
  Types types;
  for (const TypeProblem& type : pool.types) {
    bool within = true;
    for (size_t i = 0; i < left.size(); ++i) within = within && type.charge[i] <= left[i];
    if (within) types.push_back(&type);
  }
  return types;
}

// Names the first resource that no type has enough of: "cpu: 500 asked, 16 is the most any type has".
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

Reason filter_reason(const Case& k, const PoolProblem& pool, const Types& types, const model::Requirements& asked) {
  const TypeFilter filter = type_filter(k.state.problem(), k.c, pool, types, asked);
  return {pool.name, filter.labels ? "resources" : "requirement", filter.text};
}

// Names the labels of which these rows have too few values; empty if they have enough.
std::string min_values_text(const PoolProblem& pool, const RowSet& rows) {
  std::string keys;
  for (const auto& [key, least] : pool.min_values) {
    const auto& by_value = pool.rows_by_value(key);
    const auto shown = std::count_if(by_value.begin(), by_value.end(),
                                     [&](const auto& entry) { return entry.second.intersects(rows); });
    if (shown < least) keys += (keys.empty() ? "" : " ") + key;
  }
  return keys.empty() ? keys : "minValues requirement is not met for label(s) (label(s)=[" + keys + "])";
}

bool out_of_nodes(const PoolProblem& pool, const Amounts& left) {
  for (size_t i = 0; i < pool.limited.size(); ++i) {
    if (pool.limited[i] == "nodes" && left[i] <= 0) return true;
  }
  return false;
}

// For minValues that all types reach, but not the cheapest types, which are all that a claim may list.
std::string truncated_text(const PoolProblem& pool) {
  std::string keys;
  for (const auto& [key, least] : pool.min_values) keys += (keys.empty() ? "" : " ") + key;
  return "pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, minValues "
         "requirement is not met for label(s) (label(s)=[" +
         keys + "]) (NodePool=" + pool.name + ")";
}

// Describes how the pod's own terms and those of its volumes exclude each other.
std::string volume_clash(const Case& k) {
  const Problem& problem = k.state.problem();
  const PodPtr& pod = problem.pods[k.c.pods.front()].pod;
  const auto stages = relaxations(pod, problem.options.preferences, problem.soft_taints);
  const auto terms = node_terms(*stages.back().pod);
  const auto volumes = volume_alternatives(*problem.snapshot, *k.c.sample);
  if (!terms || !volumes) return "they cannot be read";
  const Status clash = terms->back().intersects(volumes->back());
  return clash ? "none can hold" : clash.error().message;
}

// Returns true in mode Strict if some row is of a reservation that had instances left: no other capacity is allowed
// then, and other nodes of the plan hold these instances.
bool waits_for_reservation(const Problem& problem, const PoolProblem& pool, const RowSet& rows) {
  if (!problem.options.strict_reserved) return false;
  for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) {
    const int reservation = pool.rows[r].reservation;
    if (reservation != kNone && problem.reservations[static_cast<size_t>(reservation)].second > 0) return true;
  }
  return false;
}

std::string untolerated(const Case& k, const PoolProblem& pool) {
  std::string text;
  for (const model::Taint& taint : pool.pool->node_template.taints) {
    if (model::first_untolerated({taint}, k.form.tolerations, true)) {
      text += (text.empty() ? "" : "; ") + ("did not tolerate taint (taint=" + to_string(taint)) + ")";
    }
  }
  return text;
}

bool may_launch_nodes(const PoolView& view) {
  return view.pool && !view.pool->replicas && !view.pool->meta.deleting() && view.not_ready.empty();
}

// Returns the reason of the first check that fails. The order is Karpenter's. parity: scheduler.go, nodeclaim.go
Reason pool_reason(const Case& k, size_t index) {
  const Problem& problem = k.state.problem();
  const PoolProblem& pool = problem.pools[index];
  const Amounts& left = k.state.left(index);
  if (out_of_nodes(pool, left)) {
    return {pool.name, "limit", "node limits have been exhausted for nodepool (NodePool=" + pool.name + ")"};
  }
  const std::string over = "all available instance types exceed limits for nodepool (NodePool=" + pool.name + ")";
  const Types types = types_within(pool, left);
  if (types.empty()) return {pool.name, "limit", over};
  if (std::string text = untolerated(k, pool); !text.empty()) return {pool.name, "taint", std::move(text)};
  if (k.form.variants->empty()) return {pool.name, "volume", "incompatible volume requirements, " + volume_clash(k)};
  const Variant& variant = k.form.variants->back();
  model::Requirements own = pool.requirements;
  own.replace(model::Requirement::in(model::kLabelHostname, {name_to_come(1)}));
  if (const Status s = own.compatible(variant.node, true); !s) {
    return {pool.name, "requirement", "incompatible requirements, " + s.error().message};
  }
  if (const Status s = own.compatible(variant.all, true); !s) {
    return {pool.name, "volume", "incompatible volume requirements, " + s.error().message};
  }
  RowSet rows(pool.rows.size());
  for (const TypeProblem* type : types) {
    for (const size_t row : type->rows) rows.set(row);
  }
  rows &= variant.rows[index];
  if (rows.none()) return filter_reason(k, pool, types, variant.all);
  if (const Group* group = k.state.blocking_group(index, k.ask)) {
    return {pool.name, "topology", topology_text(k.state, *group, pool, variant)};
  }
  if (waits_for_reservation(problem, pool, variant.rows[index])) {
    return {pool.name, "offering",
            "one or more instance types with compatible reserved offerings are available, but could not be reserved"};
  }
  if (std::string text = min_values_text(pool, rows); !text.empty()) {
    return {pool.name, "requirement", text + asked_for(problem, k.c, pool, types, variant.all)};
  }
  if (!pool.min_values.empty()) return {pool.name, "requirement", truncated_text(pool)};
  return filter_reason(k, pool, types, variant.all);
}

// Returns true if some pool could launch a node for the pod without --max-nodes.
bool kept_out_by_size(const Case& k) {
  if (k.state.nodes_left() > 0) return false;
  Fit fit;
  for (size_t p = 0; p < k.state.problem().pools.size(); ++p) {
    if (k.state.fits_one_more(p, k.ask, fit) == Verdict::kFits) return true;
  }
  return false;
}

}  // namespace

Unschedulable explain(const State& state, size_t pod) {
  const Problem& problem = state.problem();
  const PodClass& c = problem.classes[problem.pods[pod].pod_class];
  if (!c.problem.empty()) return {c.problem, {{"", "pod", c.problem}}};
  Unschedulable result;
  const Case k{state, c, c.forms.back(), {problem.pods[pod].pod_class, c.forms.size() - 1, nullptr}};
  if (kept_out_by_size(k)) {
    const std::string text =
        "node limit of the cluster has been exhausted (max-nodes=" + std::to_string(*problem.options.max_nodes) + ")";
    return {text, {{"", "limit", text, "--max-nodes"}}};
  }
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
    const bool dynamic = std::any_of(problem.snapshot->pools.begin(), problem.snapshot->pools.end(), may_launch_nodes);
    result.message =
        dynamic ? "nodepool requirements filtered out all available instance types" : "no dynamic nodepools found";
    for (const auto& [name, why] : problem.pools_left_out) result.message += " (" + name + ": " + why + ")";
  }
  return result;
}

}  // namespace tenon::scheduling

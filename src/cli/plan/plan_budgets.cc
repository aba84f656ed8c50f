// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_budgets.h"

#include <algorithm>
#include <cstdlib>

#include "cli/plan/plan_faults.h"
#include "cli/plan/plan_objects.h"
#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::cli {
namespace {

using json::value;

// Returns "50%" or a number of `of`, rounded up. check_disruption_budget() has validated it.
int scaled(const value& v, int of) {
  if (v.is_int64()) return static_cast<int>(v.get_int64());
  return (std::atoi(v.get_string().c_str()) * of + 99) / 100;
}

// parity: k8s pkg/controller/disruption
void give_status(model::PodDisruptionBudget& budget, const value& document, const Pods& pods) {
  if (json::find(document, {"status", "disruptionsAllowed"}) || !budget.selector) return;
  int expected = 0, healthy = 0;
  for (const Pods::ByKey& entry : pods.by_key()) {
    const std::shared_ptr<model::Pod>& pod = *entry.pod;
    if (pod->meta.ns != budget.meta.ns || pod->terminal() || !budget.selector->matches(pod->meta.labels)) continue;
    ++expected;
    const bool ready = model::condition_is(pod->conditions, "Ready", "True");
    const bool says_nothing = !model::find_condition(pod->conditions, "Ready") && !pod->node_name.empty();
    if ((ready || says_nothing) && !pod->meta.deleting()) ++healthy;
  }
  int wanted = 0;
  if (const value* most = json::find(document, {"spec", "maxUnavailable"}); most && !most->is_null()) {
    wanted = expected - scaled(*most, expected);
  } else if (const value* least = json::find(document, {"spec", "minAvailable"}); least && !least->is_null()) {
    wanted = scaled(*least, expected);
  }
  budget.disruptions_allowed = std::max(0, healthy - std::max(wanted, 0));
}

}  // namespace

Status Budgets::add(const Document& d) {
  TRY(check_disruption_budget(d));
  model::PodDisruptionBudget budget = TRY(decode_object(d, kube::codec::decode_disruption_budget, true));
  const std::string key = budget.meta.ns + "/" + budget.meta.name;
  budgets_.insert_or_assign(key, Budget{std::move(budget), d.object});
  return ok();
}

std::vector<std::shared_ptr<const model::PodDisruptionBudget>> Budgets::finish(const Pods& pods, Instant now) {
  std::vector<std::shared_ptr<const model::PodDisruptionBudget>> all;
  for (auto& [key, read] : budgets_) {
    give_age(read.budget.meta, now);
    give_status(read.budget, *read.document, pods);
    all.push_back(std::make_shared<const model::PodDisruptionBudget>(std::move(read.budget)));
  }
  return all;
}

}  // namespace tenon::cli

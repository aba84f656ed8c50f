// parity: pkg/registry/core/pod/storage/{storage,eviction}.go
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/pod_actions.h"

#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/base/conditions.h"
#include "kubesim/apiserver/kinds/selectors.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::string_at;

constexpr int kEvictionRetrySeconds = 0;  // a real API server sends no Retry-After for an exhausted budget
constexpr int kStaleBudgetRetrySeconds = 10;

void set_scheduled(value& pod, Instant now) {
  value& conditions = json::ensure(pod, {"status", "conditions"});
  if (!conditions.is_array()) conditions.emplace_array();
  boost::json::array kept;
  for (const value& c : conditions.get_array()) {
    if (string_at(c, {"type"}) != "PodScheduled") kept.push_back(c);
  }
  kept.push_back(boost::json::object{{"type", "PodScheduled"},
                                     {"status", "True"},
                                     {"lastProbeTime", nullptr},
                                     {"lastTransitionTime", format_rfc3339(now)}});
  conditions = std::move(kept);
}

// Whether the pod has finished, is being deleted or has not started: budgets do not protect it.
bool needs_no_budget(const value& pod) {
  const std::string_view phase = string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
}

ApiError no_budget_left(const ResourceInfo&, const value& budget) {
  const std::string_view name = string_at(budget, {"metadata", "name"});
  ApiError error =
      too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", kEvictionRetrySeconds);
  const int64_t desired = json::int_at(budget, {"status", "desiredHealthy"});
  error.causes.push_back({"DisruptionBudget",
                          fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                                      desired, json::int_at(budget, {"status", "currentHealthy"})),
                          ""});
  return error;
}

// Whether the eviction of the pod is allowed without using the budget.
// parity: eviction.go canIgnorePDB, UnhealthyPodEvictionPolicy
bool unhealthy_goes_free(const value& pod, const value& budget) {
  if (condition_true(pod, "Ready")) return false;
  if (string_at(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const int64_t healthy = json::int_at(budget, {"status", "currentHealthy"});
  return healthy >= json::int_at(budget, {"status", "desiredHealthy"}) &&
         json::int_at(budget, {"status", "desiredHealthy"}) > 0;
}

// Sets DisruptionAllowed=False after the last allowed disruption.
// parity: pkg/controller/disruption: UpdateDisruptionAllowedCondition
void set_used_up(value& budget, Instant now) {
  boost::json::array kept;
  value condition = boost::json::object{{"type", "DisruptionAllowed"}};
  for (const value& each : json::array_at(budget, {"status", "conditions"})) {
    if (string_at(each, {"type"}) == "DisruptionAllowed")
      condition = each;
    else
      kept.push_back(each);
  }
  boost::json::object& fields = condition.get_object();
  if (string_at(condition, {"status"}) != "False") fields["lastTransitionTime"] = format_rfc3339(now);
  fields["status"] = "False";
  fields["observedGeneration"] = json::int_at(budget, {"status", "observedGeneration"});
  fields["reason"] = "InsufficientPods";
  fields["message"] = "";
  kept.push_back(std::move(condition));
  json::ensure(budget, {"status", "conditions"}) = std::move(kept);
}

Done take_from_budget(Objects& objects, const Target& pod, const Target& budget, const WriteContext& context) {
  const Instant now = objects.runtime().now();
  auto taken = objects.modify(
      budget,
      [&](value& at) -> Done {
        if (json::int_at(at, {"status", "observedGeneration"}) < json::int_at(at, {"metadata", "generation"})) {
          ApiError error = too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.",
                                             kStaleBudgetRetrySeconds);
          error.causes.push_back({"DisruptionBudget",
                                  "The disruption budget " + budget.name + " is still being processed by the server.",
                                  ""});
          return refuse(std::move(error));
        }
        const int64_t allowed = json::int_at(at, {"status", "disruptionsAllowed"});
        if (allowed <= 0) return refuse(no_budget_left(*budget.info, at));
        json::ensure(at, {"status", "disruptionsAllowed"}) = allowed - 1;
        json::ensure(at, {"status", "disruptedPods", pod.name}) = format_rfc3339(now);
        if (allowed == 1) set_used_up(at, now);
        return {};
      },
      context);
  if (!taken) return refuse(taken.error());
  return {};
}

// Returns the budgets that select the pod.
std::vector<Object> budgets_of(Store& store, const value& pod) {
  std::vector<Object> result;
  for (const Object& budget :
       store.list({"policy", "poddisruptionbudgets"}, string_at(pod, {"metadata", "namespace"})).items) {
    if (Labels::of_selector(json::find(*budget, {"spec", "selector"})).matches(pod)) result.push_back(budget);
  }
  return result;
}

}  // namespace

Done bind_pod(Objects& objects, const Target& pod, std::string_view node, const WriteContext& context) {
  if (node.empty()) return refuse(bad_request("target.name: Required value"));
  Target target = pod;
  target.subresource = "binding";
  auto bound = objects.modify(
      target,
      [&](value& at) -> Done {
        if (json::find(at, {"metadata", "deletionTimestamp"}) != nullptr) {
          return refuse(conflict(*pod.info, pod.name,
                                 fmt::format("pod {} is being deleted, cannot be assigned to a host", pod.name)));
        }
        const std::string_view on = string_at(at, {"spec", "nodeName"});
        if (!on.empty()) {
          return refuse(
              conflict(*pod.info, pod.name, fmt::format("pod {} is already assigned to node \"{}\"", pod.name, on)));
        }
        if (!json::array_at(at, {"spec", "schedulingGates"}).empty()) {
          return refuse(
              conflict(*pod.info, pod.name, fmt::format("pod {} has non-empty .spec.schedulingGates", pod.name)));
        }
        json::ensure(at, {"spec", "nodeName"}) = node;
        set_scheduled(at, objects.runtime().now());
        return {};
      },
      context);
  if (!bound) return refuse(bound.error());
  return {};
}

Done evict_pod(Objects& objects, const Target& pod, const DeleteOptions& options, const WriteContext& context) {
  const Object found = TRY_API(objects.get(pod));
  if (!needs_no_budget(*found)) {
    const std::vector<Object> budgets = budgets_of(objects.store(), *found);
    if (budgets.size() > 1) {
      return refuse(internal_error(
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."));
    }
    if (budgets.size() == 1 && !unhealthy_goes_free(*found, *budgets[0])) {
      const InfoPtr info = objects.registry().get()->find({"policy", "poddisruptionbudgets"});
      const Target budget{info, pod.ns, std::string(string_at(*budgets[0], {"metadata", "name"})), "status"};
      TRY_API(take_from_budget(objects, pod, budget, context));
    }
  }
  TRY_API(objects.remove(pod, options, context));
  return {};
}

}  // namespace tenon::kubesim::apiserver

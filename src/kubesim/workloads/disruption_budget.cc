// PodDisruptionBudget status: the number of selected pods that may be evicted now. The API server performs the
// eviction, lowers disruptionsAllowed and adds the pod to disruptedPods.
// parity: k8s.io/kubernetes pkg/controller/disruption.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/actors/selectors.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr Duration kForgetDisrupted = 2min;  // after an eviction without a deletion

class BudgetController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kBudgets && after != nullptr) mark(key_of(*after));
    if (resource == kPods) mark_budgets_of(before, after);
    // Percentages refer to the scale of the pod's controller.
    const bool scales = resource == kReplicaSets || resource == kDeployments || resource == kStatefulSets;
    if (!scales || after == nullptr || before == nullptr || replicas(*before) == replicas(*after)) return;
    for (const Object& budget : cluster_.view.in_namespace(kBudgets, namespace_of(*after))) mark(key_of(*budget));
  }

 private:
  static int64_t replicas(const json::value& object) { return json::int_at(object, {"spec", "replicas"}, 1); }

  void mark_budgets_of(const Object& before, const Object& after) {
    const json::value& pod = after != nullptr ? *after : *before;
    for (const Object& budget : cluster_.view.in_namespace(kBudgets, namespace_of(pod))) {
      const LabelSelector selector = LabelSelector::parse(json::find(*budget, {"spec", "selector"}));
      if (selector.matches(labels_of(pod)) || (before != nullptr && selector.matches(labels_of(*before))))
        mark(key_of(*budget));
    }
  }

  struct Counts {
    int64_t expected = 0, desired = 0, healthy = 0;
    json::object disrupted;
    std::string problem;
  };

  Status sync(const ObjectKey& key) override {
    const Object budget = cluster_.view.get(kBudgets, key);
    if (budget == nullptr) return ok();
    const LabelSelector selector = LabelSelector::parse(json::find(*budget, {"spec", "selector"}));
    std::vector<Object> pods;
    for (const Object& pod : cluster_.view.in_namespace(kPods, key.ns))
      if (!pod_is_terminal(*pod) && selector.matches(labels_of(*pod))) pods.push_back(pod);
    Counts counts;
    expect(*budget, pods, counts);
    count_healthy(*budget, pods, counts);
    return report(budget, counts);
  }

  // Returns the replicas of the pod's outermost controller, zero if already counted; -1 if it has none with a scale.
  int64_t scale_of(const json::value& pod, std::set<std::string, std::less<>>& seen) const {
    const json::value* owner = controller_of(pod);
    if (owner == nullptr) return -1;
    const std::string_view kind = json::string_at(*owner, {"kind"});
    const ObjectKey key{std::string(namespace_of(pod)), std::string(json::string_at(*owner, {"name"}))};
    Object scaled = kind == "ReplicaSet"    ? cluster_.view.get(kReplicaSets, key)
                    : kind == "StatefulSet" ? cluster_.view.get(kStatefulSets, key)
                                            : nullptr;
    if (scaled == nullptr) return -1;
    const json::value* above = controller_of(*scaled);
    if (above != nullptr && json::string_at(*above, {"kind"}) == "Deployment") {
      const Object deployment =
          cluster_.view.get(kDeployments, {key.ns, std::string(json::string_at(*above, {"name"}))});
      if (deployment != nullptr) scaled = deployment;
    }
    return seen.emplace(uid_of(*scaled)).second ? replicas(*scaled) : 0;
  }

  void expect(const json::value& budget, const std::vector<Object>& pods, Counts& counts) const {
    const json::value* most = json::find(budget, {"spec", "maxUnavailable"});
    const json::value* least = json::find(budget, {"spec", "minAvailable"});
    if (most == nullptr && least == nullptr) return;
    counts.expected = static_cast<int64_t>(pods.size());
    if (most != nullptr || least->is_string()) {
      counts.expected = 0;
      std::set<std::string, std::less<>> seen;
      for (const Object& pod : pods) {
        const int64_t scale = scale_of(*pod, seen);
        if (scale < 0) {
          counts.problem = "found no controllers for pod \"" + std::string(name_of(*pod)) + "\"";
          counts.expected = 0;
          return;
        }
        counts.expected += scale;
      }
    }
    counts.desired = most != nullptr
                         ? std::max<int64_t>(0, counts.expected - int_or_percent(most, counts.expected, true, 0))
                         : int_or_percent(least, counts.expected, true, 0);
  }

  void count_healthy(const json::value& budget, const std::vector<Object>& pods, Counts& counts) {
    for (const Object& pod : pods) {
      const std::string_view name = name_of(*pod);
      const std::string_view since = json::string_at(budget, {"status", "disruptedPods", name});
      if (!since.empty() && !is_deleting(*pod)) {
        const Instant until = parse_rfc3339(since).value_or(Instant{}) + kForgetDisrupted;
        if (until > cluster_.now()) {
          counts.disrupted[name] = since;
          mark_at(until, key_of(budget));
          continue;
        }
      }
      if (!is_deleting(*pod) && pod_is_ready(*pod)) ++counts.healthy;
    }
  }

  Status report(const Object& budget, const Counts& counts) {
    // Not write_status: an eviction may have used the budget between the count and this write. The count is then stale,
    // and the eviction itself causes another sync.
    json::value target = *budget;
    const int64_t allowed =
        counts.expected > 0 && counts.problem.empty() ? std::max<int64_t>(0, counts.healthy - counts.desired) : 0;
    json::object& status = status_of(target);
    status["currentHealthy"] = counts.healthy;
    status["desiredHealthy"] = counts.desired;
    status["expectedPods"] = counts.expected;
    status["disruptionsAllowed"] = allowed;
    status["observedGeneration"] = json::int_at(target, {"metadata", "generation"});
    if (counts.disrupted.empty())
      status.erase("disruptedPods");
    else
      status["disruptedPods"] = counts.disrupted;
    if (!counts.problem.empty())
      set_condition(target, {"DisruptionAllowed", "False", "SyncFailed", counts.problem}, cluster_.now());
    else
      set_condition(target,
                    {"DisruptionAllowed", allowed > 0 ? "True" : "False",
                     allowed > 0 ? "SufficientPods" : "InsufficientPods", ""},
                    cluster_.now());
    if (json::equal(target, *budget)) return ok();
    const auto written = cluster_.api.update(kBudgets, namespace_of(*budget), std::move(target), "status");
    if (written || written.error().code == Code::kNotFound || written.error().code == Code::kConflict) return ok();
    return fail(written.error());
  }
};

}  // namespace

std::unique_ptr<Controller> make_budget_controller(Cluster& cluster) {
  return std::make_unique<BudgetController>(cluster);
}

}  // namespace tenon::kubesim

// Derives taints from a Node's conditions (not-ready, unreachable, pressures, cordon) and evicts pods that do not, or
// no longer, tolerate taints with effect NoExecute. parity: k8s.io/kubernetes pkg/controller/nodelifecycle,
// pkg/controller/tainteviction. Missing heartbeats do not make a Node Unknown: the simulated kubelets report their
// conditions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/json.h"
#include "kubesim/actors/selectors.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kNodeController = "node-controller";

struct ConditionTaint {
  std::string_view condition, status, key;
};
constexpr ConditionTaint kTaints[] = {{"Ready", "False", "node.kubernetes.io/not-ready"},
                                      {"Ready", "Unknown", "node.kubernetes.io/unreachable"},
                                      {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
                                      {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
                                      {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
                                      {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"}};
constexpr std::string_view kCordoned = "node.kubernetes.io/unschedulable";

class NodeLifecycleController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kNodes && after != nullptr) {
      if (before == nullptr)
        cluster_.api.record_event(*after, "Normal", "RegisteredNode",
                                  "Node " + std::string(name_of(*after)) + " event: Registered Node " +
                                      std::string(name_of(*after)) + " in Controller",
                                  kNodeController);
      mark(key_of(*after));
    }
    if (resource != kPods) return;
    if (after == nullptr) {
      doomed_.erase(key_of(*before));
    } else if (before == nullptr || node_name_of(*before) != node_name_of(*after)) {
      if (!node_name_of(*after).empty()) mark({"", std::string(node_name_of(*after))});
    }
  }

 private:
  Status sync(const ObjectKey& key) override {
    Object node = cluster_.view.get(kNodes, key);
    if (node == nullptr) return ok();
    auto written = write(cluster_.api, {kNodes}, node, [&](json::value& target) { return set_taints(target); });
    if (!written) return written.error().code == Code::kNotFound ? ok() : fail(written.error());
    return evict(**written);
  }

  bool set_taints(json::value& node) const {
    std::vector<std::pair<std::string_view, std::string_view>> wanted;  // key, effect
    for (const ConditionTaint& rule : kTaints) {
      if (!condition_is(node, rule.condition, rule.status)) continue;
      wanted.emplace_back(rule.key, "NoSchedule");
      if (rule.condition == "Ready") wanted.emplace_back(rule.key, "NoExecute");
    }
    if (json::bool_at(node, {"spec", "unschedulable"})) wanted.emplace_back(kCordoned, "NoSchedule");
    const auto ours = [](std::string_view key) {
      return key == kCordoned || std::any_of(std::begin(kTaints), std::end(kTaints),
                                             [&](const ConditionTaint& rule) { return rule.key == key; });
    };
    // A Node without a Ready condition from its kubelet keeps its initial taint.
    const bool silent = find_condition(node, "Ready") == nullptr;
    json::array taints;
    bool changed = false;
    for (const json::value& taint : json::array_at(node, {"spec", "taints"})) {
      const std::pair<std::string_view, std::string_view> is{json::string_at(taint, {"key"}),
                                                             json::string_at(taint, {"effect"})};
      const auto at = std::find(wanted.begin(), wanted.end(), is);
      if (at != wanted.end())
        wanted.erase(at);
      else if (ours(is.first) && !(silent && is.first != kCordoned) && (changed = true))
        continue;
      taints.push_back(taint);
    }
    for (const auto& [key, effect] : wanted) {
      json::object taint{{"key", key}, {"effect", effect}};
      if (effect == "NoExecute" || key == kCordoned) taint["timeAdded"] = format_rfc3339(cluster_.now());
      taints.push_back(std::move(taint));
      changed = true;
    }
    if (!changed) return false;
    if (taints.empty())
      json::erase(node, {"spec", "taints"});
    else
      json::ensure(node, {"spec", "taints"}) = std::move(taints);
    return true;
  }

  Status evict(const json::value& node) {
    std::vector<Taint> taints = taints_of(node);
    std::erase_if(taints, [](const Taint& taint) { return taint.effect != "NoExecute"; });
    for (const Object& pod : cluster_.view.pods_on(name_of(node))) {
      const ObjectKey key = key_of(*pod);
      const auto due = is_deleting(*pod) || pod_is_terminal(*pod) ? std::nullopt : eviction_due(*pod, taints);
      if (!due) {
        doomed_.erase(key);
        continue;
      }
      // The due time is fixed at the first sync; later tolerations do not extend it.
      const Instant when = doomed_.try_emplace(key, *due).first->second;
      if (when > cluster_.now()) {
        mark_at(when, key_of(node));
        continue;
      }
      doomed_.erase(key);
      TRY(remove(pod));
    }
    return ok();
  }

  // The time at which these taints evict the pod; std::nullopt: never.
  std::optional<Instant> eviction_due(const json::value& pod, const std::vector<Taint>& taints) const {
    if (taints.empty()) return std::nullopt;
    const std::vector<Toleration> tolerations = tolerations_of(*json::find(pod, {"spec"}));
    std::optional<int64_t> shortest;
    for (const Taint& taint : taints) {
      const auto at = std::find_if(tolerations.begin(), tolerations.end(),
                                   [&](const Toleration& toleration) { return toleration.tolerates(taint); });
      if (at == tolerations.end()) return cluster_.now();
      if (at->seconds) shortest = std::min(shortest.value_or(INT64_MAX), std::max<int64_t>(0, *at->seconds));
    }
    if (!shortest) return std::nullopt;
    return cluster_.now() + std::chrono::seconds(*shortest);
  }

  Status remove(const Object& pod) {
    cluster_.api.record_event(
        *pod, "Normal", "TaintManagerEviction",
        "Marking for deletion Pod " + std::string(namespace_of(*pod)) + "/" + std::string(name_of(*pod)),
        "taint-eviction-controller");
    TRY(write_status(cluster_, kPods, pod, [&](json::value& target) {
      set_condition(
          target,
          {"DisruptionTarget", "True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"},
          cluster_.now());
    }));
    DeleteOptions options;
    options.uid = uid_of(*pod);
    const Status removed = cluster_.api.remove(kPods, namespace_of(*pod), name_of(*pod), options);
    return removed || removed.error().code == Code::kNotFound ? ok() : removed;
  }

  std::map<ObjectKey, Instant> doomed_;  // due times of pods that tolerate a taint for a limited time
};

}  // namespace

std::unique_ptr<Controller> make_node_lifecycle_controller(Cluster& cluster) {
  return std::make_unique<NodeLifecycleController>(cluster);
}

}  // namespace tenon::kubesim

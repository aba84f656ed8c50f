// ReplicaSets: keep the requested number of pods; the least useful are deleted first.
// parity: k8s.io/kubernetes pkg/controller/replicaset, pkg/controller/controller_utils.go (ActivePodsWithRanks).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <tuple>

#include "json/json.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kReplicaSetController = "replicaset-controller";
constexpr int64_t kBurst = 500;  // pods created or deleted in one sync

int64_t deletion_cost(const json::value& pod) {
  const std::string_view text = annotation(pod, "controller.kubernetes.io/pod-deletion-cost");
  int64_t cost = 0;
  std::from_chars(text.data(), text.data() + text.size(), cost);
  return cost;
}

using Usefulness = std::tuple<bool, bool, bool, int64_t, int64_t, int64_t, int64_t, std::string>;

// Smaller is deleted first: unassigned, pending, not ready, low deletion cost, crowded node, ready for a shorter time,
// younger.
Usefulness usefulness(const json::value& pod, const std::map<std::string_view, int64_t>& neighbours) {
  const std::string_view node = node_name_of(pod);
  const auto crowd = neighbours.find(node);
  const json::value* ready = find_condition(pod, "Ready");
  const Instant since = ready != nullptr ? time_at(*ready, {"lastTransitionTime"}) : Instant{};
  return {!node.empty(),
          json::string_at(pod, {"status", "phase"}) == "Running",
          pod_is_ready(pod),
          deletion_cost(pod),
          crowd == neighbours.end() ? 0 : -crowd->second,
          -since.time_since_epoch().count(),
          -time_at(pod, {"metadata", "creationTimestamp"}).time_since_epoch().count(),
          std::string(name_of(pod))};
}

class ReplicaSetController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kReplicaSets && after != nullptr) mark(key_of(*after));
    if (resource == kPods) mark_owner("ReplicaSet", before, after);
  }

 private:
  Status sync(const ObjectKey& key) override {
    const Object set = cluster_.view.get(kReplicaSets, key);
    if (set == nullptr) return ok();
    std::vector<Object> pods;
    for (const Object& pod : cluster_.view.controlled(kPods, uid_of(*set)))
      if (pod_is_active(*pod)) pods.push_back(pod);
    const int64_t wanted = json::int_at(*set, {"spec", "replicas"}, 1);
    const int64_t missing = wanted - static_cast<int64_t>(pods.size());
    Status managed = ok();
    if (!is_deleting(*set)) managed = missing > 0 ? grow(*set, missing) : shrink(*set, pods, -missing);
    const Status reported = report(set, pods, managed);
    return managed ? reported : managed;
  }

  Status grow(const json::value& set, int64_t missing) {
    const json::value& pod_template = *json::find(set, {"spec", "template"});
    for (int64_t i = 0; i < std::min(missing, kBurst); ++i) {
      json::value pod = pod_from_template(set, {"apps/v1", "ReplicaSet"}, pod_template);
      json::ensure(pod, {"metadata", "generateName"}) = std::string(name_of(set)) + "-";
      TRY(create_pod(cluster_, set, std::move(pod), kReplicaSetController));
    }
    if (missing > kBurst) mark(key_of(set));
    return ok();
  }

  // Counts the pods of all replica sets of the same Deployment, by node.
  std::map<std::string_view, int64_t> count_neighbours(const json::value& set) const {
    std::vector<Object> related;
    if (const std::string_view owner = controller_uid(set); !owner.empty())
      related = cluster_.view.controlled(kReplicaSets, owner);
    std::map<std::string_view, int64_t> neighbours;
    const auto count = [&](std::string_view uid) {
      for (const Object& pod : cluster_.view.controlled(kPods, uid))
        if (pod_is_active(*pod) && !node_name_of(*pod).empty()) ++neighbours[node_name_of(*pod)];
    };
    if (related.empty()) count(uid_of(set));
    for (const Object& other : related) count(uid_of(*other));
    return neighbours;
  }

  Status shrink(const json::value& set, const std::vector<Object>& pods, int64_t surplus) {
    if (surplus <= 0) return ok();
    const auto neighbours = count_neighbours(set);
    std::vector<std::pair<Usefulness, Object>> ranked;
    for (const Object& pod : pods) ranked.emplace_back(usefulness(*pod, neighbours), pod);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < ranked.size() && static_cast<int64_t>(i) < surplus; ++i)
      TRY(delete_pod(cluster_, set, *ranked[i].second, kReplicaSetController));
    return ok();
  }

  Status report(const Object& set, const std::vector<Object>& pods, const Status& managed) {
    const int64_t min_ready = json::int_at(*set, {"spec", "minReadySeconds"});
    int64_t ready = 0, available = 0;
    Instant next = kNever;
    for (const Object& pod : pods) {
      const auto at = available_at(*pod, min_ready);
      if (!at) continue;
      ++ready;
      if (*at <= cluster_.now())
        ++available;
      else
        next = std::min(next, *at);
    }
    if (next != kNever) mark_at(next, key_of(*set));
    return write_status(cluster_, kReplicaSets, set, [&](json::value& target) {
      status_of(target)["replicas"] = static_cast<int64_t>(pods.size());
      status_of(target)["observedGeneration"] = json::int_at(target, {"metadata", "generation"});
      set_count(target, "fullyLabeledReplicas", static_cast<int64_t>(pods.size()));
      set_count(target, "readyReplicas", ready);
      set_count(target, "availableReplicas", available);
      if (managed)
        remove_condition(target, "ReplicaFailure");
      else
        set_condition(target, {"ReplicaFailure", "True", "FailedCreate", managed.error().message}, cluster_.now());
    });
  }
};

}  // namespace

std::unique_ptr<Controller> make_replica_set_controller(Cluster& cluster) {
  return std::make_unique<ReplicaSetController>(cluster);
}

}  // namespace tenon::kubesim

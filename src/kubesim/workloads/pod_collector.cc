// Removes pods that no other component removes: those on Nodes that do not exist, those deleted before they were bound.
// parity: k8s.io/kubernetes pkg/controller/podgc.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

// Keys are Nodes ("", name) or pods (namespace, name).
class PodCollector : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kNodes) {
      const ObjectKey key = key_of(after != nullptr ? *after : *before);
      if (after == nullptr)
        lost(key);
      else
        lost_.erase(key);
    }
    if (resource != kPods || after == nullptr) return;
    const std::string node(node_name_of(*after));
    if (node.empty()) {
      if (is_deleting(*after)) mark(key_of(*after));
    } else if (cluster_.view.get(kNodes, {"", node}) == nullptr) {
      lost({"", node});
    }
  }

 private:
  void lost(const ObjectKey& node) {
    const Instant due = cluster_.now() + cluster_.options.orphaned_pods;
    if (lost_.try_emplace(node, due).second) mark_at(due, node);
  }

  Status sync(const ObjectKey& key) override {
    if (!key.ns.empty()) {
      const Object pod = cluster_.view.get(kPods, key);
      return pod == nullptr || !is_deleting(*pod) || !node_name_of(*pod).empty() ? ok() : remove(*pod);
    }
    if (cluster_.view.get(kNodes, key) != nullptr) return ok();
    const auto at = lost_.find(key);
    if (at != lost_.end() && at->second > cluster_.now()) return ok();  // the Node came back and was deleted again
    for (const Object& pod : cluster_.view.pods_on(key.name)) {
      if (!pod_is_terminal(*pod))
        TRY(write_status(cluster_, kPods, pod, [&](json::value& target) {
          status_of(target)["phase"] = "Failed";
          set_condition(target, {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"},
                        cluster_.now());
        }));
      TRY(remove(*pod));
    }
    lost_.erase(key);
    return ok();
  }

  Status remove(const json::value& pod) {
    DeleteOptions options;
    options.grace_period_seconds = 0;
    options.uid = uid_of(pod);
    const Status removed = cluster_.api.remove(kPods, namespace_of(pod), name_of(pod), options);
    return removed || removed.error().code == Code::kNotFound ? ok() : removed;
  }

  std::map<ObjectKey, Instant> lost_;  // deleted Nodes, and when their pods are removed
};

}  // namespace

std::unique_ptr<Controller> make_pod_collector(Cluster& cluster) { return std::make_unique<PodCollector>(cluster); }

}  // namespace tenon::kubesim

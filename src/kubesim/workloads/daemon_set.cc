// DaemonSets: one pod on every eligible node, bound by the scheduler (the pod is pinned to its node).
// parity: k8s.io/kubernetes pkg/controller/daemon. Without ControllerRevisions; maxSurge is ignored.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/actors/selectors.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kDaemonSetController = "daemonset-controller";
constexpr std::string_view kDaemonHashLabel = "controller-revision-hash";

// The tolerations that every daemon pod gets.
struct StandardToleration {
  std::string_view key, effect;
};
constexpr StandardToleration kStandard[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},      {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"}, {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},  {"node.kubernetes.io/unschedulable", "NoSchedule"}};
constexpr StandardToleration kHostNetwork{"node.kubernetes.io/network-unavailable", "NoSchedule"};

void tolerate(json::value& spec, const StandardToleration& standard) {
  json::value& list = json::ensure(spec, {"tolerations"});
  if (!list.is_array()) list.emplace_array();
  const json::value wanted = json::object{{"key", standard.key}, {"operator", "Exists"}, {"effect", standard.effect}};
  for (const json::value& had : list.get_array())
    if (had == wanted) return;
  list.get_array().push_back(wanted);
}

// Pins the pod to this node: replaces the matchFields of every required term.
void pin(json::value& spec, std::string_view node) {
  json::value& required =
      json::ensure(spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  const json::value field =
      json::object{{"key", "metadata.name"}, {"operator", "In"}, {"values", json::array{json::value(node)}}};
  json::value& terms = json::ensure(required, {"nodeSelectorTerms"});
  if (!terms.is_array() || terms.get_array().empty()) terms = json::array{json::object()};
  for (json::value& term : terms.get_array()) json::ensure(term, {"matchFields"}) = json::array{field};
}

// Returns the node of a daemon pod, bound or not.
std::string node_of(const json::value& pod) {
  if (const auto name = node_name_of(pod); !name.empty()) return std::string(name);
  const NodeAffinity affinity = NodeAffinity::parse(*json::find(pod, {"spec"}));
  for (const NodeTerm& term : affinity.required)
    for (const LabelRule& rule : term.fields)
      if (rule.key == "metadata.name" && !rule.values.empty()) return rule.values[0];
  return {};
}

struct Eligibility {
  bool run = false;   // the node should have a pod
  bool stay = false;  // an existing pod may stay
};

class DaemonSetController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kDaemonSets && after != nullptr) mark(key_of(*after));
    if (resource == kPods) mark_owner("DaemonSet", before, after);
    if (resource == kNodes && matters(before, after))
      for (const auto& [key, set] : cluster_.view.all(kDaemonSets)) mark(key);
  }

 private:
  static bool matters(const Object& before, const Object& after) {
    if (before == nullptr || after == nullptr) return true;
    return !json::equal(labels_of(*before), labels_of(*after)) || taints_of(*before) != taints_of(*after);
  }

  struct Daemon {
    json::value pod;  // for any node: template and standard tolerations
    std::string hash;
    NodeAffinity affinity;
    std::vector<Toleration> tolerations;
  };

  static Daemon daemon_of(const json::value& set) {
    Daemon daemon;
    const json::value& pod_template = *json::find(set, {"spec", "template"});
    daemon.hash = template_hash(pod_template, 0);
    daemon.pod = pod_from_template(set, {"apps/v1", "DaemonSet"}, pod_template);
    json::ensure(daemon.pod, {"metadata", "generateName"}) = std::string(name_of(set)) + "-";
    json::ensure(daemon.pod, {"metadata", "labels", kDaemonHashLabel}) = daemon.hash;
    json::value& spec = json::ensure(daemon.pod, {"spec"});
    for (const StandardToleration& standard : kStandard) tolerate(spec, standard);
    if (json::bool_at(spec, {"hostNetwork"})) tolerate(spec, kHostNetwork);
    daemon.affinity = NodeAffinity::parse(spec);
    daemon.tolerations = tolerations_of(spec);
    return daemon;
  }

  static Eligibility judge(const Daemon& daemon, const json::value& node) {
    if (!daemon.affinity.matches(name_of(node), labels_of(node))) return {};
    Eligibility eligibility{true, true};
    for (const Taint& taint : taints_of(node)) {
      if (taint.effect == "PreferNoSchedule" || tolerated(daemon.tolerations, taint)) continue;
      eligibility.run = false;
      if (taint.effect == "NoExecute") eligibility.stay = false;
    }
    return eligibility;
  }

  struct Counts {
    int64_t desired = 0, current = 0, misscheduled = 0, ready = 0, available = 0, updated = 0;
    Instant next_available = kNever;
  };

  Status sync(const ObjectKey& key) override {
    const Object set = cluster_.view.get(kDaemonSets, key);
    if (set == nullptr) return ok();
    if (is_deleting(*set)) return ok();
    const Daemon daemon = daemon_of(*set);
    std::map<std::string, std::vector<Object>> by_node;
    for (const Object& pod : cluster_.view.controlled(kPods, uid_of(*set))) by_node[node_of(*pod)].push_back(pod);
    Counts counts;
    std::vector<Object> outdated;
    for (const auto& [node_key, node] : cluster_.view.all(kNodes)) {
      const auto at = by_node.find(node_key.name);
      const std::vector<Object> pods = at == by_node.end() ? std::vector<Object>{} : at->second;
      const Eligibility eligibility = judge(daemon, *node);
      TRY(manage(*set, daemon, node_key.name, eligibility, pods));
      count(*set, daemon, eligibility, pods, counts, outdated);
      if (at != by_node.end()) by_node.erase(at);
    }
    for (const auto& [node, pods] : by_node)  // of nodes that do not exist
      for (const Object& pod : pods)
        if (!is_deleting(*pod)) TRY(delete_pod(cluster_, *set, *pod, kDaemonSetController));
    TRY(roll(*set, counts, outdated));
    if (counts.next_available != kNever) mark_at(counts.next_available, key);
    return report(set, counts);
  }

  // Creates the missing pod and deletes the wrong ones. A failed pod is deleted before its successor is created.
  Status manage(const json::value& set, const Daemon& daemon, const std::string& node, const Eligibility& eligibility,
                const std::vector<Object>& pods) {
    bool present = false;
    for (const Object& pod : pods) {
      if (is_deleting(*pod)) {
        present = true;  // its successor is created after its deletion
        continue;
      }
      const bool failed = pod_is_terminal(*pod);
      if (!eligibility.stay || failed || present) TRY(delete_pod(cluster_, set, *pod, kDaemonSetController));
      present = true;
    }
    if (!eligibility.run || present) return ok();
    json::value pod = daemon.pod;
    pin(json::ensure(pod, {"spec"}), node);
    TRY(create_pod(cluster_, set, std::move(pod), kDaemonSetController));
    return ok();
  }

  void count(const json::value& set, const Daemon& daemon, const Eligibility& eligibility,
             const std::vector<Object>& pods, Counts& counts, std::vector<Object>& outdated) const {
    if (eligibility.run) ++counts.desired;
    const auto live = std::find_if(pods.begin(), pods.end(), [](const Object& pod) { return pod_is_active(*pod); });
    if (live == pods.end()) return;
    if (!eligibility.run) {
      ++counts.misscheduled;
      return;
    }
    ++counts.current;
    const bool updated = json::string_at(**live, {"metadata", "labels", kDaemonHashLabel}) == daemon.hash;
    if (updated) ++counts.updated;
    const auto at = available_at(**live, json::int_at(set, {"spec", "minReadySeconds"}));
    if (at) ++counts.ready;
    if (at && *at <= cluster_.now())
      ++counts.available;
    else if (at)
      counts.next_available = std::min(counts.next_available, *at);
    if (!updated) outdated.push_back(*live);
  }

  // Replaces outdated pods within maxUnavailable, those that are not ready first.
  Status roll(const json::value& set, const Counts& counts, std::vector<Object>& outdated) {
    if (json::string_at(set, {"spec", "updateStrategy", "type"}, "RollingUpdate") != "RollingUpdate") return ok();
    const json::value* limit = json::find(set, {"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"});
    int64_t may_go =
        std::max<int64_t>(1, int_or_percent(limit, counts.desired, true, 1)) - (counts.desired - counts.available);
    std::stable_sort(outdated.begin(), outdated.end(),
                     [](const Object& a, const Object& b) { return pod_is_ready(*a) < pod_is_ready(*b); });
    for (const Object& pod : outdated) {
      if (pod_is_ready(*pod) && may_go-- <= 0) break;
      TRY(delete_pod(cluster_, set, *pod, kDaemonSetController));
    }
    return ok();
  }

  Status report(const Object& set, const Counts& counts) {
    return write_status(cluster_, kDaemonSets, set, [&](json::value& target) {
      json::object& status = status_of(target);
      status["currentNumberScheduled"] = counts.current;
      status["desiredNumberScheduled"] = counts.desired;
      status["numberMisscheduled"] = counts.misscheduled;
      status["numberReady"] = counts.ready;
      status["observedGeneration"] = json::int_at(target, {"metadata", "generation"});
      set_count(target, "updatedNumberScheduled", counts.updated);
      set_count(target, "numberAvailable", counts.available);
      set_count(target, "numberUnavailable", counts.desired - counts.available);
    });
  }
};

}  // namespace

std::unique_ptr<Controller> make_daemon_set_controller(Cluster& cluster) {
  return std::make_unique<DaemonSetController>(cluster);
}

}  // namespace tenon::kubesim

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/scheduler.h"

#include <algorithm>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/write.h"
#include "kubesim/scheduler/filters.h"
#include "kubesim/scheduler/preemption.h"
#include "kubesim/scheduler/queue.h"
#include "kubesim/scheduler/scores.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kName = "default-scheduler";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr int kAttemptsPerTake = 64;  // before the watches are read again
// parity: numFeasibleNodesToFind
constexpr size_t kAlwaysAllNodes = 100;

size_t nodes_to_find(size_t nodes) {
  if (nodes < kAlwaysAllNodes) return nodes;
  const size_t percent = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
  return std::max(kAlwaysAllNodes, nodes * percent / 100);
}

enum Input : size_t { kPodInput, kNodeInput, kNamespaceInput, kClaimInput, kVolumeInput, kClassInput };

}  // namespace

class Scheduler::Actor {
 public:
  Actor(runtime::Runtime& runtime, Api& api)
      : runtime_(runtime),
        api_(api),
        inbox_(runtime, api, {kPods, kNodes, kNamespaces, kClaims, kVolumes, kStorageClasses}) {}

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const uint64_t seen = inbox_.version();
      take_all();
      queue_.tick(runtime_.now());
      for (int i = 0; i < kAttemptsPerTake && !stop.stop_requested(); ++i) {
        const auto pod = queue_.pop();
        if (!pod) break;
        attempt(*pod);
      }
      if (queue_.has_ready()) continue;
      if (inbox_.wait(seen, queue_.next_due(), stop) == runtime::Wake::kStopped) return;
    }
  }

 private:
  // Takes the pods last, so that they are filtered against the newest cache.
  void take_all() {
    for (const WatchEvent& event : inbox_.take(kNamespaceInput)) {
      if (event.type == WatchEvent::Type::kDeleted)
        cache_.remove_namespace(std::string(name_of(*event.object)));
      else
        cache_.set_namespace(event.object);
    }
    for (const WatchEvent& event : inbox_.take(kNodeInput)) on_node(event);
    for (const auto& [input, resource] :
         {std::pair{kClaimInput, kClaims}, std::pair{kVolumeInput, kVolumes}, std::pair{kClassInput, kStorageClasses}})
      for (const WatchEvent& event : inbox_.take(input)) on_volume(resource, event);
    for (const WatchEvent& event : inbox_.take(kPodInput)) on_pod(event);
    finish_volumes();
  }

  void on_node(const WatchEvent& event) {
    const std::string name(name_of(*event.object));
    if (event.type == WatchEvent::Type::kDeleted) return cache_.remove_node(name);
    const bool same = event.previous != nullptr && same_for_scheduling(*event.previous, *event.object);
    cache_.set_node(event.object);
    if (!same) wake_for(name);
  }

  static bool same_for_scheduling(const json::value& a, const json::value& b) {
    return json::equal(labels_of(a), labels_of(b)) &&
           json::equal(json::object_at(a, {"spec"}), json::object_at(b, {"spec"})) &&
           json::equal(json::object_at(a, {"status", "allocatable"}), json::object_at(b, {"status", "allocatable"}));
  }

  // A node changed: retries the pods that fit on it now.
  void wake_for(std::string_view name) {
    const NodeInfo* node = cache_.node(name);
    if (node == nullptr) return;
    queue_.wake(runtime_.now(), [&](const PodInfo& pod) {
      return Filters::static_fit(*node, pod) && Filters::fits_resources(*node, pod);
    });
  }

  void on_volume(const Resource& resource, const WatchEvent& event) {
    if (event.type == WatchEvent::Type::kDeleted)
      volumes_.remove(resource, event.object);
    else
      volumes_.set(resource, event.object);
    queue_.wake(runtime_.now(), [](const PodInfo& pod) { return !pod.claims.empty(); });
  }

  void on_pod(const WatchEvent& event) {
    const json::value& pod = *event.object;
    if (event.type == WatchEvent::Type::kDeleted) return forget(key_of(pod));
    if (!node_name_of(pod).empty()) return on_assigned(event);
    if (json::string_at(pod, {"spec", "schedulerName"}, kName) != kName) return;
    if (pod_is_terminal(pod) || is_deleting(pod)) return forget(key_of(pod));
    if (binding_.contains(key_of(pod))) return;
    if (event.previous != nullptr && json::equal(labels_of(*event.previous), labels_of(pod)) &&
        json::equal(json::object_at(*event.previous, {"spec"}), json::object_at(pod, {"spec"})))
      return queue_.refresh(event.object);
    const auto info = parser_.parse(event.object);
    queue_.add(info, runtime_.now());
    if (info->gated) report(*info, "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
  }

  void on_assigned(const WatchEvent& event) {
    const json::value& pod = *event.object;
    const ObjectKey key = key_of(pod);
    queue_.remove(key);
    binding_.erase(key);
    if (pod_is_terminal(pod)) return forget(key);
    const bool same = event.previous != nullptr && node_name_of(*event.previous) == node_name_of(pod) &&
                      json::equal(labels_of(*event.previous), labels_of(pod)) &&
                      is_deleting(*event.previous) == is_deleting(pod);
    if (same) return;
    cache_.set_pod(parser_.parse(event.object));
    queue_.wake(runtime_.now(),
                [](const PodInfo& waiting) { return waiting.terms != nullptr || !waiting.spread.empty(); });
  }

  void forget(const ObjectKey& key) {
    queue_.remove(key);
    binding_.erase(key);
    const auto gone = cache_.remove_pod(key);
    if (gone == nullptr) return;
    wake_for(gone->node_name);
    queue_.wake(runtime_.now(),
                [](const PodInfo& waiting) { return waiting.terms != nullptr || !waiting.spread.empty(); });
  }

  void attempt(const std::shared_ptr<const PodInfo>& pod) {
    const auto& nodes = cache_.nodes();
    const VolumeNeeds needs = volumes_.needs_of(*pod);
    if (!needs.refusal.empty()) return refuse(pod, explain_refusal(needs.refusal, nodes.size(), *pod));
    Filters filters(cache_, *pod, needs);
    const auto feasible = find_nodes(*pod, filters);
    if (feasible.empty()) {
      refuse(pod, filters.explain(nodes.size()));
      if (pod->may_preempt) preempt(*pod, filters.curable());
      return;
    }
    const NodeInfo* chosen = choose(*pod, feasible);
    if (needs.to_provision.empty())
      bind(pod, chosen->name);
    else
      provision(pod, chosen->name, needs);
  }

  std::vector<const NodeInfo*> find_nodes(const PodInfo& pod, Filters& filters) {
    const auto& nodes = cache_.nodes();
    std::vector<const NodeInfo*> feasible;
    if (!pod.wanted_node.empty()) {
      const NodeInfo* node = cache_.node(pod.wanted_node);
      filters.count_unpinned(static_cast<int64_t>(nodes.size()) - (node == nullptr ? 0 : 1));
      if (node != nullptr && filters.allows(*node)) feasible.push_back(node);
      return feasible;
    }
    const size_t enough = nodes_to_find(nodes.size());
    size_t looked_at = 0;
    for (; looked_at < nodes.size() && feasible.size() < enough; ++looked_at) {
      const NodeInfo* node = nodes[(start_ + looked_at) % nodes.size()];
      if (filters.allows(*node)) feasible.push_back(node);
    }
    if (!nodes.empty()) start_ = (start_ + looked_at) % nodes.size();
    return feasible;
  }

  const NodeInfo* choose(const PodInfo& pod, const std::vector<const NodeInfo*>& feasible) {
    if (feasible.size() == 1) return feasible[0];
    const std::vector<int64_t> scores = score(cache_, pod, feasible);
    size_t best = 0;
    for (size_t i = 1; i < feasible.size(); ++i)
      if (scores[i] > scores[best] || (scores[i] == scores[best] && feasible[i]->name < feasible[best]->name)) best = i;
    return feasible[best];
  }

  void bind(const std::shared_ptr<const PodInfo>& pod, const std::string& node) {
    const auto bound = api_.bind(pod->key.ns, pod->key.name, node);
    if (!bound) {
      // The pod is deleted or bound by another component, as the watch will report. Other errors cause a retry.
      if (bound.error().code == Code::kNotFound) return queue_.remove(pod->key);
      return queue_.failed(pod, runtime_.now());
    }
    queue_.remove(pod->key);
    auto assumed = std::make_shared<PodInfo>(*pod);
    assumed->node_name = node;
    cache_.set_pod(std::move(assumed));
    api_.record_event(*pod->object, "Normal", "Scheduled",
                      "Successfully assigned " + pod->key.ns + "/" + pod->key.name + " to " + node, kName);
  }

  // The volume binder creates the volumes in the node's zone; the pod is bound after its volumes.
  void provision(const std::shared_ptr<const PodInfo>& pod, const std::string& node, const VolumeNeeds& needs) {
    for (const ObjectKey& key : needs.to_provision) {
      const auto written = write(api_, {kClaims}, volumes_.claim(key), [&](json::value& claim) {
        json::ensure(claim, {"metadata", "annotations", kSelectedNode}) = node;
        return true;
      });
      if (!written) return queue_.failed(pod, runtime_.now());
    }
    auto assumed = std::make_shared<PodInfo>(*pod);
    assumed->node_name = node;
    cache_.set_pod(assumed);
    binding_[pod->key] = pod;
  }

  void finish_volumes() {
    std::vector<std::shared_ptr<const PodInfo>> done;
    for (const auto& [key, pod] : binding_)
      if (volumes_.all_bound(*pod)) done.push_back(pod);
    for (const auto& pod : done) {
      binding_.erase(pod->key);
      const auto assumed = cache_.remove_pod(pod->key);
      if (assumed != nullptr && cache_.node(assumed->node_name) != nullptr)
        bind(pod, assumed->node_name);
      else
        queue_.failed(pod, runtime_.now());
    }
  }

  void preempt(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes) {
    for (const NodeInfo* node : nodes)  // victims of an earlier attempt are still terminating
      for (const auto& [key, other] : node->pods)
        if (other->deleting && other->priority < pod.priority) return;
    const auto found = find_preemption(pod, nodes);
    if (!found) return;
    for (const auto& victim : found->victims) {
      api_.record_event(*victim->object, "Normal", "Preempted",
                        "Preempted by pod " + pod.uid + " on node " + found->node, kName);
      DeleteOptions options;
      options.uid = victim->uid;
      // A victim that is deleted in the meantime is no error.
      (void)api_.remove(kPods, victim->key.ns, victim->key.name, options);
    }
  }

  void refuse(const std::shared_ptr<const PodInfo>& pod, const std::string& message) {
    queue_.failed(pod, runtime_.now());
    api_.record_event(*pod->object, "Warning", "FailedScheduling", message, kName);
    report(*pod, "Unschedulable", message);
  }

  // A failed write is ignored: the next attempt, if any, sets the condition.
  void report(const PodInfo& pod, std::string_view reason, std::string_view message) {
    (void)write(api_, {kPods, "status"}, pod.object, [&](json::value& object) {
      return node_name_of(object).empty() &&
             set_condition(object, {"PodScheduled", "False", reason, message}, runtime_.now());
    });
  }

  runtime::Runtime& runtime_;
  Api& api_;
  Inbox inbox_;
  PodParser parser_;
  ClusterCache cache_;
  VolumeCache volumes_;
  SchedulingQueue queue_;
  std::map<ObjectKey, std::shared_ptr<const PodInfo>> binding_;  // wait for their volumes; assumed in cache_
  size_t start_ = 0;                                             // index of the first node of the next attempt
};

Scheduler::Scheduler(runtime::Runtime& runtime, Api& api)
    : actor_(std::make_unique<Actor>(runtime, api)),
      task_(runtime.spawn("kube-scheduler", [this](const std::stop_token& stop) { actor_->run(stop); })) {}

Scheduler::~Scheduler() { task_.reset(); }

}  // namespace tenon::kubesim

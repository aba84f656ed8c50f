// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_pods.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "cli/plan/plan_objects.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/default_spread.h"
#include "scheduling/compile/problem.h"
#include "scheduling/input/pod_check.h"

namespace tenon::cli {
namespace {

namespace codec = kube::codec;
using json::value;

constexpr std::string_view kNoDevices =
    "pod has Dynamic Resource Allocation requirements; allocating devices is not supported, with or without "
    "--ignore-dra-requests";

std::string why_not_provisionable(const model::Pod& pod) {
  if (pod.owned_by_daemon_set()) return "its DaemonSet places it";
  if (pod.owned_by_node()) return "a static pod belongs to its node";
  if (!pod.nominated_node_name.empty()) return "preemption makes room for it on node " + pod.nominated_node_name;
  if (pod.spec->gated) return "has scheduling gates";
  return "the scheduler has not marked it Unschedulable";
}

// Makes a pod that waits for a node pending, or records why not.
void sort_out(const std::string& key, const std::shared_ptr<model::Pod>& pod, PlanInput& input) {
  if (!pod->spec->buffer.empty()) {
    input.snapshot.pending.push_back(pod);  // its buffer reports the reasons
  } else if (!pod->provisionable()) {
    input.ignored[key] = why_not_provisionable(*pod);
  } else if (!pod->spec->problem.empty()) {
    input.unplannable[key] = pod->spec->problem;
  } else if (std::string why = pod->spec->uses_resource_claims ? "" : scheduling::pod_problem(input.snapshot, *pod);
             !why.empty()) {
    input.ignored[key] = std::move(why);
  } else {
    input.snapshot.pending.push_back(pod);
  }
}

}  // namespace

Pods::Pods(std::vector<model::SpreadConstraint> default_spread)
    : spreads_(!default_spread.empty()), default_spread_(std::move(default_spread)) {}

Status Pods::add(const Document& d) {
  Result<model::Pod> decoded = decoder_.decode(*d.object);
  if (!decoded) return fail(Code::kInvalid, d.place(decoded.error().message));
  TRY(finish_meta(d, decoded->meta, true));
  pods_.push_back(
      {std::make_shared<model::Pod>(*std::move(decoded)), json::find(*d.object, {"spec", "priority"}) == nullptr});
  return ok();
}

void Pods::add(model::Pod pod) { pods_.push_back({std::make_shared<model::Pod>(std::move(pod)), false}); }

Status Pods::add_priority_class(const Document& d) {
  const model::ObjectMeta meta = TRY(decode_object(d, codec::decode_metadata, false));
  const value* number = json::find(*d.object, {"value"});
  if (!number || !number->is_int64()) return fail(Code::kInvalid, d.place("value: must be an integer"));
  priority_classes_[meta.name] = {static_cast<int>(number->get_int64()), json::bool_at(*d.object, {"globalDefault"}),
                                  json::string_at(*d.object, {"preemptionPolicy"}) == "Never"};
  return ok();
}

Status Pods::add_selector(const Document& d) {
  static const std::set<std::string_view> kKinds{"Service", "ReplicaSet", "StatefulSet", "ReplicationController"};
  if (!spreads_ || !kKinds.contains(d.kind)) return ok();
  auto selector = codec::decode_pod_selector(*d.object, d.kind);
  if (!selector) return fail(Code::kInvalid, d.place(selector.error().message));
  if (selector->meta.ns.empty()) selector->meta.ns = "default";
  default_spread_.add(std::make_shared<const model::PodSelector>(*std::move(selector)));
  return ok();
}

void Pods::finish(const InputOptions& options) {
  for (const PodRead& read : pods_) finish(read, options);
}

// Does the part of admission (the priority of the class) and of the scheduler (the condition of a pod without any).
void Pods::finish(const PodRead& read, const InputOptions& options) {
  const std::shared_ptr<model::Pod>& pod = read.pod;
  give_age(pod->meta, options.now);
  const Shared<model::PodSpec> before = pod->spec;
  if (read.no_priority) {
    for (const auto& [name, priority_class] : priority_classes_) {
      if (pod->spec->priority_class_name.empty() ? !priority_class.global_default
                                                 : name != pod->spec->priority_class_name)
        continue;
      pod->spec.edit().priority = priority_class.value;
      pod->spec.edit().preemption_never = priority_class.never_preempts;
    }
  }
  if (pod->node_name.empty() && pod->conditions.empty() && !pod->terminal()) {
    pod->conditions.push_back({.type = "PodScheduled",
                               .status = "False",
                               .reason = pod->spec->gated ? "SchedulingGated" : "Unschedulable",
                               .message = "",
                               .last_transition = pod->meta.created_at});
  }
  default_spread_.apply(*pod);
  if (pod->spec->uses_resource_claims && !options.ignore_dra_requests && pod->spec->problem.empty()) {
    pod->spec.edit().problem = std::string(kNoDevices);
  }
  if (&*pod->spec != &*before) pod->spec = specs_.share(std::move(pod->spec));
}

// Sorted by key, the pods are scattered in memory, and a cache miss costs more than the work on a pod. Therefore one
// text holds the keys, and the nodes are looked up before the pods are sorted.
void Pods::sort(scheduling::Snapshot& snapshot) {
  std::unordered_map<std::string_view, scheduling::NodeView*> by_name;
  for (scheduling::NodeView& view : snapshot.nodes) {
    if (view.node) by_name[view.node->meta.name] = &view;
  }
  size_t bytes = 0;
  for (const PodRead& read : pods_) bytes += read.pod->meta.ns.size() + 1 + read.pod->meta.name.size();
  keys_.reserve(bytes);  // so that the views stay valid
  by_key_.reserve(pods_.size());
  for (const PodRead& read : pods_) {
    const size_t begin = keys_.size();
    keys_.append(read.pod->meta.ns).append("/").append(read.pod->meta.name);
    const auto node = read.pod->terminal() ? by_name.end() : by_name.find(read.pod->node_name);
    by_key_.push_back(
        {std::string_view(keys_).substr(begin), &read.pod, node == by_name.end() ? nullptr : node->second});
  }
  std::stable_sort(by_key_.begin(), by_key_.end(), [](const ByKey& a, const ByKey& b) { return a.key < b.key; });
  const auto last = std::unique(by_key_.rbegin(), by_key_.rend(),
                                [](const ByKey& later, const ByKey& earlier) { return later.key == earlier.key; });
  by_key_.erase(by_key_.begin(), last.base());
}

void Pods::place(PlanInput& input) {
  sort(input.snapshot);
  const std::string* last = nullptr;  // namespace of the previous pod
  for (const ByKey& entry : by_key_) {
    const std::shared_ptr<model::Pod>& pod = *entry.pod;
    if (!last || *last != pod->meta.ns) {
      last = &pod->meta.ns;
      input.snapshot.namespace_labels[*last].try_emplace(std::string(kNamespaceNameLabel), *last);
    }
    if (entry.node) {
      entry.node->pods.edit().push_back(pod);
    } else if (pod->terminal()) {
      continue;
    } else if (pod->node_name.empty()) {
      waiting_.push_back(&entry);
    } else {
      input.warnings.push_back("pod " + std::string(entry.key) + " runs on node " + pod->node_name +
                               ", which is not in the input");
    }
  }
}

void Pods::sort_out_waiting(PlanInput& input) const {
  for (const ByKey* entry : waiting_) sort_out(std::string(entry->key), *entry->pod, input);
}

std::map<std::string, std::shared_ptr<const model::Pod>> Pods::newest_of_daemon_sets() const {
  std::map<std::string, std::shared_ptr<const model::Pod>> newest;
  for (const ByKey& entry : by_key_) {
    const std::shared_ptr<model::Pod>& pod = *entry.pod;
    const model::OwnerReference* owner = pod->controller();
    if (!owner || owner->kind != "DaemonSet" || pod->terminal()) continue;
    auto& best = newest[pod->meta.ns + "/" + owner->name];
    if (!best || best->meta.created_at < pod->meta.created_at) best = pod;
  }
  return newest;
}

}  // namespace tenon::cli

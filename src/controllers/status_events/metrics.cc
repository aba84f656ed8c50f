// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/metrics.h"

#include <algorithm>
#include <type_traits>

#include "base/text.h"
#include "controllers/metrics.h"
#include "model/labels.h"

namespace tenon::controllers::status_events {
namespace {

using metrics::Detail;
using metrics::Labels;

// "karpenter.sh/nodepool" → "karpenter_sh_nodepool"
std::string label_name(std::string key) {
  std::replace_if(key.begin(), key.end(), [](char c) { return c == '/' || c == '.' || c == '-'; }, '_');
  return key;
}

metrics::Buckets buckets() { return {metrics::exponential_buckets(0.5, 2, 15), {1, 4, 16, 64, 256, 1024, 4096}}; }

// The series that a family keeps at standard detail. Objects of kinds with few objects keep their names there.
// Otherwise conditions are counted over all objects, and their ages, which have no meaningful sum, are left out.
enum class Extent { kFewObjects, kManyObjects, kFullOnly };

}  // namespace

// The six metrics under one prefix.
struct StatusMetrics::Family {
  Family(metrics::Registry& registry, const std::string& prefix, const std::vector<std::string>& of_object,
         Extent extent)
      : count(registry.gauge(describe(prefix, "_status_condition_count", "1 for each condition that an object has now.",
                                      {"type", "status", "reason"}, of_object, named(extent), least(extent)))),
        current(registry.gauge(describe(prefix, "_status_condition_current_status_seconds",
                                        "Seconds that a condition has had its status.", {"type", "status", "reason"},
                                        of_object, named(extent), of_ages(extent)))),
        terminating(registry.gauge(describe(prefix, "_termination_current_time_seconds",
                                            "Seconds since the object was deleted, while it is still there.", {},
                                            of_object, named(extent), of_ages(extent)))),
        transitions(registry.counter(describe(prefix, "_status_condition_transitions_total",
                                              "Conditions that came to have this status.", {"type", "status", "reason"},
                                              of_object, Names::kNone, least(extent)))),
        transition(registry.histogram(describe(prefix, "_status_condition_transition_seconds",
                                               "Seconds that a condition had this status before it got another.",
                                               {"type", "status"}, of_object, Names::kNone, least(extent)),
                                      buckets())),
        termination(registry.histogram(
            describe(prefix, "_termination_duration_seconds", "Seconds from an object's deletion to its end.", {},
                     of_object, Names::kNone, least(extent)),
            buckets())) {}

  enum class Names { kNone, kAlways, kAtFull };
  static Names named(Extent extent) { return extent == Extent::kFewObjects ? Names::kAlways : Names::kAtFull; }
  static Detail least(Extent extent) { return extent == Extent::kFullOnly ? Detail::kFull : Detail::kStandard; }
  static Detail of_ages(Extent extent) { return extent == Extent::kFewObjects ? Detail::kStandard : Detail::kFull; }
  static metrics::Description describe(const std::string& prefix, const char* suffix, const char* help,
                                       std::vector<std::string> labels, const std::vector<std::string>& of_object,
                                       Names names, Detail from) {
    std::vector<std::string> full_labels = of_object;
    if (names != Names::kNone) {
      std::vector<std::string>& to = names == Names::kAlways ? labels : full_labels;
      to.insert(to.end(), {"namespace", "name"});
    }
    return {prefix + suffix, help, std::move(labels), std::move(full_labels), from};
  }

  metrics::Gauge &count, &current, &terminating;
  metrics::Counter& transitions;
  metrics::Histogram &transition, &termination;
};

struct StatusMetrics::Kind {
  std::string kind, group;
  std::vector<std::string> keys;  // of the object's labels
  Family own;
  std::optional<Family> older = std::nullopt;

  // Calls how(family, labels that all series of this object in the family have).
  template <class How>
  void each(const model::ObjectMeta& meta, How how) const {
    Labels of_object;
    for (const std::string& key : keys) of_object[label_name(key)] = model::lookup(meta.labels, key);
    how(own, of_object);
    if (older) how(*older, Labels{{"group", group}, {"kind", kind}});
  }
};

StatusMetrics::StatusMetrics(runtime::Runtime& runtime, state::Cluster& cluster, metrics::Registry& registry)
    : runtime_(runtime), cluster_(&cluster), provisioners_(registry) {
  const auto add = [&](const std::string& kind, const std::string& group, const std::vector<std::string>& keys,
                       Extent extent) {
    std::vector<std::string> names = keys;
    std::transform(names.begin(), names.end(), names.begin(), label_name);
    kinds_.push_back({kind, group, keys, Family(registry, "operator_" + to_lower(kind), names, extent)});
    const std::vector<std::string> of_kind{"group", "kind"};
    if (!group.empty()) kinds_.back().older.emplace(registry, "operator", of_kind, Extent::kFullOnly);
  };
  const std::string pool(model::kLabelNodePool);
  add("NodeClaim", "karpenter.sh", {pool, std::string(model::kLabelNodeClass)}, Extent::kManyObjects);
  add("NodePool", "karpenter.sh", {}, Extent::kFewObjects);
  add("Node", "", {pool, std::string(model::kLabelInitialized)}, Extent::kManyObjects);
  add("EC2NodeClass", "karpenter.k8s.aws", {}, Extent::kFewObjects);
  add("CapacityBuffer", "autoscaling.x-k8s.io", {}, Extent::kManyObjects);
}

StatusMetrics::~StatusMetrics() = default;

void StatusMetrics::detach() {
  const std::lock_guard lock(mutex_);
  cluster_ = nullptr;
}

// A condition that is observed for the first time, also after a restart, counts as a transition without a duration.
void StatusMetrics::changed(const std::string& kind, const Object* before, const Object* after) {
  const auto at = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& known) { return known.kind == kind; });
  if (at == kinds_.end()) return;
  if (!after) {
    if (!before || !before->meta.deleted_at) return;
    const double took = in_seconds(runtime_.now() - *before->meta.deleted_at);
    at->each(before->meta,
             [&](const Family& family, const Labels& labels) { family.termination.observe(labels, took); });
    return;
  }
  for (const model::Condition& now : after->conditions) {
    const model::Condition* was = before ? model::find_condition(before->conditions, now.type) : nullptr;
    if (was && was->status == now.status) continue;
    at->each(after->meta, [&](const Family& family, Labels labels) {
      labels["type"] = now.type;
      if (was) {
        labels["status"] = was->status;
        family.transition.observe(labels, in_seconds(now.last_transition - was->last_transition));
      }
      labels["status"] = now.status;
      labels["reason"] = now.reason;
      family.transitions.add(labels);
    });
  }
}

namespace {
const std::vector<model::Condition>& conditions_in(const model::CapacityBuffer& buffer) {
  return buffer.status.conditions;
}
template <class T>
const std::vector<model::Condition>& conditions_in(const T& object) {
  return object.conditions;
}
}  // namespace

template <class Cache>
void StatusMetrics::export_kind(const Cache& cache, const Kind& kind) {
  const Instant now = runtime_.now();
  for (const auto& object : cache.list()) {
    if constexpr (std::is_same_v<Cache, kube::Informer<model::Node>>) {
      if (cluster_->foreign(*object)) continue;
    }
    kind.each(object->meta, [&](const Family& family, Labels labels) {
      labels["namespace"] = object->meta.ns;
      labels["name"] = object->meta.name;
      if (object->meta.deleted_at) family.terminating.set(labels, in_seconds(now - *object->meta.deleted_at));
      for (const model::Condition& condition : conditions_in(*object)) {
        labels["type"] = condition.type;
        labels["status"] = condition.status;
        labels["reason"] = condition.reason;
        family.count.add(labels, 1);
        family.current.set(labels, in_seconds(now - condition.last_transition));
      }
    });
  }
}

void StatusMetrics::before_text() {
  const std::lock_guard lock(mutex_);
  if (!cluster_) return;
  export_kind(cluster_->claims, kinds_[0]);
  export_kind(cluster_->pools, kinds_[1]);
  export_kind(cluster_->nodes, kinds_[2]);
  export_kind(cluster_->node_classes, kinds_[3]);
  export_kind(cluster_->capacity_buffers, kinds_[4]);
  provisioners_.set(cluster_->pools.list());
}

void StatusMetrics::after_text() {
  provisioners_.clear();
  for (const Kind& kind : kinds_) {
    for (const Family* family : {&kind.own, kind.older ? &*kind.older : nullptr}) {
      if (!family) continue;
      for (metrics::Gauge* gauge : {&family->count, &family->current, &family->terminating}) gauge->remove_matching({});
    }
  }
}

}  // namespace tenon::controllers::status_events

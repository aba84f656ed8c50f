// Deployments: a ReplicaSet for each revision of the template, and the rollout from one to the next.
// parity: k8s.io/kubernetes pkg/controller/deployment (sync, rolling, recreate, progress, util).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "json/equal.h"
#include "json/json.h"
#include "kubesim/workloads/controller.h"
#include "kubesim/workloads/rollout.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kDeploymentController = "deployment-controller";
constexpr std::string_view kTemplateHashLabel = "pod-template-hash";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMaximum = "deployment.kubernetes.io/max-replicas";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

int64_t to_number(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int64_t revision_of(const json::value& object) { return to_number(annotation(object, kRevision)); }

bool same_template(const json::value& deployment, const json::value& set) {
  json::value theirs = *json::find(set, {"spec", "template"});
  json::erase(theirs, {"metadata", "labels", kTemplateHashLabel});
  return json::equal(theirs, *json::find(deployment, {"spec", "template"}));
}

class DeploymentController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kDeployments && after != nullptr) mark(key_of(*after));
    if (resource == kReplicaSets) mark_owner("Deployment", before, after);
    // Recreate waits until the last old pod is deleted.
    if (resource == kPods && after == nullptr) {
      const json::value* owner = controller_of(*before);
      if (owner == nullptr || json::string_at(*owner, {"kind"}) != "ReplicaSet") return;
      const Object set = cluster_.view.get(
          kReplicaSets, {std::string(namespace_of(*before)), std::string(json::string_at(*owner, {"name"}))});
      if (set != nullptr) mark_owner("Deployment", nullptr, set);
    }
  }

 private:
  struct Sets {
    Object current;           // of the current template; null if it does not exist yet
    std::vector<Object> old;  // the others, oldest first
    std::vector<Object> all() const {
      std::vector<Object> sets = old;
      if (current != nullptr) sets.push_back(current);
      return sets;
    }
  };

  Status sync(const ObjectKey& key) override {
    const Object deployment = cluster_.view.get(kDeployments, key);
    if (deployment == nullptr) return ok();
    Sets sets = find_sets(*deployment);
    if (is_deleting(*deployment)) return report(deployment, sets, {});
    const Rollout rollout(*deployment);
    if (json::bool_at(*deployment, {"spec", "paused"}) || was_scaled(*deployment, sets)) {
      if (sets.current != nullptr) TRY(keep_annotations(deployment, sets));
      TRY(scale_proportionally(*deployment, sets, rollout));
      return report(deployment, sets, {});
    }
    std::string created;
    if (sets.current == nullptr) {
      if (!rollout.recreate || old_pods_gone(sets)) {
        TRY(create_set(deployment, sets, rollout));
        if (sets.current == nullptr) return ok();  // the name was taken; the next sync uses another
        created = name_of(*sets.current);
      } else {
        TRY(scale_all(*deployment, sets.old));
        return report(deployment, sets, {});
      }
    }
    TRY(keep_annotations(deployment, sets));
    if (rollout.recreate)
      TRY(recreate(*deployment, sets, rollout));
    else
      TRY(roll(*deployment, sets, rollout));
    return report(deployment, sets, created);
  }

  Sets find_sets(const json::value& deployment) const {
    Sets sets;
    sets.old = cluster_.view.controlled(kReplicaSets, uid_of(deployment));
    std::stable_sort(sets.old.begin(), sets.old.end(), [](const Object& a, const Object& b) {
      return time_at(*a, {"metadata", "creationTimestamp"}) < time_at(*b, {"metadata", "creationTimestamp"});
    });
    const auto match = std::find_if(sets.old.begin(), sets.old.end(),
                                    [&](const Object& set) { return same_template(deployment, *set); });
    if (match == sets.old.end()) return sets;
    sets.current = *match;
    sets.old.erase(match);
    return sets;
  }

  bool old_pods_gone(const Sets& sets) const {
    return std::all_of(sets.old.begin(), sets.old.end(), [&](const Object& set) {
      const auto pods = cluster_.view.controlled(kPods, uid_of(*set));
      return std::all_of(pods.begin(), pods.end(), [](const Object& pod) { return pod_is_terminal(*pod); });
    });
  }

  // Returns whether spec.replicas changed since the sets were last scaled.
  static bool was_scaled(const json::value& deployment, const Sets& sets) {
    const int64_t wanted = json::int_at(deployment, {"spec", "replicas"}, 1);
    for (const Object& set : sets.all()) {
      const std::string_view desired = annotation(*set, kDesired);
      if (replicas_of(*set) > 0 && !desired.empty() && to_number(desired) != wanted) return true;
    }
    return false;
  }

  Status create_set(const Object& deployment, Sets& sets, const Rollout& rollout) {
    const json::value& pod_template = *json::find(*deployment, {"spec", "template"});
    const int64_t collisions = json::int_at(*deployment, {"status", "collisionCount"});
    const std::string hash = template_hash(pod_template, collisions);
    const std::string name = std::string(name_of(*deployment)) + "-" + hash;
    const int64_t replicas = rollout.replicas_for_new(0, total_replicas(sets.old));
    json::value labelled = pod_template;
    json::ensure(labelled, {"metadata", "labels", kTemplateHashLabel}) = hash;
    json::value selector = *json::find(*deployment, {"spec", "selector"});
    json::ensure(selector, {"matchLabels", kTemplateHashLabel}) = hash;
    json::value set = json::object{
        {"apiVersion", "apps/v1"},
        {"kind", "ReplicaSet"},
        {"metadata",
         json::object{{"name", name},
                      {"namespace", namespace_of(*deployment)},
                      {"labels", json::object_at(labelled, {"metadata", "labels"})},
                      {"ownerReferences", json::array{controller_reference(*deployment, {"apps/v1", "Deployment"})}}}},
        {"spec", json::object{{"replicas", replicas},
                              {"minReadySeconds", json::int_at(*deployment, {"spec", "minReadySeconds"})},
                              {"selector", std::move(selector)},
                              {"template", std::move(labelled)}}}};
    annotate(*deployment, set, next_revision(sets), rollout);
    auto created = cluster_.api.create(kReplicaSets, namespace_of(*deployment), std::move(set));
    if (!created && created.error().code == Code::kAlreadyExists) {
      mark(key_of(*deployment));
      return write_status(cluster_, kDeployments, deployment,
                          [&](json::value& target) { status_of(target)["collisionCount"] = collisions + 1; });
    }
    sets.current = TRY(std::move(created));
    if (replicas > 0) record_scale(*deployment, name, 0, replicas);
    return ok();
  }

  static int64_t next_revision(const Sets& sets) {
    int64_t highest = 0;
    for (const Object& set : sets.old) highest = std::max(highest, revision_of(*set));
    return highest + 1;
  }

  // Sets the Deployment's annotations, the revision, and the replica counts that later scaling refers to.
  static void annotate(const json::value& deployment, json::value& set, int64_t revision, const Rollout& rollout) {
    json::value& annotations = json::ensure(set, {"metadata", "annotations"});
    if (!annotations.is_object()) annotations.emplace_object();
    for (const auto& [key, value] : json::object_at(deployment, {"metadata", "annotations"}))
      if (key != kLastApplied && key != kRevision) annotations.get_object()[key] = value;
    annotations.get_object()[kRevision] = std::to_string(revision);
    annotations.get_object()[kDesired] = std::to_string(rollout.replicas);
    annotations.get_object()[kMaximum] = std::to_string(rollout.replicas + rollout.max_surge);
  }

  Status keep_annotations(const Object& deployment, Sets& sets) {
    const int64_t revision = std::max(next_revision(sets), revision_of(*sets.current));
    sets.current = TRY(write(cluster_.api, {kReplicaSets}, sets.current, [&](json::value& set) {
      if (revision_of(set) == revision) return false;
      json::ensure(set, {"metadata", "annotations", kRevision}) = std::to_string(revision);
      return true;
    }));
    TRY(write(cluster_.api, {kDeployments}, deployment, [&](json::value& target) {
      if (revision_of(target) == revision) return false;
      json::ensure(target, {"metadata", "annotations", kRevision}) = std::to_string(revision);
      return true;
    }));
    return ok();
  }

  void record_scale(const json::value& deployment, std::string_view set, int64_t from, int64_t to) {
    cluster_.api.record_event(
        deployment, "Normal", "ScalingReplicaSet",
        fmt::format("Scaled {} replica set {} from {} to {}", to > from ? "up" : "down", set, from, to),
        kDeploymentController);
  }

  // Scales one set and replaces it by the stored object.
  Status scale(const json::value& deployment, Object& set, int64_t replicas) {
    const Rollout rollout(deployment);
    const int64_t from = replicas_of(*set);
    set = TRY(write(cluster_.api, {kReplicaSets}, set, [&](json::value& target) {
      const json::value before = target;
      json::ensure(target, {"spec", "replicas"}) = replicas;
      json::ensure(target, {"metadata", "annotations", kDesired}) = std::to_string(rollout.replicas);
      json::ensure(target, {"metadata", "annotations", kMaximum}) =
          std::to_string(rollout.replicas + rollout.max_surge);
      return !json::equal(target, before);
    }));
    if (from != replicas) record_scale(deployment, name_of(*set), from, replicas);
    return ok();
  }

  Status scale_all(const json::value& deployment, std::vector<Object>& sets) {
    for (Object& set : sets)
      if (replicas_of(*set) > 0) TRY(scale(deployment, set, 0));
    return ok();
  }

  // Scales a Deployment in the middle of a rollout in proportion to its sets.
  Status scale_proportionally(const json::value& deployment, Sets& sets, const Rollout& rollout) {
    std::vector<Object*> active;
    for (Object& set : sets.old)
      if (replicas_of(*set) > 0) active.push_back(&set);
    if (sets.current != nullptr && (replicas_of(*sets.current) > 0 || active.empty())) active.push_back(&sets.current);
    if (active.empty()) return ok();
    if (active.size() == 1) return scale(deployment, *active[0], rollout.replicas);
    if (rollout.recreate) return ok();
    if (sets.current != nullptr && replicas_of(*sets.current) == rollout.replicas &&
        json::int_at(*sets.current, {"status", "availableReplicas"}) == rollout.replicas)
      return scale_all(deployment, sets.old);
    std::vector<ProportionalSet> proportions;
    for (Object* set : active) proportions.push_back({replicas_of(**set), to_number(annotation(**set, kMaximum))});
    const std::vector<int64_t> sizes = rollout.proportional(proportions);
    for (size_t i = 0; i < active.size(); ++i) TRY(scale(deployment, *active[i], sizes[i]));
    return ok();
  }

  Status recreate(const json::value& deployment, Sets& sets, const Rollout& rollout) {
    TRY(scale_all(deployment, sets.old));
    if (!old_pods_gone(sets)) return ok();
    return scale(deployment, sets.current, rollout.replicas);
  }

  Status roll(const json::value& deployment, Sets& sets, const Rollout& rollout) {
    const int64_t current = replicas_of(*sets.current);
    const int64_t wanted = rollout.replicas_for_new(current, total_replicas(sets.old));
    if (wanted != current) return scale(deployment, sets.current, wanted);
    const std::vector<int64_t> sizes = rollout.shrink_old(*sets.current, sets.old);
    for (size_t i = 0; i < sets.old.size(); ++i)
      if (sizes[i] != replicas_of(*sets.old[i])) TRY(scale(deployment, sets.old[i], sizes[i]));
    return ok();
  }

  Status forget_history(const json::value& deployment, const Sets& sets) {
    const int64_t keep = json::int_at(deployment, {"spec", "revisionHistoryLimit"}, 10);
    std::vector<Object> idle;
    for (const Object& set : sets.old)
      if (replicas_of(*set) == 0 && json::int_at(*set, {"status", "replicas"}) == 0 && !is_deleting(*set))
        idle.push_back(set);
    std::stable_sort(idle.begin(), idle.end(),
                     [](const Object& a, const Object& b) { return revision_of(*a) < revision_of(*b); });
    for (int64_t i = 0; i < static_cast<int64_t>(idle.size()) - keep; ++i) {
      DeleteOptions options;
      options.propagation_policy = "Background";
      const auto& set = *idle[static_cast<size_t>(i)];
      (void)cluster_.api.remove(kReplicaSets, namespace_of(set), name_of(set), options);  // may be deleted already
    }
    return ok();
  }

  // created: the name of the set that this sync created, if any.
  Status report(const Object& deployment, const Sets& sets, const std::string& created) {
    const Rollout rollout(*deployment);
    const RolloutStatus status(*deployment, sets.current, sets.old);
    if (status.complete) TRY(forget_history(*deployment, sets));
    const Instant now = cluster_.now();
    const auto written = write_status(cluster_, kDeployments, deployment, [&](json::value& target) {
      status.write_conditions(target, created, now);
      status.write_counts(target);
    });
    if (const auto deadline = status.deadline(*deployment); deadline && *deadline > now)
      mark_at(*deadline, key_of(*deployment));
    return written;
  }
};

}  // namespace

std::unique_ptr<Controller> make_deployment_controller(Cluster& cluster) {
  return std::make_unique<DeploymentController>(cluster);
}

}  // namespace tenon::kubesim

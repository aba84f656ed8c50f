// StatefulSets: pods with ordinals and their own volumes, created one after the other (or all at once: Parallel).
// parity: k8s.io/kubernetes pkg/controller/statefulset, without ControllerRevisions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "json/json.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kStatefulSetController = "statefulset-controller";
constexpr std::string_view kRevisionLabel = "controller-revision-hash";

// Returns -1 if the name is not <set>-<number>.
int64_t ordinal_of(std::string_view set, std::string_view pod) {
  if (pod.size() <= set.size() + 1 || !pod.starts_with(set) || pod[set.size()] != '-') return -1;
  const std::string_view digits = pod.substr(set.size() + 1);
  int64_t ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc{} && end == digits.data() + digits.size() ? ordinal : -1;
}

class StatefulSetController : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kStatefulSets && after != nullptr) mark(key_of(*after));
    if (resource == kPods) mark_owner("StatefulSet", before, after);
  }

 private:
  struct Plan {
    int64_t first = 0, wanted = 0, min_ready = 0;
    bool parallel = false;
    std::string revision;
    std::map<int64_t, Object> pods;  // by ordinal
  };

  Status sync(const ObjectKey& key) override {
    const Object set = cluster_.view.get(kStatefulSets, key);
    if (set == nullptr || is_deleting(*set)) return ok();
    Plan plan;
    plan.first = json::int_at(*set, {"spec", "ordinals", "start"});
    plan.wanted = json::int_at(*set, {"spec", "replicas"}, 1);
    plan.min_ready = json::int_at(*set, {"spec", "minReadySeconds"});
    plan.parallel = json::string_at(*set, {"spec", "podManagementPolicy"}) == "Parallel";
    plan.revision = std::string(name_of(*set)) + "-" + template_hash(*json::find(*set, {"spec", "template"}), 0);
    for (const Object& pod : cluster_.view.controlled(kPods, uid_of(*set)))
      if (const int64_t ordinal = ordinal_of(name_of(*set), name_of(*pod)); ordinal >= 0) plan.pods[ordinal] = pod;
    TRY(step(*set, plan));
    return report(set, plan);
  }

  bool healthy(const Plan& plan, const json::value& pod) {
    const auto at = available_at(pod, plan.min_ready);
    if (at && *at > cluster_.now())
      mark_at(*at, {std::string(namespace_of(pod)), std::string(json::string_at(*controller_of(pod), {"name"}))});
    return at && *at <= cluster_.now() && !is_deleting(pod);
  }

  // In order: replaces failed pods and creates missing ones from the lowest ordinal, removes the surplus from the
  // highest, then replaces outdated pods from the highest. Unless parallel: one pod at a time, and only while the
  // others are healthy.
  Status step(const json::value& set, Plan& plan) {
    for (int64_t i = plan.first; i < plan.first + plan.wanted; ++i) {
      const auto at = plan.pods.find(i);
      if (at == plan.pods.end()) {
        TRY(create(set, plan, i));
        if (!plan.parallel) return ok();
        continue;
      }
      if (pod_is_terminal(*at->second) && !is_deleting(*at->second)) {
        TRY(delete_pod(cluster_, set, *at->second, kStatefulSetController));
        return ok();
      }
      if (!plan.parallel && !healthy(plan, *at->second)) return ok();
    }
    for (auto at = plan.pods.rbegin(); at != plan.pods.rend() && at->first >= plan.first + plan.wanted; ++at) {
      if (!is_deleting(*at->second)) TRY(delete_pod(cluster_, set, *at->second, kStatefulSetController));
      if (!plan.parallel) return ok();
    }
    return renew(set, plan);
  }

  Status renew(const json::value& set, const Plan& plan) {
    if (json::string_at(set, {"spec", "updateStrategy", "type"}, "RollingUpdate") != "RollingUpdate") return ok();
    const int64_t partition = json::int_at(set, {"spec", "updateStrategy", "rollingUpdate", "partition"});
    for (int64_t i = plan.first + plan.wanted - 1; i >= plan.first + partition; --i) {
      const auto at = plan.pods.find(i);
      if (at == plan.pods.end()) return ok();
      if (json::string_at(*at->second, {"metadata", "labels", kRevisionLabel}) != plan.revision)
        return is_deleting(*at->second) ? ok() : delete_pod(cluster_, set, *at->second, kStatefulSetController);
      if (!healthy(plan, *at->second)) return ok();
    }
    return ok();
  }

  Status create(const json::value& set, const Plan& plan, int64_t ordinal) {
    const std::string name = std::string(name_of(set)) + "-" + std::to_string(ordinal);
    json::value pod = pod_from_template(set, {"apps/v1", "StatefulSet"}, *json::find(set, {"spec", "template"}));
    json::ensure(pod, {"metadata", "name"}) = name;
    json::ensure(pod, {"metadata", "labels", kRevisionLabel}) = plan.revision;
    json::ensure(pod, {"metadata", "labels", "statefulset.kubernetes.io/pod-name"}) = name;
    json::ensure(pod, {"metadata", "labels", "apps.kubernetes.io/pod-index"}) = std::to_string(ordinal);
    json::ensure(pod, {"spec", "hostname"}) = name;
    if (const auto service = json::string_at(set, {"spec", "serviceName"}); !service.empty())
      json::ensure(pod, {"spec", "subdomain"}) = service;
    for (const json::value& claim_template : json::array_at(set, {"spec", "volumeClaimTemplates"}))
      TRY(add_claim(set, claim_template, name, pod));
    const auto created = create_pod(cluster_, set, std::move(pod), kStatefulSetController);
    // Another component created a pod of this name: waits until it is deleted.
    if (!created && created.error().code != Code::kAlreadyExists) return fail(created.error());
    return ok();
  }

  Status add_claim(const json::value& set, const json::value& claim_template, const std::string& pod_name,
                   json::value& pod) {
    const std::string_view volume = json::string_at(claim_template, {"metadata", "name"});
    const std::string claim_name = std::string(volume) + "-" + pod_name;
    json::value claim = claim_template;
    claim.as_object()["apiVersion"] = "v1";
    claim.as_object()["kind"] = "PersistentVolumeClaim";
    claim.as_object().erase("status");
    json::ensure(claim, {"metadata", "name"}) = claim_name;
    json::ensure(claim, {"metadata", "namespace"}) = namespace_of(set);
    for (const auto& [key, value] : json::object_at(set, {"spec", "selector", "matchLabels"}))
      json::ensure(claim, {"metadata", "labels", key}) = value;
    const auto created = cluster_.api.create(kClaims, namespace_of(set), std::move(claim));
    if (!created && created.error().code != Code::kAlreadyExists) return fail(created.error());
    json::value& volumes = json::ensure(pod, {"spec", "volumes"});
    if (!volumes.is_array()) volumes.emplace_array();
    json::array kept;
    for (json::value& had : volumes.get_array())
      if (json::string_at(had, {"name"}) != volume) kept.push_back(std::move(had));
    volumes = std::move(kept);
    volumes.get_array().push_back(
        json::object{{"name", volume}, {"persistentVolumeClaim", json::object{{"claimName", claim_name}}}});
    return ok();
  }

  Status report(const Object& set, const Plan& plan) {
    int64_t ready = 0, available = 0, updated = 0, total = 0;
    for (const auto& [ordinal, pod] : plan.pods) {
      if (pod_is_terminal(*pod)) continue;
      ++total;
      if (pod_is_ready(*pod)) ++ready;
      const auto at = available_at(*pod, plan.min_ready);
      if (at && *at <= cluster_.now()) ++available;
      if (json::string_at(*pod, {"metadata", "labels", kRevisionLabel}) == plan.revision) ++updated;
    }
    return write_status(cluster_, kStatefulSets, set, [&](json::value& target) {
      const std::string_view had = json::string_at(target, {"status", "currentRevision"});
      const std::string current = had.empty() || updated == total ? plan.revision : std::string(had);
      status_of(target)["observedGeneration"] = json::int_at(target, {"metadata", "generation"});
      status_of(target)["replicas"] = total;
      status_of(target)["availableReplicas"] = available;
      status_of(target)["updateRevision"] = plan.revision;
      status_of(target)["currentRevision"] = current;
      set_count(target, "readyReplicas", ready);
      set_count(target, "updatedReplicas", updated);
      set_count(target, "currentReplicas", current == plan.revision ? updated : total - updated);
    });
  }
};

}  // namespace

std::unique_ptr<Controller> make_stateful_set_controller(Cluster& cluster) {
  return std::make_unique<StatefulSetController>(cluster);
}

}  // namespace tenon::kubesim

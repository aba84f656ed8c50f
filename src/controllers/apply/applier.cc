// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/applier.h"

#include "json/json.h"
#include "json/patch.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"

namespace tenon::controllers {
namespace {

using json::value;

// A write to something that has gone meanwhile has nothing left to do.
Status gone_is_fine(Status status) {
  if (!status && status.error().code == Code::kNotFound) return ok();
  return status;
}

// What the server answered an eviction with.
int status_of(const Status& evicted) {
  if (evicted) return 200;
  switch (evicted.error().code) {
    case Code::kNotFound: return 404;
    case Code::kConflict: return 409;
    case Code::kThrottled: return 429;
    default: return 500;
  }
}

kube::EventSubject subject(const plan::ObjectRef& ref) {
  return {ref.api_version, ref.kind, ref.ns, ref.name, ref.uid};
}

template <class Object>
value changes_of(const Object& before, const Object& after) {
  return json::make_merge_patch(kube::codec::encode(before), kube::codec::encode(after));
}
template <class Large>
  requires requires(const Large& large) { kube::codec::encode(large, &large); }
value changes_of(const Large& before, const Large& after) {
  return json::make_merge_patch(kube::codec::encode(before, &after), kube::codec::encode(after, &before));
}

}  // namespace

struct Perform {
  Applier& applier;
  const std::stop_token& stop;
  Outcome& outcome;

  Status operator()(const plan::CreateNodeClaim& a) const {
    const value created = TRY(applier.client_.create(kube::kNodeClaims, "", kube::codec::encode(a.claim), stop));
    outcome.created.push_back(TRY(kube::codec::decode_node_claim(created)));
    return ok();
  }
  Status operator()(const plan::PatchNodeClaim& a) const { return patch(kube::kNodeClaims, a); }
  Status operator()(const plan::PatchNode& a) const { return patch(kube::kNodes, a); }
  Status operator()(const plan::PatchNodePool& a) const { return patch(kube::kNodePools, a); }
  Status operator()(const plan::PatchNodeClass& a) const { return patch(kube::kNodeClasses, a); }
  Status operator()(const plan::PatchNodeOverlay& a) const { return patch(kube::kNodeOverlays, a); }
  Status operator()(const plan::PatchCapacityBuffer& a) const { return patch(kube::kCapacityBuffers, a); }
  Status operator()(const plan::DeleteNodeClaim& a) const {
    return remove(kube::kNodeClaims, {"", a.claim.meta.name}, a.claim.meta.uid, {});
  }
  Status operator()(const plan::DeleteNode& a) const { return remove(kube::kNodes, {"", a.name}, a.uid, {}); }
  Status operator()(const plan::DeletePod& a) const {
    return remove(kube::kPods, {a.ns, a.name}, a.uid, a.grace_seconds);
  }
  Status operator()(const plan::RecordEvent& a) const {
    applier.events_.record({subject(a.about), a.type, a.reason, a.message, a.dedupe});
    return ok();
  }

  // parity: karpenter pkg/controllers/node/termination/terminator/eviction.go
  Status operator()(const plan::EvictPod& a) const {
    const Status evicted = applier.client_.evict({a.pod.ns, a.pod.name}, a.pod.uid, stop);
    if (applier.told_.evicted) applier.told_.evicted(status_of(evicted), a);
    if (evicted) {
      applier.events_.record({subject(a.pod), "Normal", "Evicted", "Evicted pod: " + a.reason});
      return ok();
    }
    switch (evicted.error().code) {
      case Code::kNotFound:
      case Code::kConflict: return ok();  // it has gone, or another pod has its name now
      case Code::kThrottled: return refuse(a, "evicting pod violates a PDB (Pod=" + a.pod.ns + "/" + a.pod.name + ")");
      case Code::kInternal: return refuse(a, "eviction does not support multiple PDBs");
      default: return evicted;
    }
  }

 private:
  Status refuse(const plan::EvictPod& a, const std::string& why) const {
    outcome.refused_pods.push_back(a.pod.uid);
    applier.events_.record({subject(a.node), "Warning", "FailedDraining", "Failed to drain node, " + why});
    return ok();
  }

  Status remove(const kube::ResourceType& type, const kube::ObjectName& name, const std::string& uid,
                std::optional<int64_t> grace) const {
    kube::DeleteOptions options;
    options.uid = uid;
    options.grace_period_seconds = grace;
    return gone_is_fine(applier.client_.remove(type, name, options, stop));
  }

  // Metadata and spec by one patch, status by another; each only if it says something.
  template <class Action>
  Status patch(const kube::ResourceType& type, const Action& a) const {
    value changes = changes_of(a.before, a.after);
    value status;
    if (value* part = json::find(changes, {"status"})) {
      status = {{"status", std::move(*part)}};
      json::erase(changes, {"status"});
    }
    std::string version = a.before.meta.resource_version;
    const kube::ObjectName name{a.after.meta.ns, a.after.meta.name};
    if (!changes.get_object().empty()) {
      kube::PatchOptions options;
      options.answer = status.is_object() ? kube::PatchAnswer::kMetadata : kube::PatchAnswer::kNothing;
      const value answer = TRY(send(type, name, std::move(changes), version, options));
      if (const auto now = json::string_at(answer, {"metadata", "resourceVersion"}); !now.empty()) version = now;
    }
    if (status.is_object()) {
      kube::PatchOptions options;
      options.subresource = "status";
      options.answer = kube::PatchAnswer::kNothing;
      TRY(send(type, name, std::move(status), version, options));
    }
    return ok();
  }

  // What came back; null if the object has gone.
  Result<value> send(const kube::ResourceType& type, const kube::ObjectName& name, value changes,
                     const std::string& version, const kube::PatchOptions& options) const {
    if (!version.empty()) json::ensure(changes, {"metadata", "resourceVersion"}) = version;
    auto answer = applier.client_.patch(type, name, kube::PatchType::kMerge, changes, options, stop);
    if (!answer && answer.error().code == Code::kNotFound) return value();
    return answer;
  }
};

Result<Outcome> Applier::apply(const plan::Plan& plan, const std::stop_token& stop) {
  Outcome outcome;
  const Perform perform{*this, stop, outcome};
  for (const plan::Action& action : plan.actions) {
    TRY_IN(plan::describe(action), std::visit(perform, action));
    if (told_.performed) told_.performed(action);
  }
  return outcome;
}

}  // namespace tenon::controllers

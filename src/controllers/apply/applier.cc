// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/applier.h"

#include <algorithm>

#include "json/json.h"
#include "json/patch.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"

namespace tenon::controllers {
namespace {

using json::value;

// Turns kNotFound into success: a write to an object that is gone has nothing left to do.
Status gone_is_fine(Status status) {
  if (!status && status.error().code == Code::kNotFound) return ok();
  return status;
}

// Returns the HTTP status of the answer to an eviction.
int status_of(const Status& evicted) {
  if (evicted) return 200;
  switch (evicted.error().code) {
    case Code::kInvalid: return 400;
    case Code::kForbidden: return 403;
    case Code::kNotFound: return 404;
    case Code::kConflict: return 409;
    case Code::kThrottled: return 429;
    default: return 500;
  }
}

// Makes a name of generateName as an API server does. parity: k8s.io/apiserver pkg/storage/names
std::string generated_name(const std::string& prefix, uint64_t random) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr size_t kSuffix = 5, kMaxName = 63;
  std::string name = prefix.substr(0, kMaxName - kSuffix);
  for (size_t i = 0; i < kSuffix; ++i, random /= kAlphabet.size()) name += kAlphabet[random % kAlphabet.size()];
  return name;
}

// True if the request may have been performed although no answer confirms it.
bool may_have_happened(const Error& error) {
  return error.code == Code::kTimeout || error.code == Code::kUnavailable || error.code == Code::kInternal;
}

// Collects the failures of several groups into the one error that the caller receives.
class Failures {
 public:
  void add(Error error) {
    if (!worst_ || rank(error) > rank(*worst_)) worst_ = std::move(error);
    ++count_;
  }
  Status status() const {
    if (!worst_) return ok();
    Error error = *worst_;
    if (count_ > 1) error.message += " (and " + std::to_string(count_ - 1) + " more failed)";
    return fail(std::move(error));
  }

 private:
  static int rank(const Error& error) {
    return error.code == Code::kCancelled ? 2 : error.code == Code::kConflict ? 0 : 1;
  }
  std::optional<Error> worst_;
  size_t count_ = 0;
};

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
  bool& unreachable;  // the server did not answer an eviction

  // A create without an answer is retried once under the same name, so that it never creates two claims.
  Status operator()(const plan::CreateNodeClaim& a) const {
    model::NodeClaim claim = a.claim;
    if (claim.meta.name.empty()) claim.meta.name = generated_name(claim.meta.generate_name, applier.runtime_.random());
    const value document = kube::codec::encode(claim);
    Result<value> created = applier.client_.create(kube::kNodeClaims, "", document, stop);
    if (!created && may_have_happened(created.error())) {
      created = applier.client_.create(kube::kNodeClaims, "", document, stop);
      if (!created && created.error().code == Code::kAlreadyExists)
        created = applier.client_.get(kube::kNodeClaims, {"", claim.meta.name}, stop);
      const bool told = !created && may_have_happened(created.error()) && applier.told_.perhaps_created;
      if (told) applier.told_.perhaps_created(claim);
    }
    if (!created) return fail(created.error());
    outcome.created.push_back(TRY(kube::codec::decode_node_claim(*created)));
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
    if (unreachable) {
      outcome.refused_pods.push_back(a.pod.uid);
      return ok();
    }
    const Status evicted = applier.client_.evict({a.pod.ns, a.pod.name}, a.pod.uid, stop);
    if (applier.told_.evicted) applier.told_.evicted(status_of(evicted), a);
    if (evicted || evicted.error().code == Code::kNotFound || evicted.error().code == Code::kConflict)
      outcome.evicted_pods.push_back(a.pod.uid);
    if (evicted) {
      applier.events_.record({subject(a.pod), "Normal", "Evicted", "Evicted pod: " + a.reason});
      return ok();
    }
    switch (evicted.error().code) {
      case Code::kNotFound:
      case Code::kConflict: return ok();  // the pod is gone, or another pod has its name now
      case Code::kThrottled: return refuse(a, "evicting pod violates a PDB (Pod=" + a.pod.ns + "/" + a.pod.name + ")");
      case Code::kCancelled: return evicted;
      case Code::kTimeout:
      case Code::kUnavailable:  // no answer about this pod, and most likely none about the others
        unreachable = true;
        outcome.refused_pods.push_back(a.pod.uid);
        note(evicted.error());
        return ok();
      default: break;
    }
    const std::string& message = evicted.error().message;
    if (evicted.error().code == Code::kInternal && message.find("PodDisruptionBudget") != std::string::npos)
      return refuse(a, "eviction does not support multiple PDBs");
    note(evicted.error());
    return refuse(a, message);
  }

 private:
  Status refuse(const plan::EvictPod& a, const std::string& why) const {
    outcome.refused_pods.push_back(a.pod.uid);
    applier.events_.record({subject(a.node), "Warning", "FailedDraining", "Failed to drain node, " + why});
    return ok();
  }
  void note(const Error& problem) const {
    if (!outcome.eviction_problem) outcome.eviction_problem = problem;
  }

  Status remove(const kube::ResourceType& type, const kube::ObjectName& name, const std::string& uid,
                std::optional<int64_t> grace) const {
    kube::DeleteOptions options;
    options.uid = uid;
    options.grace_period_seconds = grace;
    return gone_is_fine(applier.client_.remove(type, name, options, stop));
  }

  // Sends metadata and spec in one patch, status in another; skips an empty patch.
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

  // Returns the server's answer; null if the object is gone.
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
  TRY(apply(plan, outcome, stop));
  return outcome;
}

Status Applier::apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) {
  bool unreachable = false;
  const Perform perform{*this, stop, outcome, unreachable};
  Failures failures;
  for (size_t i = 0; i < plan.actions.size();) {
    const Status done = std::visit(perform, plan.actions[i]);
    if (done) {
      if (told_.performed) told_.performed(plan.actions[i]);
      ++i;
      continue;
    }
    const bool ends_all = plan.groups.empty() || i < plan.groups.front() || done.error().code == Code::kCancelled;
    failures.add(done.error().in(plan::describe(plan.actions[i])));
    if (ends_all) break;
    const auto next = std::upper_bound(plan.groups.begin(), plan.groups.end(), i);
    i = next == plan.groups.end() ? plan.actions.size() : *next;
  }
  return failures.status();
}

}  // namespace tenon::controllers

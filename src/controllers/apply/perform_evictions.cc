// Evictions, and their rejections. parity: karpenter pkg/controllers/node/termination/terminator/eviction.go
// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/perform.h"

namespace tenon::controllers {
namespace {

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

}  // namespace

Status Perform::operator()(const plan::EvictPod& a) {
  if (unreachable) {
    outcome.refused_pods.push_back(a.pod.uid);
    return ok();
  }
  const Status evicted = services().client.evict({a.pod.ns, a.pod.name}, a.pod.uid, stop);
  if (callbacks().evicted) callbacks().evicted(status_of(evicted), a);
  if (evicted || evicted.error().code == Code::kNotFound || evicted.error().code == Code::kConflict)
    outcome.evicted_pods.push_back(a.pod.uid);
  if (evicted) {
    services().events.record({subject(a.pod), "Normal", "Evicted", "Evicted pod: " + a.reason});
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

Status Perform::refuse(const plan::EvictPod& a, const std::string& why) {
  outcome.refused_pods.push_back(a.pod.uid);
  services().events.record({subject(a.node), "Warning", "FailedDraining", "Failed to drain node, " + why});
  return ok();
}

void Perform::note(const Error& problem) {
  if (!outcome.eviction_problem) outcome.eviction_problem = problem;
}

}  // namespace tenon::controllers

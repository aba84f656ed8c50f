// The default topology spread of a scheduler configuration, for pods that have no constraint of their own. What it
// counts together are the pods that the Services selecting the pod and the owner of the pod select; a pod that nothing
// selects is not spread. Decisions apply it to their own copies of the pods.
// parity: karpenter pkg/controllers/provisioning/scheduling/defaultconstraints.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/affinity.h"
#include "model/pod.h"
#include "model/pod_selector.h"

namespace tenon::scheduling {

using SpreadConstraints = std::vector<model::SpreadConstraint>;

// Thread rule: add() from one thread, then apply() from any.
class DefaultSpread {
 public:
  explicit DefaultSpread(SpreadConstraints constraints) : constraints_(std::move(constraints)) {}
  // An empty selector selects nothing.
  void add(std::shared_ptr<const model::PodSelector> selector);
  // True if the pod was changed.
  bool apply(model::Pod& pod) const;

 private:
  using Selectors = std::vector<std::shared_ptr<const model::PodSelector>>;
  const SpreadConstraints constraints_;
  std::map<std::string, Selectors> by_namespace_;
};

}  // namespace tenon::scheduling

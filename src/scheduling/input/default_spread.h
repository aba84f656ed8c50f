// The default topology spread of a scheduler configuration, for pods without a spread constraint of their own.
// Decisions apply it to their own copies of the pods. default_spread.cc says which pods a spread counts together.
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
  // Ignores an empty selector: it selects nothing.
  void add(std::shared_ptr<const model::PodSelector> selector);
  // Returns true if it gave the pod the default constraints.
  bool apply(model::Pod& pod) const;

 private:
  using Selectors = std::vector<std::shared_ptr<const model::PodSelector>>;
  const SpreadConstraints constraints_;
  std::map<std::string, Selectors> by_namespace_;
};

}  // namespace tenon::scheduling

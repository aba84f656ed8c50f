// The default topology spread of a scheduler configuration, for pods that have no constraint of their own. What it
// counts together are the pods that the Services selecting the pod and the owner of the pod select.
// parity: karpenter pkg/controllers/provisioning/scheduling/defaultconstraints.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/plan_documents.h"
#include "model/affinity.h"
#include "model/pod.h"

namespace tenon::cli {

// The constraints of a --scheduler-config file: `podTopologySpread: {defaultConstraints: [...]}`; an unknown field is
// an error. Errors: kInvalid.
Result<std::vector<model::SpreadConstraint>> parse_scheduler_config(std::string_view text);

class DefaultSpread {
 public:
  explicit DefaultSpread(std::vector<model::SpreadConstraint> constraints) : constraints_(std::move(constraints)) {}
  // Keeps the selector of a Service or of a kind that owns pods; other kinds are ignored. Errors: kInvalid.
  Status add(const Document& document);
  void apply(model::Pod& pod) const;

 private:
  struct Selector {
    std::string kind, ns, name;  // kind empty: a Service
    model::LabelSelector selector;
  };
  std::vector<model::SpreadConstraint> constraints_;
  std::vector<Selector> selectors_;
};

}  // namespace tenon::cli

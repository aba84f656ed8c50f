// NodePool (karpenter.sh/v1). Value type; defaults are the CRD's. parity: karpenter pkg/apis/v1/nodepool.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/budget.h"
#include "model/generations.h"
#include "model/kubelet_config.h"
#include "model/meta.h"
#include "model/requirement.h"
#include "model/resources.h"
#include "model/taint.h"

namespace tenon::model {

struct NodeClassRef {
  std::string group, kind, name;
  // The key of the class in caches and in the cloud: its name, with the prefix of an earlier API (generations.h).
  std::string key() const;
  // Whether the class describes instances of AWS: an EC2NodeClass, an AWSNodeTemplate, or the inline provider of the
  // Provisioner with this name.
  bool of_aws() const;
  bool is_inline() const { return kind == kProvisionerKind; }
  friend bool operator==(const NodeClassRef&, const NodeClassRef&) = default;
};

// "720h"; std::nullopt: Never.
using OptionalDuration = std::optional<Duration>;

enum class ConsolidationPolicy { kWhenEmpty, kWhenEmptyOrUnderutilized, kBalanced };

struct NodeTemplate {
  StringMap labels, annotations;
  NodeClassRef node_class_ref;
  std::vector<RequirementSpec> requirements;
  std::vector<Taint> taints, startup_taints;
  OptionalDuration expire_after = 720h;
  OptionalDuration termination_grace_period;
  friend bool operator==(const NodeTemplate&, const NodeTemplate&) = default;
};

struct NodePool {
  ObjectMeta meta;
  NodeTemplate node_template;
  ConsolidationPolicy consolidation_policy = ConsolidationPolicy::kWhenEmptyOrUnderutilized;
  OptionalDuration consolidate_after = Duration(0);  // std::nullopt: Never
  std::vector<Budget> budgets{Budget{}};
  std::optional<Resources> limits;  // may hold "nodes"
  int weight = 0;                   // 1 to 100; 0: not set, counts as the lowest
  std::optional<int> replicas;      // set: a static pool
  // The kubelet configuration of a Provisioner; it replaces the one of the node class.
  std::optional<KubeletConfig> kubelet;
  // The inline spec.provider of a Provisioner as JSON, for an annotation of its nodes; empty: it has none.
  std::string inline_provider;
  // status
  Resources resources;
  int64_t node_class_observed_generation = 0;  // of the node class that NodeRegistrationHealthy refers to; 0: none yet
  std::vector<Condition> conditions;
  bool ready() const { return condition_is(conditions, "Ready", "True"); }
  friend bool operator==(const NodePool&, const NodePool&) = default;
};

// Validates what the CRD does not. Errors: kInvalid: the first invalid field, with its path.
// parity: nodepool_validation.go
Status validate(const NodePool& pool);

}  // namespace tenon::model

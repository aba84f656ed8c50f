// Label selectors, node affinity, pod affinity and topology spread of a pod. Value types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/meta.h"
#include "model/requirement.h"

namespace tenon::model {

struct LabelSelector {
  StringMap match_labels;
  std::vector<RequirementSpec> match_expressions;  // In, NotIn, Exists, DoesNotExist
  bool matches(const StringMap& labels) const;     // an empty selector matches everything
  bool empty() const { return match_labels.empty() && match_expressions.empty(); }
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

struct NodeSelectorTerm {
  std::vector<RequirementSpec> match_expressions;
  std::vector<RequirementSpec> match_fields;  // metadata.name only
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};
struct PreferredNodeTerm {
  int weight = 0;
  NodeSelectorTerm term;
  friend bool operator==(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> selector;  // std::nullopt: matches no pod
  std::string topology_key;
  std::vector<std::string> namespaces;  // empty, and no namespace selector: the pod's own
  std::optional<LabelSelector> namespace_selector;
  std::vector<std::string> match_label_keys, mismatch_label_keys;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};
struct WeightedPodTerm {
  int weight = 0;
  PodAffinityTerm term;
  friend bool operator==(const WeightedPodTerm&, const WeightedPodTerm&) = default;
};

struct Affinity {
  std::vector<NodeSelectorTerm> required_node_terms;  // one must match; empty: no constraint
  std::vector<PreferredNodeTerm> preferred_node_terms;
  std::vector<PodAffinityTerm> required_pods, required_anti_pods;
  std::vector<WeightedPodTerm> preferred_pods, preferred_anti_pods;
  friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct SpreadConstraint {
  int max_skew = 1;
  std::string topology_key;
  bool schedule_anyway = false;  // whenUnsatisfiable
  std::optional<LabelSelector> selector;
  std::optional<int> min_domains;
  bool honor_node_affinity = true;  // nodeAffinityPolicy: Honor
  bool honor_node_taints = false;   // nodeTaintsPolicy: Ignore
  std::vector<std::string> match_label_keys;
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

}  // namespace tenon::model

// Label selectors, node selectors, taints and tolerations, as the simulated control plane reads them. Independent of
// model/ on purpose: the simulated cluster must not share the mistakes of the autoscaler under test.
// parity: k8s.io/apimachinery/pkg/labels, k8s.io/component-helpers/scheduling/corev1. Value types, pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::kubesim {

struct LabelRule {
  enum class Op { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kNever };
  std::string key;
  Op op = Op::kNever;  // kNever: an unknown operator matches nothing
  std::vector<std::string> values;

  // `value`: std::nullopt if the label is absent.
  bool matches(const std::optional<std::string_view>& value) const;
};

// metav1.LabelSelector. A missing selector (null) matches nothing, an empty one everything.
class LabelSelector {
 public:
  static LabelSelector parse(const boost::json::value* selector);
  void require(std::string_view key, std::string_view value);
  bool matches(const boost::json::object& labels) const;

 private:
  bool nothing_ = true;
  std::vector<LabelRule> rules_;
};

struct NodeTerm {
  std::vector<LabelRule> expressions;
  std::vector<LabelRule> fields;  // metadata.name only
};

// The node labels and names that a pod requires or prefers.
struct NodeAffinity {
  static NodeAffinity parse(const boost::json::value& pod_spec);
  // spec.nodeSelector and the required terms of spec.affinity.nodeAffinity.
  bool matches(std::string_view node_name, const boost::json::object& node_labels) const;
  // Returns the sum of the weights of the preferred terms that match.
  int64_t preference(std::string_view node_name, const boost::json::object& node_labels) const;

  std::vector<LabelRule> selector;
  bool has_required = false;
  std::vector<NodeTerm> required;  // any of them
  std::vector<std::pair<int64_t, NodeTerm>> preferred;
};

// A v1.NodeSelector (of a PersistentVolume): any of its terms.
std::vector<NodeTerm> parse_node_terms(const boost::json::value* node_selector);
bool any_term_matches(const std::vector<NodeTerm>& terms, std::string_view name, const boost::json::object& labels);

struct Taint {
  std::string key, value, effect;
  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Toleration {
  std::string key, value, effect;
  bool exists = false;             // operator Exists
  std::optional<int64_t> seconds;  // tolerationSeconds

  bool tolerates(const Taint& taint) const;
};

std::vector<Taint> taints_of(const boost::json::value& node);
std::vector<Toleration> tolerations_of(const boost::json::value& pod_spec);
bool tolerated(const std::vector<Toleration>& tolerations, const Taint& taint);

}  // namespace tenon::kubesim

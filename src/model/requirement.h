// The requirements algebra: the allowed values of labels. A Requirement is a set of strings, or the complement of one,
// with optional integer bounds. Requirements has one Requirement for each key; all must hold.
// parity: karpenter pkg/scheduling/requirement.go, requirements.go
// requirements.cc defines Requirements, requirement_validation.cc the checks of users' requirements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared.h"
#include "model/meta.h"

namespace tenon::model {

enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kGte, kLte };
std::string_view to_string(Operator op);
std::optional<Operator> parse_operator(std::string_view text);

// A requirement of a NodePool, a NodeClaim or a node selector term.
struct RequirementSpec {
  std::string key;
  Operator op = Operator::kIn;
  std::vector<std::string> values;
  std::optional<int> min_values;
  friend bool operator==(const RequirementSpec&, const RequirementSpec&) = default;
};

// Return whether Kubernetes accepts the text as the key or the value of a label.
bool valid_label_key(std::string_view key);
bool valid_label_value(std::string_view value);
// Rejects restricted labels, unknown capacity types, and values that do not match the operator. Errors: kInvalid.
// parity: nodeclaim_validation.go ValidateRequirement
Status validate(const RequirementSpec& spec);

class Requirement {
 public:
  // No constraint: any value, or no label.
  explicit Requirement(std::string key = {});
  // Makes the key canonical. Errors: kInvalid: In without a value, a bound that is not one integer.
  static Result<Requirement> make(const RequirementSpec& spec);
  static Requirement in(std::string_view key, std::vector<std::string> values);
  static Requirement exists(std::string_view key);
  static Requirement does_not_exist(std::string_view key);

  const std::string& key() const { return key_; }
  bool complement() const { return complement_; }
  const std::set<std::string, std::less<>>& values() const { return values_; }
  std::optional<int64_t> greater_than() const { return greater_than_; }  // exclusive
  std::optional<int64_t> less_than() const { return less_than_; }        // exclusive
  std::optional<int> min_values() const { return min_values_; }
  void set_min_values(std::optional<int> n) { min_values_ = n; }

  bool allows(std::string_view value) const;
  // Returns the operator that describes this set: In, NotIn, Exists or DoesNotExist.
  Operator op() const;
  // Returns whether the label may be absent. False if one rule requires a value and another excludes it, although op()
  // of the empty set is DoesNotExist.
  bool tolerates_absence() const { return !needs_value_; }
  // Returns whether no value is allowed: an empty set that is not a complement, such as DoesNotExist; see op().
  bool empty() const { return !complement_ && values_.empty(); }
  Requirement intersect(const Requirement& other) const;
  bool intersects(const Requirement& other) const;
  // Returns one spec, or two for bounds, that give this requirement again, except for excluded values between bounds.
  std::vector<RequirementSpec> to_specs() const;
  std::string to_string() const;  // "karpenter.sh/capacity-type In [spot]"
  friend bool operator==(const Requirement&, const Requirement&) = default;

 private:
  std::string key_;
  bool complement_ = true, needs_value_ = false;
  std::set<std::string, std::less<>> values_;
  std::optional<int64_t> greater_than_, less_than_;
  std::optional<int> min_values_;
};

// Copies share their content until one is changed, because most nodes of a plan have the same requirements.
class Requirements {
 public:
  using ByKey = std::map<std::string, Requirement, std::less<>>;

  Requirements() = default;
  static Result<Requirements> make(const std::vector<RequirementSpec>& specs);
  static Requirements from_labels(const StringMap& labels);

  // Intersects with the requirement of the same key.
  void add(const Requirement& requirement);
  void add(const Requirements& other);
  void replace(Requirement requirement);
  void erase(std::string_view key);
  bool has(std::string_view key) const;
  // Returns a requirement without constraint if there is none for the key.
  Requirement get(std::string_view key) const;
  bool empty() const { return by_key_->empty(); }
  const ByKey& by_key() const { return *by_key_; }

  // Returns ok if both can hold at once. Compares only keys of both; an empty intersection is allowed if both sides
  // tolerate the absence of the label. The error names the key and both sides. parity: Requirements.Intersects
  Status intersects(const Requirements& other) const;
  // Returns ok if `incoming` (of a pod) can hold on a node with these: as intersects(), and every key that incoming
  // requires must be defined here, or be well-known if `allow_undefined_well_known`. parity: Requirements.Compatible
  Status compatible(const Requirements& incoming, bool allow_undefined_well_known) const;
  // Returns the keys with exactly one possible value, as labels.
  StringMap single_values() const;
  std::vector<RequirementSpec> to_specs() const;  // by key
  friend bool operator==(const Requirements&, const Requirements&) = default;

 private:
  Shared<ByKey> by_key_;
};

}  // namespace tenon::model

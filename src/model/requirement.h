// The requirements algebra: what a label's value may be. A Requirement is a set of strings, or the complement of one,
// with optional integer bounds; Requirements is one per key, all of which must hold.
// parity: karpenter pkg/scheduling/requirement.go, requirements.go
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

// As it stands in a NodePool, a NodeClaim or a node selector term.
struct RequirementSpec {
  std::string key;
  Operator op = Operator::kIn;
  std::vector<std::string> values;
  std::optional<int> min_values;
  friend bool operator==(const RequirementSpec&, const RequirementSpec&) = default;
};

// A label's name and value as Kubernetes takes them.
bool valid_label_key(std::string_view key);
bool valid_label_value(std::string_view value);
// What a NodePool or a pod may not ask: restricted labels, unknown capacity types, values that do not go with the
// operator. Errors: kInvalid. parity: nodeclaim_validation.go ValidateRequirement
Status validate(const RequirementSpec& spec);

class Requirement {
 public:
  // Nothing: any value, or none.
  explicit Requirement(std::string key = {});
  // Errors: kInvalid: In without a value, a bound that is not one integer. The key becomes canonical.
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
  // The operator that describes this set: In, NotIn, Exists or DoesNotExist.
  Operator op() const;
  // The label may be missing. Not so where one rule asks for a value and another takes it away, although op() has no
  // better word than DoesNotExist for what is left.
  bool tolerates_absence() const { return !needs_value_; }
  // No value is allowed (an empty, non-complement set; DoesNotExist is one too: see op()).
  bool empty() const { return !complement_ && values_.empty(); }
  Requirement intersect(const Requirement& other) const;
  bool intersects(const Requirement& other) const;
  // One or two (bounds) specs that make() turns back into this.
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

// Copies share what they hold until one is changed: nodes of a plan mostly require the same.
class Requirements {
 public:
  using ByKey = std::map<std::string, Requirement, std::less<>>;

  Requirements() = default;
  static Result<Requirements> make(const std::vector<RequirementSpec>& specs);
  static Requirements from_labels(const StringMap& labels);

  // Intersects with what is there for the key.
  void add(const Requirement& requirement);
  void add(const Requirements& other);
  void replace(Requirement requirement);
  void erase(std::string_view key);
  bool has(std::string_view key) const;
  // One that asks for nothing, if the key is not constrained.
  Requirement get(std::string_view key) const;
  bool empty() const { return by_key_->empty(); }
  const ByKey& by_key() const { return *by_key_; }

  // Both can hold at once, looking only at keys that both have; DoesNotExist/NotIn of either tolerates emptiness.
  // On failure the text names the key and both sides. parity: Requirements.Intersects
  Status intersects(const Requirements& other) const;
  // `incoming` (a pod's) can hold on a node with these: as intersects, and every key that incoming requires must be
  // known here or be one of `allow_undefined` (the well-known labels). parity: Requirements.Compatible
  Status compatible(const Requirements& incoming, bool allow_undefined_well_known) const;
  // Keys with exactly one possible value, as labels.
  StringMap single_values() const;
  std::vector<RequirementSpec> to_specs() const;  // by key
  friend bool operator==(const Requirements&, const Requirements&) = default;

 private:
  Shared<ByKey> by_key_;
};

}  // namespace tenon::model

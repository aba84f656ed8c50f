// SPDX-License-Identifier: Apache-2.0
#include "model/requirement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "model/labels.h"

namespace tenon::model {
namespace {

constexpr std::array<std::pair<Operator, std::string_view>, 8> kNames{{{Operator::kIn, "In"},
                                                                       {Operator::kNotIn, "NotIn"},
                                                                       {Operator::kExists, "Exists"},
                                                                       {Operator::kDoesNotExist, "DoesNotExist"},
                                                                       {Operator::kGt, "Gt"},
                                                                       {Operator::kLt, "Lt"},
                                                                       {Operator::kGte, "Gte"},
                                                                       {Operator::kLte, "Lte"}}};
constexpr size_t kShownValues = 5;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::optional<int64_t> integer(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool in_bounds(std::string_view value, std::optional<int64_t> above, std::optional<int64_t> below) {
  if (!above && !below) return true;
  const auto number = integer(value);
  return number && (!above || *number > *above) && (!below || *number < *below);
}

// Returns whether no integer is strictly between the bounds.
bool no_room(std::optional<int64_t> above, std::optional<int64_t> below) {
  return (above && *above == kMax) || (below && *below == kMin) || (above && below && *above >= *below - 1);
}

template <class T, class Pick>
std::optional<T> tighter(std::optional<T> a, std::optional<T> b, Pick pick) {
  if (!a) return b;
  if (!b) return a;
  return pick(*a, *b);
}
constexpr auto kLarger = [](auto a, auto b) { return std::max(a, b); };
constexpr auto kSmaller = [](auto a, auto b) { return std::min(a, b); };

}  // namespace

std::string_view to_string(Operator op) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == op; })->second;
}

std::optional<Operator> parse_operator(std::string_view text) {
  const auto* at = std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.second == text; });
  return at == kNames.end() ? std::nullopt : std::optional(at->first);
}

Requirement::Requirement(std::string key) : key_(canonical_label(key)) {}

Requirement Requirement::in(std::string_view key, std::vector<std::string> values) {
  Requirement r{std::string(key)};
  r.complement_ = false;
  r.needs_value_ = !values.empty();
  r.values_ = {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
  return r;
}
Requirement Requirement::exists(std::string_view key) {
  Requirement r{std::string(key)};
  r.needs_value_ = true;
  return r;
}
Requirement Requirement::does_not_exist(std::string_view key) { return in(key, {}); }

Result<Requirement> Requirement::make(const RequirementSpec& spec) {
  Requirement r(spec.key);
  r.min_values_ = spec.min_values;
  r.needs_value_ = spec.op != Operator::kNotIn && spec.op != Operator::kDoesNotExist;
  switch (spec.op) {
    case Operator::kIn:
      if (spec.values.empty()) return fail(Code::kInvalid, spec.key + ": operator In needs a value");
      [[fallthrough]];
    case Operator::kNotIn:
      r.complement_ = spec.op == Operator::kNotIn;
      r.values_ = {spec.values.begin(), spec.values.end()};
      return r;
    case Operator::kExists: return r;
    case Operator::kDoesNotExist: r.complement_ = false; return r;
    default: break;
  }
  const auto bound = spec.values.size() == 1 ? integer(spec.values.front()) : std::nullopt;
  if (!bound) {
    return fail(Code::kInvalid,
                spec.key + ": operator " + std::string(tenon::model::to_string(spec.op)) + " needs a single integer");
  }
  if (spec.op == Operator::kGt) r.greater_than_ = *bound;
  if (spec.op == Operator::kGte) r.greater_than_ = *bound == kMin ? kMin : *bound - 1;
  if (spec.op == Operator::kLt) r.less_than_ = *bound;
  if (spec.op == Operator::kLte) r.less_than_ = *bound == kMax ? kMax : *bound + 1;
  if (!no_room(r.greater_than_, r.less_than_)) return r;
  Requirement nothing = does_not_exist(spec.key);
  nothing.needs_value_ = true;
  return nothing;
}

bool Requirement::allows(std::string_view value) const {
  return (values_.find(value) != values_.end()) != complement_ && in_bounds(value, greater_than_, less_than_);
}

Operator Requirement::op() const {
  if (complement_) return values_.empty() ? Operator::kExists : Operator::kNotIn;
  return values_.empty() ? Operator::kDoesNotExist : Operator::kIn;
}

Requirement Requirement::intersect(const Requirement& other) const {
  Requirement r(key_);
  r.min_values_ = tighter(min_values_, other.min_values_, kLarger);
  const auto above = tighter(greater_than_, other.greater_than_, kLarger);
  const auto below = tighter(less_than_, other.less_than_, kSmaller);
  r.complement_ = complement_ && other.complement_;
  r.needs_value_ = needs_value_ || other.needs_value_;
  if (no_room(above, below)) {
    r.complement_ = false;
    return r;
  }
  const auto keep = [&](const std::string& value) {
    if (in_bounds(value, above, below)) r.values_.insert(value);
  };
  if (r.complement_) {
    std::for_each(values_.begin(), values_.end(), keep);
    std::for_each(other.values_.begin(), other.values_.end(), keep);
    r.greater_than_ = above;
    r.less_than_ = below;
    return r;
  }
  const Requirement& concrete = complement_ ? other : *this;
  const Requirement& filter = complement_ ? *this : other;
  for (const std::string& value : concrete.values_) {
    if ((filter.values_.find(value) != filter.values_.end()) != filter.complement_) keep(value);
  }
  return r;
}

bool Requirement::intersects(const Requirement& other) const {
  const auto above = tighter(greater_than_, other.greater_than_, kLarger);
  const auto below = tighter(less_than_, other.less_than_, kSmaller);
  if (no_room(above, below)) return false;
  if (complement_ && other.complement_) return true;
  const Requirement& concrete = complement_ ? other : *this;
  const Requirement& filter = complement_ ? *this : other;
  return std::any_of(concrete.values_.begin(), concrete.values_.end(), [&](const std::string& value) {
    return (filter.values_.find(value) != filter.values_.end()) != filter.complement_ && in_bounds(value, above, below);
  });
}

// No operator expresses bounds together with excluded values. As in Karpenter, only the bounds are written.
std::vector<RequirementSpec> Requirement::to_specs() const {
  std::vector<RequirementSpec> specs;
  if (greater_than_) specs.push_back({key_, Operator::kGte, {std::to_string(*greater_than_ + 1)}, min_values_});
  if (less_than_) specs.push_back({key_, Operator::kLte, {std::to_string(*less_than_ - 1)}, min_values_});
  if (specs.empty()) specs.push_back({key_, op(), {values_.begin(), values_.end()}, min_values_});
  return specs;
}

std::string Requirement::to_string() const {
  std::string text = key_ + " " + std::string(tenon::model::to_string(op()));
  if (!values_.empty()) {
    text += " [";
    size_t shown = 0;
    for (const std::string& value : values_) {
      if (shown == kShownValues) {
        text += " and " + std::to_string(values_.size() - kShownValues) + " others";
        break;
      }
      text += (shown++ == 0 ? "" : " ") + value;
    }
    text += "]";
  }
  if (greater_than_) text += " >=" + std::to_string(*greater_than_ + 1);
  if (less_than_) text += " <=" + std::to_string(*less_than_ - 1);
  if (min_values_) text += " minValues " + std::to_string(*min_values_);
  return text;
}

}  // namespace tenon::model

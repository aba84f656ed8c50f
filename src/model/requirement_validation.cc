// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "model/generations.h"
#include "model/labels.h"
#include "model/requirement.h"

namespace tenon::model {
namespace {

constexpr size_t kMaxName = 63, kMaxPrefix = 253;
constexpr std::array<std::string_view, 3> kCapacityTypes{kCapacityOnDemand, kCapacityReserved, kCapacitySpot};

bool alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool valid_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName || !alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}
bool valid_prefix(std::string_view text) {
  if (text.empty() || text.size() > kMaxPrefix) return false;
  char before = '.';
  for (const char c : text) {
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!lower && c != '-' && c != '.') return false;
    if ((c == '.' && (before == '.' || before == '-')) || (c == '-' && before == '.')) return false;
    before = c;
  }
  return before != '.' && before != '-';
}

template <class List>
std::string listed(const List& values) {
  std::string text = "[";
  for (const std::string_view value : values) text += (text.size() > 1 ? " " : "") + std::string(value);
  return text + "]";
}

tl::unexpected<Error> wrong(std::string why) { return fail(Code::kInvalid, std::move(why)); }

Status check_bound(const RequirementSpec& spec) {
  int64_t value = -1;
  if (spec.values.size() == 1) {
    const std::string& text = spec.values.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) value = -1;
  }
  if (value >= 0) return ok();
  return wrong("key " + spec.key + " with operator " + std::string(to_string(spec.op)) +
               " must have a single positive integer value");
}

Status check_values(const RequirementSpec& spec, std::string_view key) {
  for (const std::string& value : spec.values) {
    if (!valid_label_value(value)) return wrong("invalid value \"" + value + "\" for key " + spec.key);
  }
  if (spec.op != Operator::kIn) return ok();
  if (spec.values.empty()) return wrong("key " + spec.key + " with operator In must have a value defined");
  const auto least = static_cast<size_t>(std::max(0, spec.min_values.value_or(0)));
  const std::set<std::string> distinct(spec.values.begin(), spec.values.end());
  if (distinct.size() < least) {
    return wrong("key " + spec.key + " has minValues " + std::to_string(least) + " but only " +
                 std::to_string(distinct.size()) + " values");
  }
  if (key != kLabelCapacityType) return ok();
  const auto known = std::count_if(distinct.begin(), distinct.end(), [](const std::string& value) {
    return std::find(kCapacityTypes.begin(), kCapacityTypes.end(), value) != kCapacityTypes.end();
  });
  if (known == 0 || static_cast<size_t>(known) < least) {
    std::set<std::string> unknown = distinct;
    for (const std::string_view value : kCapacityTypes) unknown.erase(std::string(value));
    return wrong((known == 0 ? "no" : "not enough") + (" valid values found in " + listed(spec.values)) + " for " +
                 std::string(key) + ", expected one of: " + listed(kCapacityTypes) + ", got: " + listed(unknown));
  }
  return ok();
}

}  // namespace

bool valid_label_key(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return valid_name(key);
  return valid_prefix(key.substr(0, slash)) && valid_name(key.substr(slash + 1));
}
bool valid_label_value(std::string_view value) { return value.empty() || valid_name(value); }

Status validate(const RequirementSpec& spec) {
  const std::string_view key = canonical_label(spec.key);
  if (!valid_label_key(spec.key)) return wrong("key \"" + spec.key + "\" is not a qualified name");
  // Pods may select the nodes of a Provisioner; a pool may not require the label (node_pool.cc).
  const bool of_provisioner = key == kLabelProvisioner;
  if (auto reason = restricted_label_reason(key); reason && !of_provisioner) return wrong(*reason);
  const bool bound =
      spec.op == Operator::kGt || spec.op == Operator::kLt || spec.op == Operator::kGte || spec.op == Operator::kLte;
  return bound ? check_bound(spec) : check_values(spec, key);
}

}  // namespace tenon::model

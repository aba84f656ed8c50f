// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/selectors.h"

#include <algorithm>
#include <charconv>

#include "json/json.h"

namespace tenon::kubesim {
namespace {

std::optional<int64_t> to_int(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

LabelRule::Op parse_op(std::string_view op) {
  using Op = LabelRule::Op;
  if (op == "In") return Op::kIn;
  if (op == "NotIn") return Op::kNotIn;
  if (op == "Exists") return Op::kExists;
  if (op == "DoesNotExist") return Op::kDoesNotExist;
  if (op == "Gt") return Op::kGt;
  if (op == "Lt") return Op::kLt;
  return Op::kNever;
}

std::vector<LabelRule> parse_rules(const json::array& expressions) {
  std::vector<LabelRule> rules;
  for (const json::value& expression : expressions) {
    LabelRule rule;
    rule.key = json::string_at(expression, {"key"});
    rule.op = parse_op(json::string_at(expression, {"operator"}));
    for (const json::value& value : json::array_at(expression, {"values"}))
      if (value.is_string()) rule.values.emplace_back(value.get_string());
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::optional<std::string_view> label(const json::object& labels, std::string_view key) {
  const json::value* value = labels.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

bool all_match(const std::vector<LabelRule>& rules, const json::object& labels) {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const LabelRule& rule) { return rule.matches(label(labels, rule.key)); });
}

// An empty term matches nothing.
bool term_matches(const NodeTerm& term, std::string_view name, const json::object& labels) {
  if (term.expressions.empty() && term.fields.empty()) return false;
  const bool fields = std::all_of(term.fields.begin(), term.fields.end(), [&](const LabelRule& rule) {
    return rule.key == "metadata.name" && rule.matches(name);
  });
  return fields && all_match(term.expressions, labels);
}

NodeTerm parse_term(const json::value& term) {
  return {parse_rules(json::array_at(term, {"matchExpressions"})), parse_rules(json::array_at(term, {"matchFields"}))};
}

}  // namespace

bool LabelRule::matches(const std::optional<std::string_view>& value) const {
  const auto listed = [&] { return std::find(values.begin(), values.end(), *value) != values.end(); };
  const auto compare = [&](auto less) {
    const auto have = value ? to_int(*value) : std::nullopt;
    const auto bound = values.size() == 1 ? to_int(values[0]) : std::nullopt;
    return have && bound && less(*have, *bound);
  };
  switch (op) {
    case Op::kIn: return value && listed();
    case Op::kNotIn: return !value || !listed();
    case Op::kExists: return value.has_value();
    case Op::kDoesNotExist: return !value.has_value();
    case Op::kGt: return compare([](int64_t a, int64_t b) { return a > b; });
    case Op::kLt: return compare([](int64_t a, int64_t b) { return a < b; });
    case Op::kNever: break;
  }
  return false;
}

LabelSelector LabelSelector::parse(const json::value* selector) {
  LabelSelector result;
  if (selector == nullptr || !selector->is_object()) return result;
  result.nothing_ = false;
  result.rules_ = parse_rules(json::array_at(*selector, {"matchExpressions"}));
  for (const auto& [key, value] : json::object_at(*selector, {"matchLabels"}))
    if (value.is_string()) result.require(key, value.get_string());
  return result;
}

void LabelSelector::require(std::string_view key, std::string_view value) {
  rules_.push_back({std::string(key), LabelRule::Op::kIn, {std::string(value)}});
}

bool LabelSelector::matches(const json::object& labels) const { return !nothing_ && all_match(rules_, labels); }

NodeAffinity NodeAffinity::parse(const json::value& pod_spec) {
  NodeAffinity result;
  for (const auto& [key, value] : json::object_at(pod_spec, {"nodeSelector"}))
    if (value.is_string())
      result.selector.push_back({std::string(key), LabelRule::Op::kIn, {std::string(value.get_string())}});
  const json::value* required =
      json::find(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (required != nullptr && required->is_object()) {
    result.has_required = true;
    result.required = parse_node_terms(required);
  }
  for (const json::value& entry :
       json::array_at(pod_spec, {"affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"}))
    if (const json::value* term = json::find(entry, {"preference"}))
      result.preferred.emplace_back(json::int_at(entry, {"weight"}), parse_term(*term));
  return result;
}

bool NodeAffinity::matches(std::string_view node_name, const json::object& node_labels) const {
  if (!all_match(selector, node_labels)) return false;
  return !has_required || any_term_matches(required, node_name, node_labels);
}

int64_t NodeAffinity::preference(std::string_view node_name, const json::object& node_labels) const {
  int64_t sum = 0;
  for (const auto& [weight, term] : preferred)
    if (term_matches(term, node_name, node_labels)) sum += weight;
  return sum;
}

std::vector<NodeTerm> parse_node_terms(const json::value* node_selector) {
  std::vector<NodeTerm> terms;
  if (node_selector == nullptr) return terms;
  for (const json::value& term : json::array_at(*node_selector, {"nodeSelectorTerms"}))
    terms.push_back(parse_term(term));
  return terms;
}

bool any_term_matches(const std::vector<NodeTerm>& terms, std::string_view name, const json::object& labels) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeTerm& term) { return term_matches(term, name, labels); });
}

bool Toleration::tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (key.empty() && !exists) return false;
  return exists || value == taint.value;
}

std::vector<Taint> taints_of(const json::value& node) {
  std::vector<Taint> taints;
  for (const json::value& taint : json::array_at(node, {"spec", "taints"}))
    taints.push_back({std::string(json::string_at(taint, {"key"})), std::string(json::string_at(taint, {"value"})),
                      std::string(json::string_at(taint, {"effect"}))});
  return taints;
}

std::vector<Toleration> tolerations_of(const json::value& pod_spec) {
  std::vector<Toleration> tolerations;
  for (const json::value& entry : json::array_at(pod_spec, {"tolerations"})) {
    Toleration toleration;
    toleration.key = json::string_at(entry, {"key"});
    toleration.value = json::string_at(entry, {"value"});
    toleration.effect = json::string_at(entry, {"effect"});
    toleration.exists = json::string_at(entry, {"operator"}) == "Exists";
    const json::value* seconds = json::find(entry, {"tolerationSeconds"});
    if (seconds != nullptr && seconds->is_number()) toleration.seconds = json::int_at(entry, {"tolerationSeconds"});
    tolerations.push_back(std::move(toleration));
  }
  return tolerations;
}

bool tolerated(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return toleration.tolerates(taint); });
}

}  // namespace tenon::kubesim

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/base/names.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

// Reads the tokens of a selector: words, parentheses, commas and operators.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool done() {
    skip_space();
    return at_ >= text_.size();
  }
  bool eat(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view word() {
    skip_space();
    const size_t end = std::min(text_.find_first_of("=!,()<> \t", at_), text_.size());
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

tl::unexpected<ApiError> bad_selector(std::string_view why) {
  return refuse(bad_request("unable to parse requirement: " + std::string(why)));
}

std::string found(Reader& reader) { return "found '" + std::string(reader.word()) + "'"; }

std::string invalid_part(const std::string& part, const std::string& text, const std::string& why) {
  return part + ": Invalid value: " + schema::quote(text) + ": " + why;
}

Answer<std::vector<std::string>> parse_set(Reader& reader) {
  std::vector<std::string> values;
  if (!reader.eat("(")) return bad_selector(found(reader) + " expected: '('");
  do {
    values.emplace_back(reader.word());
  } while (reader.eat(","));
  if (!reader.eat(")")) return bad_selector(found(reader) + ", expected: ',' or ')'");
  return values;
}

// Parses an operator and its values after a key. Without an operator, the key must exist.
Done parse_operator(Reader& reader, LabelTerm& term) {
  using Op = LabelTerm::Op;
  static constexpr std::pair<std::string_view, Op> kOperators[] = {
      {"==", Op::kIn}, {"=", Op::kIn}, {"!=", Op::kNotIn}, {">", Op::kGreater}, {"<", Op::kLess}};
  for (const auto& [token, op] : kOperators) {
    if (!reader.eat(token)) continue;
    term.op = op;
    term.values = {std::string(reader.word())};
    return {};
  }
  const std::string_view word = reader.word();
  if (word.empty()) return {};
  if (word != "in" && word != "notin")
    return bad_selector("found '" + std::string(word) + "', expected: in, notin, =, ==, !=, gt, lt");
  term.op = word == "in" ? Op::kIn : Op::kNotIn;
  term.values = TRY_API(parse_set(reader));
  return {};
}

Answer<LabelTerm> parse_term(Reader& reader) {
  LabelTerm term;
  const bool absent = reader.eat("!");
  term.key = reader.word();
  if (auto wrong = check_qualified_name(term.key)) return bad_selector(invalid_part("key", term.key, *wrong));
  if (absent)
    term.op = LabelTerm::Op::kNotExists;
  else
    TRY_API(parse_operator(reader, term));
  for (size_t i = 0; i < term.values.size(); ++i) {
    if (auto wrong = check_label_value(term.values[i])) {
      return bad_selector(invalid_part(fmt::format("values[{}][{}]", i, term.key), term.values[i], *wrong));
    }
  }
  return term;
}

std::optional<int64_t> to_int(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool term_matches(const LabelTerm& term, const std::optional<std::string_view>& label) {
  using Op = LabelTerm::Op;
  const auto listed = [&] { return std::count(term.values.begin(), term.values.end(), *label) != 0; };
  switch (term.op) {
    case Op::kIn: return label && listed();
    case Op::kNotIn: return !label || !listed();
    case Op::kExists: return label.has_value();
    case Op::kNotExists: return !label;
    case Op::kGreater:
    case Op::kLess: break;
  }
  if (!label || term.values.empty()) return false;
  const auto have = to_int(*label), bound = to_int(term.values[0]);
  return have && bound && (term.op == Op::kGreater ? *have > *bound : *have < *bound);
}

bool is_selectable(const ResourceInfo& info, std::string_view field) {
  if (field == "metadata.name" || (field == "metadata.namespace" && info.namespaced)) return true;
  return std::count(info.selectable_fields.begin(), info.selectable_fields.end(), field) != 0;
}

// Returns the text of a field as in fields.Set: "" for a missing field, "false" for a missing boolean.
std::string field_text(const value& object, const std::vector<std::string>& path) {
  const value* at = &object;
  for (const std::string& step : path) {
    at = at->is_object() ? at->get_object().if_contains(step) : nullptr;
    if (at == nullptr) return path.back() == "unschedulable" || path.back() == "hostNetwork" ? "false" : "";
  }
  if (path.back() == "source" && at->is_object()) return std::string(json::string_at(*at, {"component"}));
  return at->is_string() ? std::string(at->get_string()) : json::to_string(*at);
}

}  // namespace

Answer<Labels> Labels::parse(std::string_view text) {
  Labels result;
  Reader reader(text);
  if (reader.done()) return result;
  do {
    result.terms_.push_back(TRY_API(parse_term(reader)));
  } while (reader.eat(","));
  if (!reader.done()) return bad_selector(found(reader) + ", expected: ',' or 'end of string'");
  return result;
}

Labels Labels::of_selector(const value* selector) {
  using Op = LabelTerm::Op;
  Labels result;
  result.nothing_ = selector == nullptr || !selector->is_object();
  if (result.nothing_) return result;
  for (const auto& label : json::object_at(*selector, {"matchLabels"})) {
    result.terms_.push_back({std::string(label.key()),
                             Op::kIn,
                             {std::string(label.value().is_string() ? label.value().get_string() : "")}});
  }
  for (const value& expression : json::array_at(*selector, {"matchExpressions"})) {
    const std::string_view op = json::string_at(expression, {"operator"});
    LabelTerm term{std::string(json::string_at(expression, {"key"})), Op::kExists, {}};
    if (op == "In")
      term.op = Op::kIn;
    else if (op == "NotIn")
      term.op = Op::kNotIn;
    else if (op == "DoesNotExist")
      term.op = Op::kNotExists;
    for (const value& wanted : json::array_at(expression, {"values"})) {
      if (wanted.is_string()) term.values.emplace_back(wanted.get_string());
    }
    result.terms_.push_back(std::move(term));
  }
  return result;
}

bool Labels::matches(const value& object) const {
  if (nothing_) return false;
  if (terms_.empty()) return true;
  const auto& labels = json::object_at(object, {"metadata", "labels"});
  return std::all_of(terms_.begin(), terms_.end(), [&](const LabelTerm& term) {
    const value* label = labels.if_contains(term.key);
    const bool present = label != nullptr && label->is_string();
    return term_matches(term, present ? std::optional(std::string_view(label->get_string())) : std::nullopt);
  });
}

Answer<Fields> Fields::parse(const ResourceInfo& info, std::string_view text) {
  Fields result;
  if (trim(text).empty()) return result;
  for (std::string_view part : split(text, ',')) {
    const size_t bang = part.find("!=");
    Term term;
    term.equal = bang == std::string_view::npos;
    const size_t cut_at = term.equal ? part.find('=') : bang;
    if (cut_at == std::string_view::npos) {
      return refuse(
          bad_request("invalid selector: '" + std::string(part) + "'; can't understand '" + std::string(part) + "'"));
    }
    const std::string_view field = trim(part.substr(0, cut_at));
    std::string_view wanted = part.substr(cut_at + (term.equal ? 1 : 2));
    if (term.equal && wanted.starts_with('=')) wanted.remove_prefix(1);
    if (!is_selectable(info, field)) {
      return refuse(bad_request("field label not supported: " + std::string(field)));
    }
    for (std::string_view step : split(field, '.')) term.path.emplace_back(step);
    if (field == "reportingComponent" && info.group.empty()) term.path = {"source", "component"};
    term.wanted = trim(wanted);
    result.terms_.push_back(std::move(term));
  }
  return result;
}

bool Fields::matches(const value& object) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return (field_text(object, term.path) == term.wanted) == term.equal; });
}

}  // namespace tenon::kubesim::apiserver

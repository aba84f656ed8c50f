// SPDX-License-Identifier: Apache-2.0
#include "schema/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/equal.h"
#include "json/json.h"
#include "schema/causes.h"
#include "schema/validate.h"

namespace tenon::schema {
namespace {

using cel::DeclType;
using DeclPtr = std::shared_ptr<const DeclType>;

constexpr size_t kSelf = 0, kOldSelf = 1;      // the variables of a rule
constexpr size_t kMaxMessageBytes = 5 * 1024;  // of the result of a messageExpression

DeclPtr scalar(DeclType::Kind kind, bool nullable = false) {
  auto out = std::make_shared<DeclType>();
  out->kind = kind;
  out->nullable = nullable;
  return out;
}

// Rules can read the name of a resource even if the schema does not declare it.
void add_meta(DeclType& type) {
  const DeclPtr text = scalar(DeclType::Kind::kString);
  auto metadata = std::make_shared<DeclType>();
  metadata->kind = DeclType::Kind::kObject;
  metadata->fields = {{"name", {"name", text}}, {"generateName", {"generateName", text}}};
  type.fields["apiVersion"] = {"apiVersion", text};
  type.fields["kind"] = {"kind", text};
  type.fields["metadata"] = {"metadata", metadata};
}

DeclType::Kind string_kind(std::string_view format) {
  if (format == "byte") return DeclType::Kind::kBytes;
  if (format == "duration") return DeclType::Kind::kDuration;
  if (format == "date") return DeclType::Kind::kDate;
  if (format == "date-time") return DeclType::Kind::kTimestamp;
  return DeclType::Kind::kString;
}

std::string escaped_or_same(const std::string& name) { return cel::escape(name).value_or(name); }

Status build_decl(Node& node, bool resource);

Result<DeclPtr> object_decl(Node& node, bool resource) {
  auto out = std::make_shared<DeclType>();
  out->nullable = node.nullable;
  for (const auto& [name, property] : node.properties) {
    TRY(build_decl(*property, property->embedded));
    const std::optional<std::string> escaped = cel::escape(name);
    if (escaped && property->decl) out->fields[*escaped] = {name, property->decl};
  }
  if (node.additional) TRY(build_decl(*node.additional, node.additional->embedded));
  if (node.additional && node.properties.empty()) {
    out->kind = DeclType::Kind::kMap;
    out->element = node.additional->decl;
    return out->element ? DeclPtr(out) : nullptr;
  }
  out->kind = DeclType::Kind::kObject;
  if (resource) add_meta(*out);
  return DeclPtr(out);
}

Result<DeclPtr> list_decl(Node& node) {
  if (!node.items) return DeclPtr();
  TRY(build_decl(*node.items, node.items->embedded));
  if (!node.items->decl) return DeclPtr();
  auto out = std::make_shared<DeclType>();
  out->kind = DeclType::Kind::kList;
  out->nullable = node.nullable;
  out->element = node.items->decl;
  out->list_kind = node.list_kind;
  for (const std::string& key : node.list_keys) out->list_keys.push_back(escaped_or_same(key));
  return DeclPtr(out);
}

Status build_decl(Node& node, bool resource) {
  if (node.int_or_string) {
    node.decl = scalar(DeclType::Kind::kIntOrString, node.nullable);
  } else if (node.type == "object") {
    node.decl = TRY(object_decl(node, resource));
  } else if (node.type == "array") {
    node.decl = TRY(list_decl(node));
  } else if (node.type == "string") {
    node.decl = scalar(string_kind(node.format), node.nullable);
  } else if (node.type == "boolean") {
    node.decl = scalar(DeclType::Kind::kBool, node.nullable);
  } else if (node.type == "number") {
    node.decl = scalar(DeclType::Kind::kDouble, node.nullable);
  } else if (node.type == "integer") {
    node.decl = scalar(DeclType::Kind::kInt, node.nullable);
  }
  return ok();
}

Status compile_rule(Rule& rule, const DeclPtr& self, const std::string& where) {
  const DeclPtr old = rule.optional_old_self ? scalar(DeclType::Kind::kDyn) : self;
  const std::vector<cel::Variable> variables = {{"self", self}, {"oldSelf", old}};
  rule.program = TRY_IN(where + ".rule", cel::Program::compile(rule.text, variables));
  rule.uses_old_self = rule.program->uses(kOldSelf);
  const DeclType* result = rule.program->result_type();
  const bool open_type =
      !result || result->kind == DeclType::Kind::kDyn || result->kind == DeclType::Kind::kIntOrString;
  if (!open_type && result->kind != DeclType::Kind::kBool)
    return fail(Code::kInvalid, fmt::format("{}.rule: must evaluate to a bool, not to {}", where, result->name()));
  if (!rule.message_expression.empty())
    rule.message_program =
        TRY_IN(where + ".messageExpression", cel::Program::compile(rule.message_expression, variables));
  return ok();
}

bool looks_back(const Rule& rule) { return rule.uses_old_self || rule.optional_old_self; }

// Moves the rules inside allOf to the node of the value itself: only that node has a type.
void hoist(Node& branch, Node& node) {
  for (const Rule& rule : branch.rules) node.rules.push_back(rule);
  branch.rules.clear();
  for (const auto& [name, property] : branch.properties)
    if (const auto found = node.properties.find(name); found != node.properties.end()) hoist(*property, *found->second);
  if (branch.items && node.items) hoist(*branch.items, *node.items);
  if (branch.additional && node.additional) hoist(*branch.additional, *node.additional);
  for (const Node::Ptr& nested : branch.all_of) hoist(*nested, node);
}

Status compile_all(Node& node, const std::string& path) {
  for (const Node::Ptr& branch : node.all_of) hoist(*branch, node);
  for (size_t i = 0; i < node.rules.size(); ++i) {
    const std::string where = fmt::format("{}.x-kubernetes-validations[{}]", path, i);
    if (!node.decl) return fail(Code::kInvalid, where + ": rules need a schema with a type");
    TRY(compile_rule(node.rules[i], node.decl, where));
  }
  node.rules_below = !node.rules.empty();
  node.transitions_below =
      std::any_of(node.rules.begin(), node.rules.end(), [](const Rule& rule) { return looks_back(rule); });
  const auto below = [&](const Node::Ptr& next, const std::string& name) -> Status {
    TRY(compile_all(*next, fmt::format("{}.{}", path, name)));
    node.rules_below = node.rules_below || next->rules_below;
    node.transitions_below = node.transitions_below || next->transitions_below;
    return ok();
  };
  for (const auto& [name, property] : node.properties) TRY(below(property, fmt::format("properties[{}]", name)));
  if (node.items) TRY(below(node.items, "items"));
  if (node.additional) TRY(below(node.additional, "additionalProperties"));
  return ok();
}

std::string shown(const Rule& rule) { return std::string(trim(rule.message.empty() ? rule.text : rule.message)); }
std::string message_of(const Rule& rule) { return rule.message.empty() ? "failed rule: " + shown(rule) : shown(rule); }

// A value and its old counterpart.
struct Place {
  const json::value* value;
  const json::value* old;  // the counterpart in the old object; null if it has none
  const Node* node;
  std::string path;
  bool unchanged;  // the value, or the nearest value above that has a counterpart, equals its counterpart
};

class Rules {
 public:
  std::vector<Cause> causes;

  explicit Rules(bool old_held) : old_held_(old_held) {}

  void check(const Place& place) {
    if (stopped_ || place.value->is_null() || !asks(*place.node, place.unchanged)) return;
    const bool held = old_held_ && place.unchanged;
    for (const Rule& rule : place.node->rules) {
      if (!held || looks_back(rule)) run(rule, place);
    }
    if (place.value->is_array()) check_items(place);
    if (place.value->is_object()) check_members(place);
  }

 private:
  // Whether any rule of the node or of the nodes below must be evaluated.
  bool asks(const Node& node, bool unchanged) const {
    return old_held_ && unchanged ? node.transitions_below : node.rules_below;
  }

  void check_items(const Place& place) {
    const Node& node = *place.node;
    const json::array& items = place.value->get_array();
    if (!node.items || !node.items->rules_below) return;
    for (size_t i = 0; i < items.size(); ++i) {
      const json::value* old = old_item(node, place.old, items[i]);
      const bool unchanged = old ? json::equal(*old, items[i]) : place.unchanged;
      if (asks(*node.items, unchanged))
        check({&items[i], old, node.items.get(), fmt::format("{}[{}]", place.path, i), unchanged});
    }
  }

  void check_members(const Place& place) {
    const Node& node = *place.node;
    const json::object* before = place.old && place.old->is_object() ? &place.old->get_object() : nullptr;
    for (const auto& member : place.value->get_object()) {
      const std::string_view key = member.key();
      const Node* next = child(node, key);
      if (!next || !next->rules_below) continue;
      const json::value* old = before ? before->if_contains(key) : nullptr;
      const bool unchanged = old ? json::equal(*old, member.value()) : place.unchanged;
      if (!asks(*next, unchanged)) continue;
      const bool property = node.properties.contains(key);
      const std::string path = property ? fmt::format("{}{}{}", place.path, place.path.empty() ? "" : ".", key)
                                        : fmt::format("{}[{}]", place.path, key);
      check({&member.value(), old, next, path, unchanged});
    }
  }

  void refuse(const Place& place, std::string_view detail) {
    if (causes.size() < kMaxCauses) causes.push_back(invalid(place.path, json::value(place.node->type), detail));
  }
  void stop(const Place& place, std::string_view detail) {
    stopped_ = true;
    refuse(place, detail);
  }

  Result<std::vector<cel::Value>> variables(const Rule& rule, const Place& place, const DeclType& decl) {
    std::vector<cel::Value> out(2);
    out[kSelf] = TRY(cel::to_cel(*place.value, decl));
    const bool has_old = place.old && !place.old->is_null();
    if (rule.optional_old_self) {
      cel::Optional old;
      if (has_old) old.value = std::make_shared<const cel::Value>(TRY(cel::to_cel(*place.old, decl)));
      out[kOldSelf] = cel::Value(std::move(old));
    } else if (has_old && rule.uses_old_self) {
      out[kOldSelf] = TRY(cel::to_cel(*place.old, decl));
    }
    return out;
  }

  void run(const Rule& rule, const Place& place) {
    if (stopped_) return;
    const bool has_old = place.old && !place.old->is_null();
    if (rule.uses_old_self && !has_old && !rule.optional_old_self) return;
    cel::Budget budget(std::min(cel::kMaxStepsPerCall, left_));
    const int64_t granted = budget.left();
    Result<std::vector<cel::Value>> values = variables(rule, place, *place.node->decl);
    Result<cel::Value> result =
        values ? rule.program->evaluate(*values, budget) : Result<cel::Value>(fail(values.error()));
    if (!result && result.error().code == Code::kThrottled) {
      return granted < cel::kMaxStepsPerCall
                 ? stop(place,
                        "validation failed due to running out of cost budget, no further validation rules will be run")
                 : stop(place,
                        fmt::format(
                            "'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                            result.error().message, shown(rule)));
    }
    left_ -= granted - budget.left();
    if (!result) {
      const std::string& error = result.error().message;
      const bool overload = error.starts_with("no such overload");
      refuse(place, overload ? fmt::format("'{}': call arguments did not match a supported operator, function or macro "
                                           "signature for rule: {}",
                                           error, shown(rule))
                             : fmt::format("{} evaluating rule: {}", error, shown(rule)));
      return;
    }
    const bool* holds = result->get<bool>();
    if (holds && *holds) return;
    if (place.unchanged && !rule.uses_old_self) return;
    report(rule, place, *values);
  }

  void report(const Rule& rule, const Place& place, const std::vector<cel::Value>& values) {
    if (causes.size() >= kMaxCauses) return;
    const json::value type(place.node->type);
    const std::string field =
        place.path + (place.path.empty() && rule.field.starts_with('.') ? rule.field.substr(1) : rule.field);
    const std::string detail = rule.message_program ? expressed(rule, values) : message_of(rule);
    if (rule.reason == "FieldValueForbidden") {
      causes.push_back(forbidden(field, detail));
    } else if (rule.reason == "FieldValueRequired") {
      causes.push_back(required(field, detail));
    } else if (rule.reason == "FieldValueDuplicate") {
      causes.push_back(duplicate(field, type));
    } else {
      causes.push_back(invalid(field, type, detail));
    }
  }

  // Returns the result of messageExpression, or the plain message if the result is no valid single line.
  std::string expressed(const Rule& rule, const std::vector<cel::Value>& values) {
    cel::Budget budget(std::min(cel::kMaxStepsPerCall, left_));
    const int64_t granted = budget.left();
    const Result<cel::Value> result = rule.message_program->evaluate(values, budget);
    left_ -= granted - std::max<int64_t>(budget.left(), 0);
    const auto* text = result ? result->get<std::string>() : nullptr;
    const std::string_view trimmed = text ? trim(*text) : std::string_view();
    if (trimmed.empty() || trimmed.size() > kMaxMessageBytes || trimmed.find('\n') != std::string_view::npos)
      return message_of(rule);
    return std::string(trimmed);
  }

  const bool old_held_;
  int64_t left_ = cel::kMaxStepsPerObject;
  bool stopped_ = false;
};

}  // namespace

Status compile_rules(Node& root) {
  TRY(build_decl(root, true));
  return compile_all(root, "openAPIV3Schema");
}

std::vector<Cause> validate_rules(const json::value& object, const json::value* old, bool old_held, const Node& root) {
  Rules rules(old_held);
  rules.check({&object, old, &root, "", old && json::equal(*old, object)});
  return std::move(rules.causes);
}

}  // namespace tenon::schema

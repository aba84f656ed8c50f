// Reads an openAPIV3Schema.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "json/json.h"
#include "schema/formats.h"
#include "schema/node.h"

namespace tenon::schema {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"array", "boolean", "integer", "number", "object", "string"};

class Compiler {
 public:
  Result<Node::Ptr> node(const json::value& schema, const std::string& path, int depth) {
    if (!schema.is_object()) return fail(Code::kInvalid, path + ": must be an object");
    if (depth > kMaxSchemaDepth)
      return fail(Code::kInvalid, fmt::format("{}: deeper than {} levels", path, kMaxSchemaDepth));
    if (++nodes_ > kMaxNodes) return fail(Code::kInvalid, fmt::format("{}: more than {} schemas", path, kMaxNodes));
    auto out = std::make_unique<Node>();
    TRY(kind(schema, path, *out));
    TRY(bounds(schema, path, *out));
    TRY(lists(schema, path, *out));
    TRY(rules(schema, path, *out));
    TRY(children(schema, path, depth, *out));
    return out;
  }

 private:
  static tl::unexpected<Error> wrong(const std::string& path, std::string_view key, std::string_view what) {
    return fail(Code::kInvalid, fmt::format("{}.{}: {}", path, key, what));
  }

  Status kind(const json::value& schema, const std::string& path, Node& out) {
    out.type = json::string_at(schema, {"type"});
    out.nullable = json::bool_at(schema, {"nullable"});
    out.int_or_string = json::bool_at(schema, {"x-kubernetes-int-or-string"});
    out.preserve_unknown = json::bool_at(schema, {"x-kubernetes-preserve-unknown-fields"});
    out.embedded = json::bool_at(schema, {"x-kubernetes-embedded-resource"});
    if (!out.type.empty() && std::find(kTypes.begin(), kTypes.end(), out.type) == kTypes.end())
      return wrong(path, "type", fmt::format("unknown type \"{}\"", out.type));
    if (json::find(schema, {"$ref"})) return wrong(path, "$ref", "references are not allowed");
    if (out.int_or_string) {
      out.types = {"integer", "string"};
    } else if (!out.type.empty()) {
      out.types = {out.type};
    }
    const std::string_view format = json::string_at(schema, {"format"});
    if (known_format(format)) out.format = format;
    if (const json::value* value = json::find(schema, {"default"}))
      out.default_value = std::make_shared<json::value>(*value);
    const json::value* allowed = json::find(schema, {"enum"});
    if (allowed && !allowed->is_array()) return wrong(path, "enum", "must be a list");
    if (allowed && !allowed->get_array().empty()) out.allowed = std::make_shared<json::value>(*allowed);
    return ok();
  }

  static Status count(const json::value& schema, const std::string& path, std::string_view key,
                      std::optional<int64_t>& out) {
    const json::value* found = json::find(schema, {key});
    if (!found) return ok();
    if (!found->is_int64() || found->get_int64() < 0) return wrong(path, key, "must be a whole number, not negative");
    out = found->get_int64();
    return ok();
  }
  static Status real(const json::value& schema, const std::string& path, std::string_view key,
                     std::optional<double>& out) {
    const json::value* found = json::find(schema, {key});
    if (!found) return ok();
    if (!found->is_number()) return wrong(path, key, "must be a number");
    out = found->to_number<double>();
    return ok();
  }

  Status bounds(const json::value& schema, const std::string& path, Node& out) {
    TRY(count(schema, path, "minLength", out.min_length));
    TRY(count(schema, path, "maxLength", out.max_length));
    TRY(count(schema, path, "minItems", out.min_items));
    TRY(count(schema, path, "maxItems", out.max_items));
    TRY(count(schema, path, "minProperties", out.min_properties));
    TRY(count(schema, path, "maxProperties", out.max_properties));
    TRY(real(schema, path, "minimum", out.minimum));
    TRY(real(schema, path, "maximum", out.maximum));
    TRY(real(schema, path, "multipleOf", out.multiple_of));
    if (out.multiple_of && *out.multiple_of <= 0) return wrong(path, "multipleOf", "must be positive");
    out.exclusive_minimum = json::bool_at(schema, {"exclusiveMinimum"});
    out.exclusive_maximum = json::bool_at(schema, {"exclusiveMaximum"});
    out.unique_items = json::bool_at(schema, {"uniqueItems"});
    for (const json::value& name : json::array_at(schema, {"required"})) {
      if (!name.is_string()) return wrong(path, "required", "must be a list of strings");
      out.required.emplace_back(name.get_string());
    }
    const json::value* pattern = json::find(schema, {"pattern"});
    if (!pattern) return ok();
    if (!pattern->is_string()) return wrong(path, "pattern", "must be a string");
    Pattern compiled{std::string(pattern->get_string()), nullptr};
    compiled.compiled = std::make_shared<re2::RE2>(compiled.text, re2::RE2::Quiet);
    if (!compiled.compiled->ok()) return wrong(path, "pattern", compiled.compiled->error());
    if (!compiled.text.empty()) out.pattern = std::move(compiled);
    return ok();
  }

  Status lists(const json::value& schema, const std::string& path, Node& out) {
    const std::string_view kind = json::string_at(schema, {"x-kubernetes-list-type"});
    if (kind == "set") out.list_kind = cel::List::Kind::kSet;
    if (kind == "map") out.list_kind = cel::List::Kind::kMap;
    if (!kind.empty() && kind != "set" && kind != "map" && kind != "atomic")
      return wrong(path, "x-kubernetes-list-type", fmt::format("unknown type \"{}\"", kind));
    for (const json::value& key : json::array_at(schema, {"x-kubernetes-list-map-keys"}))
      if (key.is_string()) out.list_keys.emplace_back(key.get_string());
    if (kind == "map" && out.list_keys.empty()) return wrong(path, "x-kubernetes-list-map-keys", "must not be empty");
    return ok();
  }

  static Status rules(const json::value& schema, const std::string& path, Node& out) {
    for (const json::value& rule : json::array_at(schema, {"x-kubernetes-validations"})) {
      Rule compiled;
      compiled.text = json::string_at(rule, {"rule"});
      compiled.message = json::string_at(rule, {"message"});
      compiled.message_expression = json::string_at(rule, {"messageExpression"});
      compiled.reason = json::string_at(rule, {"reason"});
      compiled.field = json::string_at(rule, {"fieldPath"});
      compiled.optional_old_self = json::bool_at(rule, {"optionalOldSelf"});
      if (compiled.text.empty()) return wrong(path, "x-kubernetes-validations", "a rule is empty");
      out.rules.push_back(std::move(compiled));
    }
    return ok();
  }

  Status children(const json::value& schema, const std::string& path, int depth, Node& out) {
    if (const json::value* properties = json::find(schema, {"properties"})) {
      if (!properties->is_object()) return wrong(path, "properties", "must be an object");
      for (const auto& property : properties->get_object()) {
        const std::string name(property.key());
        out.properties[name] = TRY(node(property.value(), fmt::format("{}.properties[{}]", path, name), depth + 1));
      }
    }
    if (const json::value* items = json::find(schema, {"items"}))
      out.items = TRY(node(*items, path + ".items", depth + 1));
    if (const json::value* additional = json::find(schema, {"additionalProperties"})) {
      if (additional->is_bool()) {
        out.any_additional = true;  // also for false: a forbidden property is an error and is not pruned
        out.no_additional = !additional->get_bool();
      } else {
        out.additional = TRY(node(*additional, path + ".additionalProperties", depth + 1));
      }
    }
    TRY(branches(schema, {path, "allOf", depth}, out.all_of));
    TRY(branches(schema, {path, "anyOf", depth}, out.any_of));
    TRY(branches(schema, {path, "oneOf", depth}, out.one_of));
    if (const json::value* negated = json::find(schema, {"not"}))
      out.negated = TRY(node(*negated, path + ".not", depth + 1));
    return ok();
  }

  struct Branch {
    const std::string& path;
    std::string_view key;
    int depth;
  };
  Status branches(const json::value& schema, const Branch& branch, std::vector<Node::Ptr>& out) {
    const json::value* found = json::find(schema, {branch.key});
    if (!found) return ok();
    if (!found->is_array()) return wrong(branch.path, branch.key, "must be a list");
    for (const json::value& each : found->get_array())
      out.push_back(TRY(node(each, fmt::format("{}.{}[{}]", branch.path, branch.key, out.size()), branch.depth + 1)));
    return ok();
  }

  size_t nodes_ = 0;
};

}  // namespace

Result<Node::Ptr> compile_node(const json::value& schema) { return Compiler().node(schema, "openAPIV3Schema", 1); }

const Node* child(const Node& node, std::string_view name) {
  const auto property = node.properties.find(name);
  if (property != node.properties.end()) return property->second.get();
  return node.additional.get();
}

}  // namespace tenon::schema

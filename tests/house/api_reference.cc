// SPDX-License-Identifier: Apache-2.0
#include "api_reference.h"

#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"
#include "schema/builtin_crds.h"

namespace tenon::house {
namespace {

using json::object;
using json::value;

constexpr std::string_view kHead = R"(# API

<!-- Made from deploy/crds. The test ApiReference.IsThePageInTheDocuments says how to update it. -->

Every field of every kind and version. `[]` is an item of a list, `{}` a value of a map. What Tenon does with each field
is in [compatibility.md](../compatibility.md). A *required* field is required where its parent is set.
)";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

// Returns a text for a cell of a table: one line, without a character that ends the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : c == '\n' ? std::string(" ") : std::string(1, c);
  return std::string(trim(out));
}

const value* find(const object& schema, std::string_view key) {
  const auto* at = schema.find(key);
  return at == schema.end() ? nullptr : &at->value();
}

std::string shown(const value& v) { return v.is_string() ? std::string(v.as_string()) : boost::json::serialize(v); }

std::string type_of(const object& schema) {
  if (find(schema, "x-kubernetes-int-or-string") != nullptr) return "integer or string";
  if (const value* items = find(schema, "items")) return "list of " + type_of(items->as_object());
  if (const value* values = find(schema, "additionalProperties"); values != nullptr && values->is_object()) {
    return "map of " + type_of(values->as_object());
  }
  std::string type(json::string_at(schema, {"type"}));
  if (const value* format = find(schema, "format")) type += " (" + shown(*format) + ")";
  return type.empty() ? "any" : type;
}

// Appends what the schema itself checks. The path of an item's rules is that of the item's own row.
void add_rules(const object& schema, std::vector<std::string>& rules) {
  if (const value* allowed = find(schema, "enum")) {
    std::vector<std::string> values;
    for (const value& one : allowed->as_array()) values.push_back(code(shown(one)));
    rules.push_back("one of " + join(values, ", "));
  }
  for (const std::string_view key : {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
                                     "minProperties", "maxProperties", "pattern"}) {
    if (const value* limit = find(schema, key)) rules.push_back(std::string(key) + " " + code(cell(shown(*limit))));
  }
  if (const value* any = find(schema, "anyOf")) {
    for (const value& one : any->as_array()) {
      if (find(one.as_object(), "type") == nullptr) rules.push_back("or " + code(cell(boost::json::serialize(one))));
    }
  }
  const value* validations = find(schema, "x-kubernetes-validations");
  if (validations == nullptr) return;
  for (const value& rule : validations->as_array()) {
    const std::string_view message = json::string_at(rule, {"message"});
    rules.push_back(cell(message.empty() ? "rule " + code(json::string_at(rule, {"rule"})) : std::string(message)));
  }
}

class Table {
 public:
  std::string text;

  void add_fields(const object& schema, const std::string& path) {
    const value* properties = find(schema, "properties");
    if (properties == nullptr) return;
    const value* required = find(schema, "required");
    for (const auto& [name, field] : properties->as_object()) {
      bool needed = false;
      for (const value& one : required == nullptr ? json::array() : required->as_array()) needed |= one == value(name);
      add(field.as_object(), path.empty() ? std::string(name) : path + "." + std::string(name), needed);
    }
  }

 private:
  void add(const object& schema, const std::string& path, bool required) {
    const value* fallback = find(schema, "default");
    std::vector<std::string> rules;
    if (required) rules.emplace_back("*required*");
    add_rules(schema, rules);
    const std::string help = cell(json::string_at(schema, {"description"}));
    text += "| " + code(path) + " | " + type_of(schema) + " | " +
            (fallback == nullptr ? "" : code(cell(shown(*fallback)))) + " | " + join(rules, "; ") + " | " + help +
            " |\n";
    add_fields(schema, path);
    if (const value* items = find(schema, "items")) add_parts(items->as_object(), path + "[]");
    if (const value* values = find(schema, "additionalProperties"); values != nullptr && values->is_object()) {
      add_parts(values->as_object(), path + "{}");
    }
  }

  // An item without rules of its own has no row: the type of its list says what it is.
  void add_parts(const object& schema, const std::string& path) {
    std::vector<std::string> rules;
    add_rules(schema, rules);
    if (!rules.empty()) {
      text += "| " + code(path) + " | " + type_of(schema) + " |  | " + join(rules, "; ") + " | " +
              cell(json::string_at(schema, {"description"})) + " |\n";
    }
    add_fields(schema, path);
  }
};

std::string section(const value& crd, const value& version, std::string_view folder) {
  const auto name = json::string_at(crd, {"spec", "names", "kind"});
  const object& schema = version.at("schema").at("openAPIV3Schema").as_object();
  Table table;
  table.add_fields(schema, "");
  return "\n## " + std::string(name) + " (" + std::string(json::string_at(crd, {"spec", "group"})) + "/" +
         std::string(json::string_at(version, {"name"})) + ")\nFrom `" + std::string(folder) + "`. " +
         cell(json::string_at(schema, {"description"})) +
         "\n\n| field | type | default | validation | meaning |\n| --- | --- | --- | --- | --- |\n" + table.text;
}

}  // namespace

Result<std::string> api_reference() {
  struct Folder {
    std::vector<std::pair<std::string_view, std::string_view>> crds;
    std::string_view path, only;  // only: the version that is listed; empty: all
  };
  // The CRDs of v1beta1 also hold v1 as it is in the first folder.
  const Folder folders[] = {{schema::builtin_crds(), "deploy/crds", ""},
                            {schema::optional_crds(), "deploy/crds/optional", ""},
                            {schema::v1beta1_crds(), "deploy/crds/v1beta1", "v1beta1"},
                            {schema::legacy_crds(), "deploy/crds/v0.27", ""}};
  std::string page(kHead);
  for (const Folder& folder : folders) {
    for (const auto& [name, yaml] : folder.crds) {
      for (const value& crd : TRY_IN(std::string(name), json::parse_yaml(yaml))) {
        for (const value& version : crd.at("spec").at("versions").as_array()) {
          const bool listed = folder.only.empty() || json::string_at(version, {"name"}) == folder.only;
          if (listed) page += section(crd, version, std::string(folder.path) + "/" + std::string(name));
        }
      }
    }
  }
  return page;
}

}  // namespace tenon::house

// One compiled node of a structural schema: the constraints of its value, and the nodes below it.
// compile.cc defines the compilation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/cel/cel.h"

namespace tenon::schema {

inline constexpr int kMaxSchemaDepth = 100;   // nodes from the root; Karpenter's deepest has 9
inline constexpr size_t kMaxNodes = 100'000;  // of one schema

struct Rule {
  std::string text;
  std::string message;             // may be empty
  std::string message_expression;  // may be empty
  std::string reason;              // FieldValueInvalid if empty
  std::string field;               // path of the error, relative to this value: ".name"
  bool optional_old_self = false;
  bool uses_old_self = false;
  std::shared_ptr<const cel::Program> program;
  std::shared_ptr<const cel::Program> message_program;
};

struct Pattern {
  std::string text;
  std::shared_ptr<const re2::RE2> compiled;
};

struct Node {
  using Ptr = std::unique_ptr<Node>;

  std::vector<std::string> types;  // of the value: one; {"integer", "string"} for int-or-string; empty: any type
  std::string type;                // as declared, for CEL messages
  std::string format;              // empty if the format is not checked
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown = false;
  bool embedded = false;        // x-kubernetes-embedded-resource
  bool any_additional = false;  // additionalProperties: true or false
  bool no_additional = false;   // additionalProperties: false

  std::shared_ptr<const boost::json::value> default_value;  // null: none
  std::shared_ptr<const boost::json::value> allowed;        // enum, an array; null: none
  std::optional<Pattern> pattern;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false, unique_items = false;
  std::vector<std::string> required;

  std::map<std::string, Ptr, std::less<>> properties;
  Ptr additional;  // additionalProperties as a schema
  Ptr items;
  std::vector<Ptr> all_of, any_of, one_of;
  Ptr negated;

  cel::List::Kind list_kind = cel::List::Kind::kAtomic;
  std::vector<std::string> list_keys;

  std::vector<Rule> rules;
  bool rules_below = false;                   // this node or a node below has rules
  bool transitions_below = false;             // this node or a node below has rules over oldSelf
  std::shared_ptr<const cel::DeclType> decl;  // null: the value is not visible in CEL
};

// Compiles a schema without its rules. Errors: kInvalid, "openAPIV3Schema.properties[spec].pattern: …".
Result<Node::Ptr> compile_node(const boost::json::value& schema);

// Sets Node::decl and compiles the rules of a tree. The root is a resource: rules can read apiVersion, kind,
// metadata.name and metadata.generateName.
Status compile_rules(Node& root);

// Returns the node of a property or key of an object; null if the schema does not declare it.
const Node* child(const Node& node, std::string_view name);

}  // namespace tenon::schema

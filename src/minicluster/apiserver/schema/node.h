// One place of a structural schema, compiled: what the value there may be, and the nodes below it.
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
#include "minicluster/apiserver/cel/cel.h"

namespace tenon::minicluster::schema {

inline constexpr int kMaxSchemaDepth = 100;   // nodes from the root; Karpenter's deepest has 9
inline constexpr size_t kMaxNodes = 100'000;  // of one schema

struct Rule {
  std::string text;
  std::string message;             // may be empty
  std::string message_expression;  // may be empty
  std::string reason;              // FieldValueInvalid if empty
  std::string field;               // path below this value that the error names: ".name"
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

  std::vector<std::string> types;  // of the value: one; {"integer", "string"} for int-or-string; none: any
  std::string type;                // as declared, for CEL messages
  std::string format;              // only if it is one that is checked
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
  bool rules_below = false;                   // here or in a node below
  bool transitions_below = false;             // such that look at oldSelf
  std::shared_ptr<const cel::DeclType> decl;  // null: CEL does not see the value
};

// Errors: kInvalid, "openAPIV3Schema.properties[spec].pattern: …".
Result<Node::Ptr> compile_node(const boost::json::value& schema);

// Fills Node::decl and compiles the rules of a tree, the root as a resource (apiVersion, kind, metadata.name are seen).
Status compile_rules(Node& root);

// The node of a property or key of an object; null if the schema does not say.
const Node* child(const Node& node, std::string_view name);

}  // namespace tenon::minicluster::schema

// The CEL type of a JSON value, from its schema, and the view of a JSON document as CEL values of that type. The
// document is read in place: it must outlive the values.
//
// parity: k8s.io/apiserver pkg/cel/common/{schemas,valuesunstructured}.go, pkg/cel/escaping.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/cel/value.h"

namespace tenon::cel {

struct DeclType {
  enum class Kind {
    kDyn,          // the type of the JSON value
    kIntOrString,  // x-kubernetes-int-or-string
    kNull,
    kBool,
    kInt,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kDate,
    kTimestamp,  // strings with a format
    kList,
    kMap,     // of `element`
    kObject,  // with `fields`; other members are not visible
  };
  struct Field {
    std::string json_name;
    std::shared_ptr<const DeclType> type;
  };

  Kind kind = Kind::kDyn;
  bool nullable = false;
  std::shared_ptr<const DeclType> element;
  std::map<std::string, Field, std::less<>> fields;  // by the name in CEL, see escape()
  List::Kind list_kind = List::Kind::kAtomic;
  std::vector<std::string> list_keys;  // by the name in CEL

  // Returns the field that `name_in_cel` refers to; a reserved word also refers to its escaped form. Null if no such
  // field exists.
  const Field* field(std::string_view name_in_cel) const;
  std::string_view name() const;  // "int", "list", "object", …, for messages
};

// Returns the CEL identifier of a property: "my-prop" is my__dash__prop, "namespace" is __namespace__; std::nullopt if
// the property has no identifier.
std::optional<std::string> escape(std::string_view property);

// Converts a value. Errors: kInvalid if the value is not of the declared type, such as a number instead of a string.
Result<Value> to_cel(const boost::json::value& json, const DeclType& type);

}  // namespace tenon::cel

// The CEL type of a JSON value, from its schema, and the view of a JSON document as CEL values of that type. The
// document is read in place: the values live no longer than it.
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

#include "minicluster/apiserver/cel/value.h"

namespace tenon::minicluster::cel {

struct DeclType {
  enum class Kind {
    kDyn,          // whatever the JSON value is
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
    kObject,  // with `fields`; others are not seen
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

  // The field that an expression means by `name`: a reserved word stands for its escaped form too. Null if there is
  // none.
  const Field* field(std::string_view name_in_cel) const;
  std::string_view name() const;  // "int", "list", "object", …, for messages
};

// The CEL identifier of a property: "my-prop" is my__dash__prop, "namespace" is __namespace__. Nothing if it has none.
std::optional<std::string> escape(std::string_view property);

// Errors (code kInvalid): the value is not what the type says, such as a number where text is declared.
Result<Value> to_cel(const boost::json::value& json, const DeclType& type);

}  // namespace tenon::minicluster::cel

// Sets of fields of an object in the form of metadata.managedFields (FieldsV1): f:name for members, k:{"name":"x"} for
// items of map lists, v:"x" for items of sets, "." for the item itself.
// parity: sigs.k8s.io/structured-merge-diff/v4/fieldpath
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

// A tree; a node is in the set if `member` is true. Value type.
struct FieldSet {
  bool member = false;
  std::map<std::string, FieldSet> children;

  bool empty() const { return !member && children.empty(); }
  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// Returns the leaves of a value (scalars, atomic lists and maps, empty objects and lists) and the items of map lists
// and sets.
FieldSet fields_of(const boost::json::value& object, const Shape& shape);
// Returns the leaves of `after` that differ from `before`. Adds the leaves that exist only in `before` to `removed`,
// unless it is null.
FieldSet changed_fields(const boost::json::value& before, const boost::json::value& after, const Shape& shape,
                        FieldSet* removed);

FieldSet unite(FieldSet a, const FieldSet& b);
FieldSet intersect(const FieldSet& a, const FieldSet& b);
// Returns a without the members of b.
FieldSet subtract(FieldSet a, const FieldSet& b);

// Whether a stored set (FieldsV1) contains all members of `set`, or any of them. Both read only the parts of the stored
// set that they need.
bool covers(const boost::json::value& fields_v1, const FieldSet& set);
bool meets(const boost::json::value& fields_v1, const FieldSet& set);

FieldSet parse_fields_v1(const boost::json::value& fields);
boost::json::value to_fields_v1(const FieldSet& set);

// Returns the paths in the form of conflict messages: .spec.containers[name="c"].image
std::vector<std::string> field_paths(const FieldSet& set);

// Removes the fields of the set from `object`. A list item that is a member is removed as a whole.
void remove_fields(boost::json::value& object, const FieldSet& set, const Shape& shape);
}  // namespace tenon::kubesim::apiserver

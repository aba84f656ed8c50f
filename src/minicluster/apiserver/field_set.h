// Sets of fields of an object, as metadata.managedFields holds them (FieldsV1): f:name for members, k:{"name":"x"} for
// items of map lists, v:"x" for items of sets, "." for the item itself.
// parity: sigs.k8s.io/structured-merge-diff/v4/fieldpath
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "minicluster/apiserver/shape.h"

namespace tenon::minicluster::apiserver {

// A tree; a node is in the set if `member` is true. Value type.
struct FieldSet {
  bool member = false;
  std::map<std::string, FieldSet> children;

  bool empty() const { return !member && children.empty(); }
  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// The leaves of a value: scalars, atomic lists and maps, empty objects; and the items of map lists themselves.
FieldSet fields_of(const boost::json::value& object, const Shape& shape);
// The leaves in which `after` differs from `before`, as far as they exist in `after`; `removed`: those that went.
FieldSet changed_fields(const boost::json::value& before, const boost::json::value& after, const Shape& shape,
                        FieldSet* removed);

FieldSet unite(FieldSet a, const FieldSet& b);
FieldSet intersect(const FieldSet& a, const FieldSet& b);
// a without what is in b.
FieldSet subtract(FieldSet a, const FieldSet& b);

// The same of a set as it is stored (FieldsV1), without reading all of it: whether all of `set`, and whether any of it,
// is in there.
bool covers(const boost::json::value& fields_v1, const FieldSet& set);
bool meets(const boost::json::value& fields_v1, const FieldSet& set);

FieldSet parse_fields_v1(const boost::json::value& fields);
boost::json::value to_fields_v1(const FieldSet& set);

// Paths as conflict messages print them: .spec.containers[name="c"].image
std::vector<std::string> field_paths(const FieldSet& set);

// Removes from `object` what is in the set; items of lists as a whole if they are in it.
void remove_fields(boost::json::value& object, const FieldSet& set, const Shape& shape);
}  // namespace tenon::minicluster::apiserver

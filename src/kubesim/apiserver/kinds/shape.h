// Shapes: the types of fields, their members, and how lists merge. One source for decoding (unknown fields, wrong
// types, protobuf), strategic merge patches, server-side apply and OpenAPI documents.
//
// The built-in types are files of data/kubernetes/types, read by type_files.h. Those of a custom resource come from its
// OpenAPI schema.
//
// Shapes are immutable and live as long as their ShapeSet; the built-in set lives as long as the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

struct Shape;

struct Member {
  const Shape* shape = nullptr;
  bool required = false;
  bool omit_zero = false;             // decoding leaves the zero value out
  bool atomic = false;                // owned as a whole in server-side apply
  std::vector<uint32_t> number = {};  // in protobuf, below the numbers of the inlined messages around it
};

struct Shape {
  enum class Kind {
    kAny,
    kString,
    kInt,
    kLong,
    kNumber,
    kBool,
    kQuantity,
    kIntOrString,
    kTime,
    kMicroTime,
    kBytes,
    kObject,
    kList,
    kMap
  };
  enum class ListType { kAtomic, kSet, kMap };

  Kind kind = Kind::kAny;
  std::string name = {};                                     // of an object: its type
  const Shape* element = nullptr;                            // of a list or map
  std::vector<std::pair<std::string, Member>> members = {};  // of an object, in order
  bool atomic = false;
  bool keeps_unknown = false;  // other members are allowed as well
  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_keys = {};
  bool patch_merges = false;
  std::string merge_key = {};  // empty: a list of scalars
  bool retain_keys = false;

  const Member* member(std::string_view field) const;
};

class ShapeSet {
 public:
  // Returns the shapes of a CRD's openAPIV3Schema. The name of the root is `kind`.
  static std::shared_ptr<const ShapeSet> of_schema(const boost::json::value& schema, std::string_view kind);
  // Returns null if the type does not exist.
  const Shape* find(std::string_view name) const;
  const std::map<std::string, const Shape*, std::less<>>& all() const { return by_name_; }

 private:
  friend class TypeReader;  // type_files.cc
  friend class SchemaReader;
  std::deque<Shape> shapes_;
  std::map<std::string, const Shape*, std::less<>> by_name_;
};

const ShapeSet& builtin_shapes();
// Returns the shape of a built-in kind, including kinds that are not resources (DeleteOptions, Eviction, Scale); null
// if the kind is unknown.
const Shape* builtin_shape(std::string_view api_version, std::string_view kind);
// Returns the shape of the objects of `info`, in its version; null if no shape is known.
const Shape* shape_of(const ResourceInfo& info);

}  // namespace tenon::kubesim::apiserver

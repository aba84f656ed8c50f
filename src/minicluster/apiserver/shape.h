// What the API server knows of the types of fields: which there are, what they hold, how lists merge. One source for
// decoding (unknown fields, wrong types), strategic merge patches, server-side apply and OpenAPI documents.
//
// The built-in types are text in types_*.cc, one type per paragraph: its name, then `field:type` with marks.
//   []T a list, {}T a map of strings, else a scalar (string int long number bool quantity intOrString time microtime
//   bytes any) or another type. After it: @key (a strategic merge patch merges the list by that key; @ alone: merges a
//   list of scalars), ^ (patches name the fields to retain), #a,b (a map list with these keys; # alone: a set), !
//   (owned as a whole in server-side apply), * (required), ? (its zero value is left out), /n (its number in protobuf;
//   /m.n: in the message m of an inlined type).
//
// Shapes are immutable and live as long as their ShapeSet; the built-in one for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver {

struct Shape;

struct Member {
  const Shape* shape = nullptr;
  bool required = false;
  bool omit_zero = false;
  bool atomic = false;
  std::vector<uint32_t> number = {};
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
  bool keeps_unknown = false;  // other members are allowed, too
  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_keys = {};
  bool patch_merges = false;
  std::string merge_key = {};  // empty: a list of scalars
  bool retain_keys = false;

  const Member* member(std::string_view field) const;
};

class ShapeSet {
 public:
  // The types of the text above. CHECKs that it is well formed.
  static std::unique_ptr<const ShapeSet> parse(const std::vector<std::string_view>& texts);
  // Of a CRD's openAPIV3Schema; the root's name is `kind`.
  static std::shared_ptr<const ShapeSet> of_schema(const boost::json::value& schema, std::string_view kind);
  // Null if there is none.
  const Shape* find(std::string_view name) const;
  const std::map<std::string, const Shape*, std::less<>>& all() const { return by_name_; }

 private:
  friend class ShapeReader;
  friend class SchemaReader;
  std::deque<Shape> shapes_;
  std::map<std::string, const Shape*, std::less<>> by_name_;
};

const ShapeSet& builtin_shapes();
// Of a kind of Kubernetes itself, also of those that are no resource (DeleteOptions, Eviction, Scale).
const Shape* builtin_shape(std::string_view api_version, std::string_view kind);
// The shape of a kind's objects, in the version that `info` names. Null: nothing is known.
const Shape* shape_of(const ResourceInfo& info);

std::string_view pod_types();   // types_pod.cc
std::string_view core_types();  // types_core.cc
std::string_view apps_types();  // types_apps.cc

}  // namespace tenon::minicluster::apiserver

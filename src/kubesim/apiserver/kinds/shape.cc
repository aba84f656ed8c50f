// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/shape.h"

#include <algorithm>

#include "base/check.h"
#include "json/json.h"
#include "kubesim/apiserver/kinds/type_files.h"

namespace tenon::kubesim::apiserver {

using Kind = Shape::Kind;

const Member* Shape::member(std::string_view field) const {
  for (const auto& [name_of, m] : members) {
    if (name_of == field) return &m;
  }
  return nullptr;
}

// Reads the parts of a structural schema that merging and ownership need.
class SchemaReader {
 public:
  explicit SchemaReader(ShapeSet& set) : set_(set) {}

  Shape* read(const boost::json::value& schema) {
    static const std::map<std::string_view, Kind> kScalars = {
        {"string", Kind::kString}, {"integer", Kind::kLong}, {"number", Kind::kNumber}, {"boolean", Kind::kBool}};
    Shape* shape = &set_.shapes_.emplace_back();
    const std::string_view type = json::string_at(schema, {"type"});
    if (const auto scalar = kScalars.find(type); scalar != kScalars.end()) shape->kind = scalar->second;
    if (json::bool_at(schema, {"x-kubernetes-int-or-string"})) shape->kind = Kind::kIntOrString;
    if (type == "object") read_object(schema, *shape);
    if (type == "array") read_list(schema, *shape);
    return shape;
  }

 private:
  void read_object(const boost::json::value& schema, Shape& shape) {
    shape.atomic = json::string_at(schema, {"x-kubernetes-map-type"}) == "atomic";
    shape.keeps_unknown = json::bool_at(schema, {"x-kubernetes-preserve-unknown-fields"});
    const boost::json::value* additional = json::find(schema, {"additionalProperties"});
    if (additional != nullptr && additional->is_object()) {
      shape.kind = Kind::kMap;
      shape.element = read(*additional);
      return;
    }
    shape.kind = Kind::kObject;
    const auto& required = json::array_at(schema, {"required"});
    for (const auto& property : json::object_at(schema, {"properties"})) {
      const bool needed = std::any_of(required.begin(), required.end(), [&](const boost::json::value& v) {
        return v.is_string() && v.get_string() == property.key();
      });
      shape.members.emplace_back(property.key(), Member{.shape = read(property.value()), .required = needed});
    }
  }

  void read_list(const boost::json::value& schema, Shape& shape) {
    shape.kind = Kind::kList;
    const boost::json::value* items = json::find(schema, {"items"});
    shape.element = read(items != nullptr ? *items : boost::json::value(boost::json::object()));
    const std::string_view list_type = json::string_at(schema, {"x-kubernetes-list-type"});
    if (list_type == "set") shape.list_type = Shape::ListType::kSet;
    if (list_type != "map") return;
    shape.list_type = Shape::ListType::kMap;
    for (const auto& key : json::array_at(schema, {"x-kubernetes-list-map-keys"})) {
      if (key.is_string()) shape.list_keys.emplace_back(key.get_string());
    }
  }

  ShapeSet& set_;
};

std::shared_ptr<const ShapeSet> ShapeSet::of_schema(const boost::json::value& schema, std::string_view kind) {
  auto set = std::make_shared<ShapeSet>();
  SchemaReader reader(*set);
  Shape* root = reader.read(schema);
  root->name = kind;
  const Member metadata{.shape = builtin_shapes().find("ObjectMeta")};
  const auto own =
      std::find_if(root->members.begin(), root->members.end(), [](const auto& m) { return m.first == "metadata"; });
  if (own == root->members.end())
    root->members.emplace_back("metadata", metadata);
  else
    own->second = metadata;
  set->by_name_.emplace(kind, root);
  return set;
}

const Shape* ShapeSet::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const ShapeSet& builtin_shapes() {
  static const std::unique_ptr<const ShapeSet> kShapes = [] {
    auto read = read_types(builtin_type_files());
    CHECK(read.has_value(), read ? "" : read.error().message);
    return std::move(*read);
  }();
  return *kShapes;
}

const Shape* builtin_shape(std::string_view api_version, std::string_view kind) {
  if (api_version == "events.k8s.io/v1") return builtin_shapes().find("events.Event");
  if (api_version == "autoscaling/v1" && kind == "HorizontalPodAutoscaler") {
    return builtin_shapes().find("autoscaling1.HorizontalPodAutoscaler");
  }
  return builtin_shapes().find(kind);
}

const Shape* shape_of(const ResourceInfo& info) {
  if (info.custom) return info.custom->shapes ? info.custom->shapes->find(info.kind) : nullptr;
  return builtin_shape(info.api_version(), info.kind);
}

}  // namespace tenon::kubesim::apiserver

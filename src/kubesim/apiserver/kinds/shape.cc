// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/shape.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::kubesim::apiserver {

using Kind = Shape::Kind;

const Member* Shape::member(std::string_view field) const {
  for (const auto& [name_of, m] : members) {
    if (name_of == field) return &m;
  }
  return nullptr;
}

namespace {
constexpr std::string_view kMarks = "@^#!*?/";
}  // namespace

class ShapeReader {
 public:
  explicit ShapeReader(ShapeSet& set) : set_(set) {}

  void read(std::string_view text) {
    Shape* type = nullptr;
    for (std::string_view line : split(text, '\n')) {
      for (std::string_view word : split(line, ' ')) {
        if (word.empty()) continue;
        if (word.find(':') == std::string_view::npos) {
          const bool atomic = word.ends_with('!');
          type = named(atomic ? word.substr(0, word.size() - 1) : word);
          type->atomic = atomic;
          defined_.insert(type);
        } else {
          CHECK(type != nullptr, word);
          read_member(word, *type);
        }
      }
    }
  }
  void check() const {
    for (const auto& [name, shape] : types_) CHECK(defined_.contains(shape), name);
  }

 private:
  Shape* named(std::string_view name) {
    if (const auto found = types_.find(name); found != types_.end()) return found->second;
    Shape* shape = &set_.shapes_.emplace_back();
    shape->kind = Kind::kObject;
    shape->name = name;
    types_.emplace(name, shape);
    set_.by_name_.emplace(name, shape);
    return shape;
  }

  // Reads the type at the front of `word` and removes it from `word`.
  const Shape* read_type(std::string_view& word) {
    static const std::map<std::string_view, Kind> kScalars = {{"string", Kind::kString},
                                                              {"int", Kind::kInt},
                                                              {"long", Kind::kLong},
                                                              {"number", Kind::kNumber},
                                                              {"bool", Kind::kBool},
                                                              {"quantity", Kind::kQuantity},
                                                              {"time", Kind::kTime},
                                                              {"microtime", Kind::kMicroTime},
                                                              {"bytes", Kind::kBytes},
                                                              {"any", Kind::kAny},
                                                              {"intOrString", Kind::kIntOrString}};
    const bool list = word.starts_with("[]"), map = word.starts_with("{}");
    if (list || map) {
      word.remove_prefix(2);
      const Shape* element = read_type(word);
      Shape& shape = set_.shapes_.emplace_back();
      shape.kind = list ? Kind::kList : Kind::kMap;
      shape.element = element;
      return &shape;
    }
    const std::string_view name = word.substr(0, word.find_first_of(kMarks));
    word.remove_prefix(name.size());
    const auto scalar = kScalars.find(name);
    if (scalar == kScalars.end()) return named(name);
    Shape& shape = set_.shapes_.emplace_back();
    shape.kind = scalar->second;
    return &shape;
  }

  static std::string_view key_after_mark(std::string_view& word) {
    word.remove_prefix(1);
    const std::string_view key = word.substr(0, word.find_first_of(kMarks));
    word.remove_prefix(key.size());
    return key;
  }

  void read_member(std::string_view word, Shape& type) {
    const auto [name, rest] = cut(word, ':');
    std::string_view marks = rest;
    // Only marks of list fields change a shape, and each list field has its own shape.
    Shape* shape = const_cast<Shape*>(read_type(marks));
    Member member{shape};
    while (!marks.empty()) {
      switch (marks.front()) {
        case '@':
          shape->patch_merges = true;
          shape->merge_key = key_after_mark(marks);
          break;
        case '#': {
          const std::string_view keys = key_after_mark(marks);
          shape->list_type = keys.empty() ? Shape::ListType::kSet : Shape::ListType::kMap;
          if (!keys.empty()) {
            for (std::string_view key : split(keys, ',')) shape->list_keys.emplace_back(key);
          }
          break;
        }
        case '/':
          for (std::string_view part : split(key_after_mark(marks), '.')) {
            uint32_t number = 0;
            std::from_chars(part.data(), part.data() + part.size(), number);
            member.number.push_back(number);
          }
          break;
        case '^':
          shape->retain_keys = true;
          marks.remove_prefix(1);
          break;
        case '!':
          member.atomic = true;
          marks.remove_prefix(1);
          break;
        case '*':
          member.required = true;
          marks.remove_prefix(1);
          break;
        case '?':
          member.omit_zero = true;
          marks.remove_prefix(1);
          break;
        default: CHECK(false, word);
      }
    }
    type.members.emplace_back(name, member);
  }

  ShapeSet& set_;
  std::map<std::string, Shape*, std::less<>> types_;
  std::set<const Shape*> defined_;
};

std::unique_ptr<const ShapeSet> ShapeSet::parse(const std::vector<std::string_view>& texts) {
  auto set = std::make_unique<ShapeSet>();
  ShapeReader reader(*set);
  for (std::string_view text : texts) reader.read(text);
  reader.check();
  return set;
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
  static const std::unique_ptr<const ShapeSet> kShapes = ShapeSet::parse({core_types(), pod_types(), apps_types()});
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

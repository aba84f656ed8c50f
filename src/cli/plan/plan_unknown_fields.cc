// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_unknown_fields.h"

#include <algorithm>

#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/kinds/crd.h"
#include "kubesim/apiserver/kinds/shape.h"
#include "schema/builtin_crds.h"

namespace tenon::cli {
namespace {

using json::value;
using kubesim::apiserver::Shape;

bool is_custom(const Document& d) { return d.group == "karpenter.sh" || d.group == "karpenter.k8s.aws"; }

// True for kinds whose fields a plan reads; fields of other kinds have no effect.
bool is_read(const Document& d) {
  return is_custom(d) || d.kind == "Pod" || d.kind == "DaemonSet" || d.kind == "PodDisruptionBudget" ||
         d.kind == "PersistentVolumeClaim" || d.kind == "PersistentVolume" || d.kind == "StorageClass";
}

// Finds members that the shape does not have: their path, and the same without indexes of list items.
struct Walk {
  struct Unknown {
    std::string path, field;
  };
  std::vector<Unknown> unknown = {};

  void into(const value& v, const Shape& shape, const std::string& path, const std::string& field) {
    if (shape.kind == Shape::Kind::kList && v.is_array()) {
      for (size_t i = 0; i < v.get_array().size(); ++i) {
        into(v.get_array()[i], *shape.element, path + "[" + std::to_string(i) + "]", field + "[]");
      }
    } else if (shape.kind == Shape::Kind::kMap && v.is_object()) {
      for (const auto& entry : v.get_object()) {
        const std::string key(entry.key());
        into(entry.value(), *shape.element, path + "[" + key + "]", field + "[]");
      }
    } else if (shape.kind == Shape::Kind::kObject && v.is_object()) {
      for (const auto& entry : v.get_object()) {
        const std::string name(entry.key());
        if (path.empty() && (name == "apiVersion" || name == "kind" || name == "metadata" || name == "status"))
          continue;
        if (path == "metadata" && name == "managedFields") continue;  // written by API servers only
        const auto* member = shape.member(name);
        const std::string dot = path.empty() ? "" : ".";
        if (member) {
          into(entry.value(), *member->shape, path + dot + name, field + dot + name);
        } else if (!shape.keeps_unknown) {
          unknown.push_back({path + dot + name, field + dot + name});
        }
      }
    }
  }
};

}  // namespace

struct UnknownFields::Schemas {
  Schemas() {
    for (const auto& files : {schema::builtin_crds(), schema::legacy_crds(), schema::optional_crds()}) {
      for (const auto& [name, yaml] : files) {
        const auto crds = json::parse_yaml(yaml);
        if (!crds) continue;  // impossible: tests check that they are well formed
        for (const value& crd : *crds) {
          for (auto& info : kubesim::apiserver::defined_resources(crd)) resources.push_back(std::move(info));
        }
      }
    }
  }
  const Shape* find(const Document& d) const {
    for (const auto& info : resources) {
      if (info->kind == d.kind && info->group == d.group && info->version == d.version) return shape_of(*info);
    }
    return nullptr;
  }
  std::vector<kubesim::apiserver::InfoPtr> resources;
};

UnknownFields::UnknownFields() = default;
UnknownFields::~UnknownFields() = default;

void UnknownFields::check_document(const Document& d) {
  if (!is_read(d) || json::find(*d.object, {"metadata", "uid"})) return;
  if (is_custom(d) && !schemas_) schemas_ = std::make_unique<Schemas>();
  const Shape* shape = is_custom(d) ? schemas_->find(d) : kubesim::apiserver::builtin_shape(d.version, d.kind);
  if (!shape) return;
  Walk walk;
  walk.into(*d.object, *shape, "", "");
  if (const value* metadata = json::find(*d.object, {"metadata"})) {
    walk.into(*metadata, *kubesim::apiserver::builtin_shapes().find("ObjectMeta"), "metadata", "metadata");
  }
  for (const auto& [path, field] : walk.unknown) {
    const auto [at, fresh] = found_.try_emplace(d.kind + " " + field);
    if (!fresh) {
      ++at->second.more;
      continue;
    }
    order_.push_back(at->first);
    at->second.first =
        d.place(path + ": " + d.kind + " " + std::string(json::string_at(*d.object, {"metadata", "name"})) +
                " has no such field; it is ignored");
  }
}

std::vector<std::string> UnknownFields::warnings() const {
  std::vector<std::string> out;
  for (const std::string& key : order_) {
    if (out.size() == kMaxUnknownFields) break;
    const Found& found = found_.at(key);
    out.push_back(found.first + (found.more > 0 ? " (and in " + std::to_string(found.more) + " more)" : ""));
  }
  return out;
}

}  // namespace tenon::cli

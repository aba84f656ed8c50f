// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/openapi.h"

#include <set>

#include "json/json.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using Kind = Shape::Kind;

constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kPrefix = "io.k8s.";  // of component names

object gvk(const ResourceInfo& info) { return {{"group", info.group}, {"version", info.version}, {"kind", info.kind}}; }

object reference(std::string_view name) {
  array all;
  all.push_back(object{{"$ref", "#/components/schemas/" + std::string(kPrefix) + std::string(name)}});
  return {{"allOf", std::move(all)}};
}

// The schemas of shapes and of the shapes that they refer to.
class Components {
 public:
  explicit Components(object& schemas) : schemas_(schemas) {}

  object schema(const Shape& shape) {
    switch (shape.kind) {
      case Kind::kAny: return {{"type", "object"}};
      case Kind::kString: return {{"type", "string"}};
      case Kind::kInt: return {{"type", "integer"}, {"format", "int32"}};
      case Kind::kLong: return {{"type", "integer"}, {"format", "int64"}};
      case Kind::kNumber: return {{"type", "number"}, {"format", "double"}};
      case Kind::kBool: return {{"type", "boolean"}};
      case Kind::kTime:
      case Kind::kMicroTime: return {{"type", "string"}, {"format", "date-time"}};
      case Kind::kBytes: return {{"type", "string"}, {"format", "byte"}};
      case Kind::kQuantity: return either("string", "number", {});
      case Kind::kIntOrString: return either("integer", "string", "int-or-string");
      case Kind::kMap: return {{"type", "object"}, {"additionalProperties", schema(*shape.element)}};
      case Kind::kList: return list(shape);
      case Kind::kObject: break;
    }
    add(shape);
    return reference(shape.name);
  }

  // Adds the schema of an object under its name.
  void add(const Shape& shape) {
    const std::string name = std::string(kPrefix) + shape.name;
    if (!seen_.insert(name).second) return;
    object properties;
    array required;
    for (const auto& [field, member] : shape.members) {
      properties[field] = schema(*member.shape);
      if (member.required) required.emplace_back(field);
    }
    object result{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) result["required"] = std::move(required);
    if (shape.atomic) result["x-kubernetes-map-type"] = "atomic";
    schemas_[name] = std::move(result);
  }

 private:
  static object either(std::string_view a, std::string_view b, std::string_view format) {
    array types;
    for (std::string_view type : {a, b}) types.push_back(object{{"type", type}});
    object result{{"oneOf", std::move(types)}};
    if (!format.empty()) result["format"] = format;
    return result;
  }

  object list(const Shape& shape) {
    object result{{"type", "array"}, {"items", schema(*shape.element)}};
    switch (shape.list_type) {
      case Shape::ListType::kAtomic: result["x-kubernetes-list-type"] = "atomic"; break;
      case Shape::ListType::kSet: result["x-kubernetes-list-type"] = "set"; break;
      case Shape::ListType::kMap: {
        array keys;
        for (const std::string& key : shape.list_keys) keys.emplace_back(key);
        result["x-kubernetes-list-type"] = "map";
        result["x-kubernetes-list-map-keys"] = std::move(keys);
      }
    }
    if (shape.patch_merges) {
      result["x-kubernetes-patch-strategy"] = shape.retain_keys ? "merge,retainKeys" : "merge";
      if (!shape.merge_key.empty()) result["x-kubernetes-patch-merge-key"] = shape.merge_key;
    }
    return result;
  }

  object& schemas_;
  std::set<std::string> seen_;
};

// Adds the schema of a kind, with apiVersion and kind. Returns the name of its component.
std::string add_kind(const ResourceInfo& info, Components& components, object& schemas) {
  const Shape* shape = shape_of(info);
  std::string name =
      std::string(kPrefix) + (shape != nullptr && !info.custom ? shape->name : info.api_version() + "." + info.kind);
  for (char& c : name) {
    if (c == '/') c = '.';
  }
  object schema{{"type", "object"}};
  if (info.custom) {
    if (info.custom->open_api) schema = info.custom->open_api->get_object();
    components.add(*builtin_shapes().find("ObjectMeta"));
  } else if (shape != nullptr) {
    components.add(*shape);
    schema = schemas[std::string(kPrefix) + shape->name].get_object();
  }
  value& properties = schema["properties"];
  if (!properties.is_object()) properties.emplace_object();
  for (std::string_view field : {"apiVersion", "kind"}) properties.get_object()[field] = object{{"type", "string"}};
  if (info.custom) properties.get_object()["metadata"] = reference("ObjectMeta");
  array kinds;
  kinds.push_back(gvk(info));
  schema["x-kubernetes-group-version-kind"] = std::move(kinds);
  schemas[name] = std::move(schema);
  return name;
}

object query_parameter(std::string_view name) {
  return {{"name", name}, {"in", "query"}, {"schema", object{{"type", "string"}, {"uniqueItems", true}}}};
}

object operation(const ResourceInfo& info, std::string_view action, const std::string& component) {
  object content{{"application/json", object{{"schema", object{{"$ref", "#/components/schemas/" + component}}}}}};
  object ok{{"description", "OK"}, {"content", std::move(content)}};
  object result{{"x-kubernetes-action", action},
                {"x-kubernetes-group-version-kind", gvk(info)},
                {"responses", object{{"200", std::move(ok)}}}};
  if (action == "post" || action == "put" || action == "patch") {
    array parameters;
    for (std::string_view name : {"dryRun", "fieldManager", "fieldValidation"})
      parameters.push_back(query_parameter(name));
    if (action == "patch") parameters.push_back(query_parameter("force"));
    result["parameters"] = std::move(parameters);
  }
  return result;
}

void add_paths(const ResourceInfo& info, const std::string& component, object& paths) {
  std::string base = info.group.empty() ? "/api/" + info.version : "/apis/" + info.group + "/" + info.version;
  if (info.namespaced) base += "/namespaces/{namespace}";
  base += "/" + info.plural;
  object collection, item;
  const auto add = [&](object& at, unsigned verb, std::string_view method, std::string_view action) {
    if (info.allows(verb)) at[method] = operation(info, action, component);
  };
  add(collection, Verbs::kList, "get", "list");
  add(collection, Verbs::kCreate, "post", "post");
  add(collection, Verbs::kDeleteCollection, "delete", "deletecollection");
  add(item, Verbs::kGet, "get", "get");
  add(item, Verbs::kUpdate, "put", "put");
  add(item, Verbs::kPatch, "patch", "patch");
  add(item, Verbs::kDelete, "delete", "delete");
  if (!collection.empty()) paths[base] = std::move(collection);
  if (!item.empty()) paths[base + "/{name}"] = std::move(item);
}

value document(const std::vector<InfoPtr>& infos) {
  object schemas, paths;
  Components components(schemas);
  for (const InfoPtr& info : infos) add_paths(*info, add_kind(*info, components, schemas), paths);
  return object{{"openapi", "3.0.0"},
                {"info", object{{"title", "Kubernetes"}, {"version", "v1"}}},
                {"paths", std::move(paths)},
                {"components", object{{"schemas", std::move(schemas)}}}};
}

std::string path_of(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

value index(const Registry& registry, uint64_t version) {
  object paths;
  const auto add = [&](const std::string& path) {
    paths[path] = object{{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + std::to_string(version)}};
  };
  add(path_of("", "v1"));
  for (const Registry::Group& group : registry.groups()) {
    for (const std::string& v : group.versions) add(path_of(group.name, v));
  }
  return object{{"paths", std::move(paths)}};
}

}  // namespace

Answer<OpenApiReply> serve_openapi(const ApiRequest& request, const Registry& registry, uint64_t version) {
  const auto& parts = request.parts;
  if (parts.size() < 2) return refuse(no_such_path());
  if (parts[1] == "v2") return OpenApiReply{openapi_v2(registry), std::string(kProtobuf)};
  if (parts[1] != "v3") return refuse(no_such_path());
  if (parts.size() == 2) return OpenApiReply{json::to_string(index(registry, version)), "text/plain; charset=utf-8"};
  std::vector<InfoPtr> infos;
  if (parts.size() == 4 && parts[2] == "api") infos = registry.of("", parts[3]);
  if (parts.size() == 5 && parts[2] == "apis") infos = registry.of(parts[3], parts[4]);
  if (infos.empty()) return refuse(no_such_path());
  return OpenApiReply{json::to_string(document(infos)), "application/json"};
}

}  // namespace tenon::kubesim::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/crd.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/base/names.h"
#include "kubesim/apiserver/kinds/shape.h"
#include "schema/causes.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

std::vector<std::string> texts(const value& at, std::initializer_list<std::string_view> path) {
  std::vector<std::string> result;
  for (const value& v : json::array_at(at, path)) {
    if (v.is_string()) result.emplace_back(v.get_string());
  }
  return result;
}

std::vector<PrinterColumn> printer_columns(const value& version) {
  std::vector<PrinterColumn> result;
  for (const value& c : json::array_at(version, {"additionalPrinterColumns"})) {
    result.push_back({.name = std::string(string_at(c, {"name"})),
                      .type = std::string(string_at(c, {"type"})),
                      .format = std::string(string_at(c, {"format"})),
                      .description = std::string(string_at(c, {"description"})),
                      .json_path = std::string(string_at(c, {"jsonPath"})),
                      .priority = json::int_at(c, {"priority"})});
  }
  return result;
}

std::shared_ptr<const CustomResource> custom_part(const value& version, std::string_view kind, Convert convert) {
  auto custom = std::make_shared<CustomResource>();
  custom->convert = std::move(convert);
  if (const value* schema = json::find(version, {"schema", "openAPIV3Schema"})) {
    if (auto compiled = schema::CrdSchema::compile(*schema)) custom->schema = *compiled;
    custom->open_api = std::make_shared<const value>(*schema);
    custom->shapes = ShapeSet::of_schema(*schema, kind);
  }
  custom->columns = printer_columns(version);
  if (json::find(version, {"subresources", "scale"}) != nullptr) {
    custom->scale = true;
    custom->replicas_path = string_at(version, {"subresources", "scale", "specReplicasPath"});
    custom->status_replicas_path = string_at(version, {"subresources", "scale", "statusReplicasPath"});
    custom->label_selector_path = string_at(version, {"subresources", "scale", "labelSelectorPath"});
  }
  return custom;
}

std::string storage_version(const value& crd) {
  for (const value& version : json::array_at(crd, {"spec", "versions"})) {
    if (json::bool_at(version, {"storage"})) return std::string(string_at(version, {"name"}));
  }
  return {};
}

void check_names(const value& crd, std::vector<Cause>& causes) {
  const std::string_view plural = string_at(crd, {"spec", "names", "plural"});
  const std::string_view group = string_at(crd, {"spec", "group"});
  const std::string wanted = std::string(plural) + "." + std::string(group);
  if (string_at(crd, {"metadata", "name"}) != wanted) {
    causes.push_back(schema::invalid("metadata.name", *json::find(crd, {"metadata", "name"}),
                                     "must be spec.names.plural+\".\"+spec.group"));
  }
  if (group.empty())
    causes.push_back(schema::required("spec.group"));
  else if (auto wrong = check_dns_subdomain(group))
    causes.push_back(schema::invalid("spec.group", value(group), *wrong));
  else if (group.find('.') == std::string_view::npos) {
    causes.push_back(schema::invalid("spec.group", value(group), "should be a domain with at least one dot"));
  }
  for (std::string_view field : {"plural", "singular"}) {
    const std::string path = fmt::format("spec.names.{}", field);
    const std::string_view name = string_at(crd, {"spec", "names", field});
    if (name.empty() && field == "plural")
      causes.push_back(schema::required(path));
    else if (auto wrong = name.empty() ? std::nullopt : check_dns1035_label(name)) {
      causes.push_back(schema::invalid(path, value(name), *wrong));
    }
  }
  const std::string kind = to_lower(string_at(crd, {"spec", "names", "kind"}));
  if (kind.empty())
    causes.push_back(schema::required("spec.names.kind"));
  else if (auto wrong = check_dns1035_label(kind)) {
    causes.push_back(schema::invalid("spec.names.kind", *json::find(crd, {"spec", "names", "kind"}),
                                     "may have mixed case, but should otherwise match: " + *wrong));
  }
  const std::string_view scope = string_at(crd, {"spec", "scope"});
  if (scope.empty())
    causes.push_back(schema::required("spec.scope"));
  else if (scope != "Namespaced" && scope != "Cluster") {
    causes.push_back(schema::not_supported("spec.scope", value(scope), array{"Cluster", "Namespaced"}));
  }
}

void check_versions(const value& crd, std::vector<Cause>& causes) {
  const array& versions = json::array_at(crd, {"spec", "versions"});
  if (versions.empty())
    causes.push_back(schema::required("spec.versions", "must have exactly one version marked as storage version"));
  int64_t storages = 0;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string path = fmt::format("spec.versions[{}]", i);
    if (json::bool_at(versions[i], {"storage"})) ++storages;
    if (auto wrong = check_dns1035_label(string_at(versions[i], {"name"}))) {
      causes.push_back(schema::invalid(path + ".name", value(string_at(versions[i], {"name"})), *wrong));
    }
    const std::string schema_path = path + ".schema.openAPIV3Schema";
    const value* schema = json::find(versions[i], {"schema", "openAPIV3Schema"});
    if (schema == nullptr) {
      causes.push_back(schema::required(schema_path, "schemas are required"));
    } else if (const auto compiled = schema::CrdSchema::compile(*schema); !compiled) {
      causes.push_back({"FieldValueInvalid", "Invalid value: " + compiled.error().message, schema_path});
    }
  }
  if (!versions.empty() && storages != 1) {
    causes.push_back({"FieldValueInvalid", "Invalid value: must have exactly one version marked as storage version",
                      "spec.versions"});
  }
}

}  // namespace

bool is_definition(const ResourceInfo& info) {
  return info.group == "apiextensions.k8s.io" && info.kind == "CustomResourceDefinition";
}

void default_definition(value& crd) {
  value* names = json::find(crd, {"spec", "names"});
  if (names == nullptr || !names->is_object()) return;
  const std::string kind(string_at(*names, {"kind"}));
  if (string_at(*names, {"singular"}).empty()) names->get_object()["singular"] = to_lower(kind);
  if (string_at(*names, {"listKind"}).empty()) names->get_object()["listKind"] = kind + "List";
  if (json::find(crd, {"spec", "conversion"}) == nullptr)
    json::ensure(crd, {"spec", "conversion"}) = {{"strategy", "None"}};
}

std::vector<Cause> validate_definition(const value& crd, const value* old) {
  std::vector<Cause> causes;
  check_names(crd, causes);
  check_versions(crd, causes);
  const std::string_view strategy = string_at(crd, {"spec", "conversion", "strategy"});
  if (strategy == "Webhook") {
    const std::string path = "spec.conversion.webhook";
    if (json::find(crd, {"spec", "conversion", "webhook", "clientConfig"}) == nullptr)
      causes.push_back(schema::required(path + ".clientConfig"));
    if (json::array_at(crd, {"spec", "conversion", "webhook", "conversionReviewVersions"}).empty())
      causes.push_back(schema::required(path + ".conversionReviewVersions"));
  } else if (!strategy.empty() && strategy != "None") {
    causes.push_back(schema::not_supported("spec.conversion.strategy", value(strategy), array{"None", "Webhook"}));
  }
  if (old == nullptr) return causes;
  for (std::string_view field : {"group", "scope"}) {
    if (string_at(*old, {"spec", field}) == string_at(crd, {"spec", field})) continue;
    causes.push_back(
        schema::invalid(fmt::format("spec.{}", field), value(string_at(crd, {"spec", field})), "field is immutable"));
  }
  return causes;
}

void establish_definition(value& crd, const value* old) {
  const std::string time(string_at(crd, {"metadata", "creationTimestamp"}));
  array conditions;
  conditions.push_back(object{{"type", "NamesAccepted"},
                              {"status", "True"},
                              {"lastTransitionTime", time},
                              {"reason", "NoConflicts"},
                              {"message", "no conflicts found"}});
  conditions.push_back(object{{"type", "Established"},
                              {"status", "True"},
                              {"lastTransitionTime", time},
                              {"reason", "InitialNamesAccepted"},
                              {"message", "the initial names have been accepted"}});
  const value* names = json::find(crd, {"spec", "names"});
  value accepted = names == nullptr ? value(object()) : *names;
  array stored = old != nullptr ? json::array_at(*old, {"status", "storedVersions"}) : array();
  const value storage(storage_version(crd));
  if (std::find(stored.begin(), stored.end(), storage) == stored.end()) stored.push_back(storage);
  crd.get_object()["status"] = object{{"conditions", std::move(conditions)},
                                      {"acceptedNames", std::move(accepted)},
                                      {"storedVersions", std::move(stored)}};
}

std::vector<InfoPtr> defined_resources(const value& crd, const ConverterOf& converter_of) {
  Convert convert;
  const value* client_config = json::find(crd, {"spec", "conversion", "webhook", "clientConfig"});
  if (converter_of && client_config != nullptr && string_at(crd, {"spec", "conversion", "strategy"}) == "Webhook")
    convert = converter_of(*client_config);
  std::vector<InfoPtr> result;
  const std::string storage = storage_version(crd);
  for (const value& version : json::array_at(crd, {"spec", "versions"})) {
    if (!json::bool_at(version, {"served"})) continue;
    auto info = std::make_shared<ResourceInfo>();
    info->group = string_at(crd, {"spec", "group"});
    info->version = string_at(version, {"name"});
    info->kind = string_at(crd, {"spec", "names", "kind"});
    info->plural = string_at(crd, {"spec", "names", "plural"});
    info->singular = string_at(crd, {"spec", "names", "singular"});
    info->short_names = texts(crd, {"spec", "names", "shortNames"});
    info->categories = texts(crd, {"spec", "names", "categories"});
    info->namespaced = string_at(crd, {"spec", "scope"}) == "Namespaced";
    info->traits = Traits::kGeneration;
    info->storage_group = info->group;
    info->storage_version = storage;
    if (json::find(version, {"subresources", "status"}) != nullptr) {
      info->traits |= Traits::kStatus;
      info->subresources.push_back({"status", Verbs::kStatus});
    }
    if (json::find(version, {"subresources", "scale"}) != nullptr) {
      info->subresources.push_back({"scale", Verbs::kStatus, "autoscaling", "v1", "Scale"});
    }
    if (json::bool_at(version, {"deprecated"})) {
      info->deprecation_warning =
          string_at(version, {"deprecationWarning"}, info->api_version() + " " + info->kind + " is deprecated");
    }
    for (const value& field : json::array_at(version, {"selectableFields"})) {
      const std::string_view path = string_at(field, {"jsonPath"});
      info->selectable_fields.emplace_back(path.substr(path.starts_with('.') ? 1 : 0));
    }
    info->custom = custom_part(version, info->kind, convert);
    result.push_back(std::move(info));
  }
  return result;
}

}  // namespace tenon::kubesim::apiserver

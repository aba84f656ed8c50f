// SPDX-License-Identifier: Apache-2.0
#include "schema/known_schemas.h"

#include "json/json.h"
#include "json/yaml.h"
#include "schema/builtin_crds.h"

namespace tenon::schema {
namespace {

using json::value;

std::string key(std::string_view api, std::string_view kind) { return std::string(api) + " " + std::string(kind); }

}  // namespace

Result<KnownSchemas> KnownSchemas::make() {
  KnownSchemas schemas;
  for (const auto& files : {builtin_crds(), legacy_crds()}) {
    for (const auto& [name, yaml] : files) {
      for (const value& crd : TRY_IN(std::string(name), json::parse_yaml(yaml))) TRY(schemas.add(crd));
    }
  }
  return schemas;
}

Status KnownSchemas::add(const value& crd) {
  const std::string group(json::string_at(crd, {"spec", "group"}));
  for (const value& version : json::array_at(crd, {"spec", "versions"})) {
    const std::string api = group + "/" + std::string(json::string_at(version, {"name"}));
    const value* schema = json::find(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) continue;
    schemas_[key(api, json::string_at(crd, {"spec", "names", "kind"}))] = TRY(CrdSchema::compile(*schema));
  }
  return ok();
}

const CrdSchema* KnownSchemas::find(const value& document) const {
  const auto found = schemas_.find(key(json::string_at(document, {"apiVersion"}), json::string_at(document, {"kind"})));
  return found == schemas_.end() ? nullptr : found->second.get();
}

std::vector<std::string> KnownSchemas::faults(const value& document) const {
  const CrdSchema* schema = find(document);
  if (schema == nullptr) return {};
  std::vector<std::string> faults;
  value stored = document;
  for (const std::string& path : schema->prune(stored)) faults.push_back(path + ": unknown field");
  schema->apply_defaults(stored);
  for (const Cause& cause : schema->validate(stored, nullptr)) faults.push_back(cause.field + ": " + cause.message);
  return faults;
}

value KnownSchemas::with_defaults(value document) const {
  if (const CrdSchema* schema = find(document)) schema->apply_defaults(document);
  return document;
}

}  // namespace tenon::schema

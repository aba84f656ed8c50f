// SPDX-License-Identifier: Apache-2.0
#include "migrate/originals.h"

#include <algorithm>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/resource_types.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

constexpr std::string_view kApi = "tenon.dev/v1alpha1", kKind = "ConversionRollback";
constexpr std::string_view kNote =
    "# The objects of this cluster before `tenon convert --in-cluster --apply` changed them.\n"
    "#\n"
    "#   tenon convert --in-cluster --rollback THIS_FILE --dry-run    prints what is restored\n"
    "#   tenon convert --in-cluster --rollback THIS_FILE --apply      restores it; no node is restarted\n"
    "#\n"
    "# Keep it until the conversion has proven itself. Do not apply it with kubectl: applied alone, the Nodes and\n"
    "# NodeClaims in it would not belong together. docs/convert.md\n";

bool has(const Documents& objects, const value& wanted) {
  return std::any_of(objects.begin(), objects.end(), [&](const value& one) {
    return json::string_at(one, {"kind"}) == json::string_at(wanted, {"kind"}) && name_of(one) == name_of(wanted) &&
           json::string_at(one, {"metadata", "namespace"}) == json::string_at(wanted, {"metadata", "namespace"});
  });
}

void add(value object, Documents& objects) {
  if (has(objects, object)) return;
  json::erase(object, {"metadata", "managedFields"});
  objects.push_back(std::move(object));
}

}  // namespace

void add_originals(const Observed& observed, Originals& originals) {
  for (const Documents* all : {&observed.provisioners, &observed.templates, &observed.settings}) {
    for (const value& object : *all) add(object, originals.objects);
  }
  for (const value& node : observed.nodes) {
    if (label(node, model::kLabelProvisioner).empty() || !label(node, model::kLabelNodePool).empty()) continue;
    value kept = node;
    json::erase(kept, {"status"});
    add(std::move(kept), originals.objects);
  }
  for (const value& claim : observed.claims) {
    if (!label(claim, model::kLabelProvisioner).empty() && label(claim, model::kLabelNodePool).empty())
      add(claim, originals.objects);
  }
  for (const auto& [id, instance] : observed.instances) {
    if (!instance.tags.contains(model::kLabelNodePool)) originals.instances.try_emplace(instance.id, instance.tags);
  }
}

std::string write_originals(const Originals& originals) {
  json::object instances;
  for (const auto& [id, tags] : originals.instances) {
    json::object map;
    for (const auto& [key, text] : tags) map[key] = text;
    instances[id] = std::move(map);
  }
  std::string out(kNote);
  out += json::to_yaml(json::object{
      {"apiVersion", kApi}, {"kind", kKind}, {"cluster", originals.cluster}, {"instances", std::move(instances)}});
  for (const value& object : originals.objects) out += "---\n" + json::to_yaml(object);
  return out;
}

Result<Originals> read_originals(std::string_view text) {
  Documents documents = TRY(json::parse_yaml(text));
  if (documents.empty() || json::string_at(documents.front(), {"apiVersion"}) != kApi ||
      json::string_at(documents.front(), {"kind"}) != kKind)
    return fail(Code::kInvalid,
                "is no roll-back file: its first document is not a " + std::string(kKind) + " of " + std::string(kApi));
  Originals out;
  out.cluster = json::string_at(documents.front(), {"cluster"});
  for (const auto& [id, tags] : json::object_at(documents.front(), {"instances"})) {
    aws::Tags& map = out.instances[std::string(id)];
    if (!tags.is_object()) return fail(Code::kInvalid, "instances[" + std::string(id) + "]: is not a map");
    for (const auto& [key, tag] : tags.get_object()) {
      if (!tag.is_string())
        return fail(Code::kInvalid, "instances[" + std::string(id) + "]: " + std::string(key) + " is not a string");
      map[std::string(key)] = tag.get_string();
    }
  }
  for (size_t i = 1; i < documents.size(); ++i) {
    if (name_of(documents[i]).empty())
      return fail(Code::kInvalid, "document " + std::to_string(i + 1) + ": metadata.name: missing");
    out.objects.push_back(std::move(documents[i]));
  }
  return out;
}

}  // namespace tenon::migrate

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/volumes.h"

#include "json/json.h"
#include "kubesim/actors/kinds.h"

namespace tenon::kubesim {
namespace {

bool is_bound(const json::value& claim) {
  return !json::string_at(claim, {"spec", "volumeName"}).empty() &&
         json::string_at(claim, {"status", "phase"}) == "Bound";
}

// Returns StorageClass.allowedTopologies as node terms.
std::vector<NodeTerm> allowed_topologies(const json::value& storage_class) {
  std::vector<NodeTerm> terms;
  for (const json::value& entry : json::array_at(storage_class, {"allowedTopologies"})) {
    NodeTerm term;
    for (const json::value& expression : json::array_at(entry, {"matchLabelExpressions"})) {
      LabelRule rule{std::string(json::string_at(expression, {"key"})), LabelRule::Op::kIn, {}};
      for (const json::value& value : json::array_at(expression, {"values"}))
        if (value.is_string()) rule.values.emplace_back(value.get_string());
      term.expressions.push_back(std::move(rule));
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace

void VolumeCache::set(const Resource& resource, const Object& object) {
  if (resource == kClaims) claims_[key_of(*object)] = object;
  if (resource == kVolumes) volumes_[std::string(name_of(*object))] = object;
  if (resource == kStorageClasses) classes_[std::string(name_of(*object))] = object;
}

void VolumeCache::remove(const Resource& resource, const Object& object) {
  if (resource == kClaims) claims_.erase(key_of(*object));
  if (resource == kVolumes) volumes_.erase(std::string(name_of(*object)));
  if (resource == kStorageClasses) classes_.erase(std::string(name_of(*object)));
}

Object VolumeCache::claim(const ObjectKey& key) const {
  const auto at = claims_.find(key);
  return at == claims_.end() ? nullptr : at->second;
}

bool VolumeCache::all_bound(const PodInfo& pod) const {
  for (const std::string& name : pod.claims) {
    const Object claim_object = claim({pod.key.ns, name});
    if (claim_object == nullptr || !is_bound(*claim_object)) return false;
  }
  return true;
}

VolumeNeeds VolumeCache::needs_of(const PodInfo& pod) const {
  VolumeNeeds needs;
  for (const std::string& name : pod.claims) {
    const Object claim_object = claim({pod.key.ns, name});
    if (claim_object == nullptr) {
      needs.refusal = "persistentvolumeclaim \"" + name + "\" not found";
      return needs;
    }
    if (is_deleting(*claim_object)) {
      needs.refusal = "persistentvolumeclaim \"" + name + "\" is being deleted";
      return needs;
    }
    if (is_bound(*claim_object)) {
      const auto volume = volumes_.find(json::string_at(*claim_object, {"spec", "volumeName"}));
      if (volume == volumes_.end()) {
        needs.refusal = "persistentvolume \"" + std::string(json::string_at(*claim_object, {"spec", "volumeName"})) +
                        "\" not found";
        return needs;
      }
      if (const json::value* required = json::find(*volume->second, {"spec", "nodeAffinity", "required"}))
        needs.bound.push_back(parse_node_terms(required));
      continue;
    }
    const auto storage = classes_.find(json::string_at(*claim_object, {"spec", "storageClassName"}));
    if (storage == classes_.end() ||
        json::string_at(*storage->second, {"volumeBindingMode"}) != "WaitForFirstConsumer" ||
        !json::string_at(*claim_object, {"spec", "volumeName"}).empty()) {
      needs.refusal = "pod has unbound immediate PersistentVolumeClaims";
      return needs;
    }
    if (auto terms = allowed_topologies(*storage->second); !terms.empty()) needs.topologies.push_back(std::move(terms));
    needs.to_provision.push_back({pod.key.ns, name});
  }
  return needs;
}

}  // namespace tenon::kubesim

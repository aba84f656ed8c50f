// decide_rollback() of originals.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>

#include "cloud/aws_provider/util/tags.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "legacy/convert_parts.h"
#include "migrate/handover.h"
#include "migrate/originals.h"
#include "model/labels.h"

namespace tenon::migrate {
namespace {

using json::value;

std::optional<std::string> text_at(const value& document, const char* map, std::string_view key) {
  const value* found = json::find(document, {"metadata", map, key});
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

// NodeClaims and Provisioners are created again, with other uids.
json::array owners_of(const value& document) {
  json::array owners = json::array_at(document, {"metadata", "ownerReferences"});
  for (value& owner : owners) {
    const std::string_view kind = json::string_at(owner, {"kind"});
    if (kind == kube::kNodeClaims.kind || kind == kube::kProvisioners.kind) json::erase(owner, {"uid"});
  }
  return owners;
}

class Rollback {
 public:
  Rollback(const Observed& observed, const Originals& originals) : observed_(observed), originals_(originals) {
    for (const value& object : originals.objects) {
      const std::string_view kind = json::string_at(object, {"kind"});
      if (kind == kube::kNodes.kind) nodes_.push_back(&object);
      if (kind == kube::kNodeClaims.kind) claims_[provider_id(object)] = &object;
    }
  }

  Plan run() {
    restore(kube::kNodeTemplates, observed_.templates);
    restore(kube::kProvisioners, observed_.provisioners);
    std::vector<Steps> all;
    for (const value* original : nodes_) move(*original, all);
    std::vector<Write> writes = together(all);
    std::move(writes.begin(), writes.end(), std::back_inserter(plan_.writes));
    remove_converted();
    if (!plan_.refused.empty()) plan_.writes.clear();
    return std::move(plan_);
  }

 private:
  void restore(const kube::ResourceType& type, const Documents& existing) {
    for (const value& object : originals_.objects) {
      if (json::string_at(object, {"kind"}) != type.kind) continue;
      const value* found = by_name(existing, name_of(object));
      if (found != nullptr && !deleting(*found)) continue;
      if (found != nullptr)  // it waits for the controller, which has not run since
        plan_.writes.push_back(
            {.type = type,
             .name = name_of(object),
             .body = json::object{{"metadata", json::object{{"uid", uid_of(*found)}, {"finalizers", json::array()}}}}});
      value clean = json::object{{"apiVersion", type.api_version()}, {"kind", type.kind}};
      json::ensure(clean, {"metadata"}) = legacy::kept_metadata(object);
      if (const value* spec = json::find(object, {"spec"})) json::ensure(clean, {"spec"}) = *spec;
      plan_.writes.push_back({.verb = Verb::kCreate, .type = type, .name = name_of(object), .body = std::move(clean)});
    }
  }

  void move(const value& original, std::vector<Steps>& all) {
    const std::string id = provider_id(original), name = name_of(original);
    const value* node = by_name(observed_.nodes, name);
    const auto instance = observed_.instances.find(id);
    if (node == nullptr || uid_of(*node) != uid_of(original) || instance == observed_.instances.end()) {
      plan_.findings.push_back("Node/" + name + ": has ended since the conversion; it is not restored");
      return;
    }
    Handover h{.node = node, .instance = &instance->second};
    for (const value& claim : observed_.claims) {
      if (provider_id(claim) != id) continue;
      if (deleting(claim)) plan_.refused.push_back("NodeClaim/" + name_of(claim) + ": is being deleted");
      h.claims.push_back(&claim);
    }
    if (deleting(*node)) plan_.refused.push_back("Node/" + name + ": is being deleted");
    moved_.insert(id);
    if (const auto claim = claims_.find(id); claim != claims_.end()) h.claim = claim_again(*claim->second);
    h.node_owners = owners_of(original);
    for (const std::string_view key : {model::kLabelNodePool, model::kLabelNodeClass, model::kLabelRegistered})
      h.labels[std::string(key)] = text_at(original, "labels", key);
    for (const std::string_view key : {model::kAnnotationDoNotConsolidate, model::kAnnotationDoNotDisrupt})
      h.annotations[std::string(key)] = text_at(original, "annotations", key);
    restore_tags(instance->second, h);
    all.push_back(steps_of(h));
  }

  static value claim_again(const value& original) {
    value claim = json::object{{"apiVersion", "karpenter.sh/v1"}, {"kind", kube::kNodeClaims.kind}};
    json::ensure(claim, {"metadata"}) = legacy::kept_metadata(original);
    json::ensure(claim, {"metadata", "annotations", model::kAnnotationInstance}) = provider_id(original);
    json::ensure(claim, {"metadata", "ownerReferences"}) = owners_of(original);
    for (const char* part : {"spec", "status"}) {
      if (const value* same = json::find(original, {part})) json::ensure(claim, {part}) = *same;
    }
    return claim;
  }

  void restore_tags(const aws::InstanceInfo& instance, Handover& h) const {
    const auto found = originals_.instances.find(instance.id);
    if (found == originals_.instances.end()) return;
    for (const std::string_view key :
         {model::kLabelNodePool, model::kLabelNodeClass, cloud::kTagNodeClaim, cloud::kTagCluster}) {
      const auto tag = found->second.find(key);
      if (tag == found->second.end()) {
        h.tags_off.emplace_back(key);
      } else {
        h.tags[tag->first] = tag->second;
      }
    }
  }

  // A NodePool takes its NodeClaims with it, and a class is needed by its NodePools.
  void remove_converted() {
    std::set<std::string> used_pools, used_classes;
    for (const value& claim : observed_.claims) {
      if (!moved_.contains(provider_id(claim))) used_pools.insert(label(claim, model::kLabelNodePool));
    }
    for (const value& pool : observed_.pools) {
      const bool ours = !annotation(pool, model::kAnnotationConvertedFrom).empty();
      if (ours && !used_pools.contains(name_of(pool))) {
        if (!deleting(pool)) remove(kube::kNodePools, pool);
        continue;
      }
      used_classes.emplace(json::string_at(pool, {"spec", "template", "spec", "nodeClassRef", "name"}));
      if (ours) plan_.findings.push_back("NodePool/" + name_of(pool) + ": stays, because nodes launched since use it");
    }
    for (const value& one : observed_.classes) {
      const bool ours = !annotation(one, model::kAnnotationConvertedFrom).empty();
      if (ours && !used_classes.contains(name_of(one)) && !deleting(one)) remove(kube::kNodeClasses, one);
    }
  }

  void remove(const kube::ResourceType& type, const value& object) {
    plan_.writes.push_back({.verb = Verb::kRemove, .type = type, .name = name_of(object), .uid = uid_of(object)});
  }

  const Observed& observed_;
  const Originals& originals_;
  std::vector<const value*> nodes_;
  std::map<std::string, const value*> claims_;  // by provider id
  std::set<std::string> moved_;                 // provider ids
  Plan plan_;
};

}  // namespace

Plan decide_rollback(const Observed& observed, const Originals& originals) {
  return Rollback(observed, originals).run();
}

}  // namespace tenon::migrate

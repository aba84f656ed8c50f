// The nodes of Provisioners get NodeClaims of NodePools.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/text.h"
#include "cloud/aws_provider/util/tags.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"
#include "migrate/claim.h"
#include "migrate/decide.h"
#include "migrate/handover.h"
#include "model/labels.h"
#include "model/requirement.h"

namespace tenon::migrate {
namespace {

using json::value;

bool of_provisioner(const value& claim) {
  return !label(claim, model::kLabelProvisioner).empty() && label(claim, model::kLabelNodePool).empty();
}

bool is_true(const value& claim, std::string_view condition) {
  for (const value& one : json::array_at(claim, {"status", "conditions"})) {
    if (json::string_at(one, {"type"}) == condition) return json::string_at(one, {"status"}) == "True";
  }
  return false;
}

// Returns a finalizer that another controller acts on; empty: none.
std::string foreign_finalizer(const value& claim) {
  for (const value& finalizer : json::array_at(claim, {"metadata", "finalizers"})) {
    if (finalizer.is_string() && finalizer.get_string() != model::kFinalizerTermination)
      return std::string(finalizer.get_string());
  }
  return {};
}

class NodeConversion {
 public:
  NodeConversion(const Observed& observed, const Documents& pools, Plan& plan)
      : observed_(observed), pools_(pools), plan_(plan) {
    for (const value& claim : observed.claims) claims_of_[provider_id(claim)].push_back(&claim);
  }

  std::vector<Write> run() {
    std::vector<Steps> all;
    for (const value& node : observed_.nodes) {
      const std::string provisioner = label(node, model::kLabelProvisioner);
      if (provisioner.empty()) continue;
      const value* pool = by_name(pools_, provisioner);
      if (pool == nullptr && !label(node, model::kLabelNodePool).empty()) continue;  // it was converted once
      if (pool == nullptr) {
        plan_.findings.push_back(reference(node) + ": stays as it is: there is no Provisioner " + provisioner);
      } else if (moved_and_ending(node, provisioner) || of_other_pool(node, provisioner)) {
        nodes_.insert(provider_id(node));
      } else if (may_move(node)) {
        add(node, *pool, all);
      }
    }
    for (const value& claim : observed_.claims) {
      if (of_provisioner(claim) && !nodes_.contains(provider_id(claim)))
        refuse(claim, "has no Node yet: let the controller finish, or delete it");
    }
    if (!all.empty() && observed_.cluster_name.empty())
      plan_.refused.emplace_back("the name of the cluster is not known: set --cluster-name");
    return together(all);
  }

 private:
  const std::vector<const value*>& claims_of(const std::string& id) const {
    static const std::vector<const value*> kNone;
    const auto found = claims_of_.find(id);
    return found == claims_of_.end() ? kNone : found->second;
  }

  // Returns the complete NodeClaim of the NodePool that the node has already; null: it has none.
  const value* moved(const value& node, const std::string& pool) const {
    for (const value* claim : claims_of(provider_id(node))) {
      const bool complete = !json::string_at(*claim, {"status", "providerID"}).empty();
      if (complete && label(*claim, model::kLabelNodePool) == pool) return claim;
    }
    return nullptr;
  }

  // The controller of v1 has begun to remove a node that was converted, or does so next.
  bool moved_and_ending(const value& node, const std::string& pool) const {
    if (moved(node, pool) == nullptr) return false;
    const auto& claims = claims_of(provider_id(node));
    const bool ends = deleting(node) || !observed_.instances.contains(provider_id(node)) ||
                      std::any_of(claims.begin(), claims.end(), [](const value* claim) { return deleting(*claim); });
    return ends;
  }

  // The label of v0.27 alone decides nothing.
  bool of_other_pool(const value& node, const std::string& pool) const {
    const auto& claims = claims_of(provider_id(node));
    return std::any_of(claims.begin(), claims.end(), [&](const value* claim) {
      const std::string other = label(*claim, model::kLabelNodePool);
      return !other.empty() && other != pool;
    });
  }

  // What happens to these is not ours to interrupt.
  bool may_move(const value& node) {
    const std::string id = provider_id(node);
    const bool twice = !nodes_.insert(id).second;
    bool may = false;
    if (id.empty()) {
      refuse(node, "has no provider id yet: let the controller finish");
    } else if (twice) {
      refuse(node, "has the provider id of another Node: " + id);
    } else if (deleting(node)) {
      refuse(node, "is being deleted: let the controller finish");
    } else if (!observed_.instances.contains(id)) {
      refuse(node, "its instance does not run: " + id + "; let the controller remove the Node, or delete it");
    } else if (!owned(observed_.instances.at(id))) {
      refuse(node, "its instance " + id + " has no tag " + cloud::ownership_tag(observed_.cluster_name) +
                       ": is --cluster-name right?");
    } else {
      may = true;
    }
    for (const value* claim : claims_of(id)) {
      if (deleting(*claim)) {
        refuse(*claim, "is being deleted: let the controller finish");
      } else if (const std::string other = foreign_finalizer(*claim); of_provisioner(*claim) && !other.empty()) {
        refuse(*claim, "has the finalizer " + other + " of another controller, which would take it for a removed node");
      } else if (of_provisioner(*claim) && !is_true(*claim, model::kRegistered)) {
        refuse(*claim, "is not registered yet: let the controller finish");
      } else {
        continue;
      }
      may = false;
    }
    return may;
  }

  bool owned(const aws::InstanceInfo& instance) const {
    return observed_.cluster_name.empty() || instance.tags.contains(cloud::ownership_tag(observed_.cluster_name));
  }

  // The NodeClaim keeps its name: the instance has it as a tag, and users know it.
  std::string name_for(const value& pool, const std::string& id, const aws::InstanceInfo& instance) const {
    for (const value* claim : claims_of(id)) return name_of(*claim);
    const auto tag = instance.tags.find(cloud::kTagNodeClaim);
    if (tag != instance.tags.end() && !tag->second.empty() && by_name(observed_.claims, tag->second) == nullptr)
      return tag->second;
    return claim_name(name_of(pool), instance.id);
  }

  void add(const value& node, const value& pool, std::vector<Steps>& all) {
    const std::string id = provider_id(node);
    const aws::InstanceInfo& instance = observed_.instances.at(id);
    // A node that has moved keeps its NodeClaim, also if its NodePool has been edited since: drift is the controller's.
    const value* done = moved(node, name_of(pool));
    auto claim = done != nullptr ? Result<value>(*done)
                                 : make_claim({node, pool, instance, name_for(pool, id, instance), observed_.now});
    if (!claim) return refuse(node, claim.error().message);
    if (done == nullptr) report(node, pool, *claim);
    Handover h{.node = &node, .claims = claims_of(id), .instance = &instance};
    const std::string class_name(json::string_at(*claim, {"spec", "nodeClassRef", "name"}));
    h.labels = {{std::string(model::kLabelNodePool), name_of(pool)},
                {std::string(model::kLabelNodeClass), class_name},
                {std::string(model::kLabelRegistered), "true"}};
    if (const std::string kept = annotation(node, model::kAnnotationDoNotConsolidate); !kept.empty()) {
      h.annotations[std::string(model::kAnnotationDoNotConsolidate)] = std::nullopt;
      if (kept == "true") h.annotations[std::string(model::kAnnotationDoNotDisrupt)] = "true";
    }
    h.tags = {{std::string(model::kLabelNodePool), name_of(pool)},
              {std::string(model::kLabelNodeClass), class_name},
              {std::string(cloud::kTagCluster), observed_.cluster_name},
              {std::string(cloud::kTagNodeClaim), name_of(*claim)}};
    h.node_owners = json::array{json::object{{"apiVersion", kube::kNodeClaims.api_version()},
                                             {"kind", kube::kNodeClaims.kind},
                                             {"name", name_of(*claim)},
                                             {"blockOwnerDeletion", true}}};
    h.claim = std::move(*claim);
    all.push_back(steps_of(h));
  }

  void report(const value& node, const value& pool, const value& claim) {
    const auto decoded = kube::codec::decode_node_pool(pool);
    const auto decoded_claim = kube::codec::decode_node_claim(claim);
    if (!decoded || !decoded_claim) return;
    const auto wanted = model::Requirements::make(decoded->node_template.requirements);
    if (wanted && !model::Requirements::from_labels(decoded_claim->meta.labels).compatible(*wanted, false))
      plan_.findings.push_back(reference(node) + ": does not fulfil the requirements of NodePool " + name_of(pool) +
                               ": it counts as drifted, as far as the budget for Drifted allows");
    const auto& life = decoded->node_template.expire_after;
    const auto decoded_node = kube::codec::decode_node(node);
    if (life && decoded_node && observed_.now - decoded_node->meta.created_at + kLeastLife > *life)
      plan_.findings.push_back(reference(node) +
                               ": expires within an hour after the conversion: it is older than, or "
                               "nearly as old as, expireAfter of its NodePool");
  }

  void refuse(const value& document, const std::string& why) {
    plan_.refused.push_back(reference(document) + ": " + why);
  }

  const Observed& observed_;
  const Documents& pools_;
  Plan& plan_;
  std::map<std::string, std::vector<const value*>> claims_of_;  // by provider id
  std::set<std::string> nodes_;                                 // of Provisioners, by provider id
};

}  // namespace

std::vector<Write> convert_nodes(const Observed& observed, const Documents& pools, Plan& plan) {
  return NodeConversion(observed, pools, plan).run();
}

}  // namespace tenon::migrate

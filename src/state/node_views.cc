// SPDX-License-Identifier: Apache-2.0
#include "state/node_views.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::state {
namespace {

// A Node that has just joined is omitted until it has a provider id to match its claim and a known instance type. Until
// then the claim alone represents the node.
bool not_ready_to_be_counted(const model::Node& node) {
  if (model::pool_of(node.meta.labels).empty()) return false;
  if (node.provider_id.empty()) return true;
  return !node.meta.labels.contains(model::kLabelInstanceType) && !node.meta.labels.contains(model::kLabelInitialized);
}

}  // namespace

std::vector<scheduling::NodeView> make_node_views(const std::vector<std::shared_ptr<const model::Node>>& nodes,
                                                  const std::vector<std::shared_ptr<const model::NodeClaim>>& claims) {
  std::map<std::string_view, std::shared_ptr<const model::NodeClaim>> claim_of;  // by provider id
  for (const auto& claim : claims) {
    if (!claim->provider_id.empty()) claim_of.emplace(claim->provider_id, claim);
  }
  std::vector<scheduling::NodeView> views;
  std::set<std::string> paired;  // names of claims
  for (const auto& node : nodes) {
    if (not_ready_to_be_counted(*node)) continue;
    scheduling::NodeView view;
    view.node = node;
    const auto it = node->provider_id.empty() ? claim_of.end() : claim_of.find(node->provider_id);
    if (it != claim_of.end() && paired.insert(it->second->meta.name).second) view.claim = it->second;
    views.push_back(std::move(view));
  }
  for (const auto& claim : claims) {
    if (paired.contains(claim->meta.name)) continue;
    scheduling::NodeView view;
    view.claim = claim;
    views.push_back(std::move(view));
  }
  for (scheduling::NodeView& view : views) view.known = {view.standing(), view.ending()};
  std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
  return views;
}

std::shared_ptr<const model::DaemonSet> with_live_pod(const model::DaemonSet& set, const model::Pod& newest) {
  auto merged = std::make_shared<model::DaemonSet>(set);
  merged->pod_template = newest;
  merged->pod_template.node_name.clear();
  merged->pod_template.spec.edit().affinity.required_node_terms = set.pod_template.spec->affinity.required_node_terms;
  return merged;
}

}  // namespace tenon::state

// SPDX-License-Identifier: Apache-2.0
#include "state/node_index.h"

#include <algorithm>
#include <iterator>

#include "state/node_views.h"

namespace tenon::state {

using scheduling::NodeView;

NodeIndex::GroupKey NodeIndex::key_of(const model::Node& node) {
  return node.provider_id.empty() ? GroupKey('n', node.meta.name) : GroupKey('p', node.provider_id);
}

NodeIndex::GroupKey NodeIndex::key_of(const model::NodeClaim& claim) {
  return claim.provider_id.empty() ? GroupKey('c', claim.meta.name) : GroupKey('p', claim.provider_id);
}

template <class Object>
void NodeIndex::change(const std::shared_ptr<const Object>& before, const std::shared_ptr<const Object>& after,
                       std::map<std::string, std::shared_ptr<const Object>> Group::* objects) {
  if (before && (!after || key_of(*before) != key_of(*after))) {
    (groups_[key_of(*before)].*objects).erase(before->meta.name);
    merge(key_of(*before));
  }
  if (!after) return;
  (groups_[key_of(*after)].*objects)[after->meta.name] = after;
  merge(key_of(*after));
}

void NodeIndex::change(const NodePtr& before, const NodePtr& after) { change(before, after, &Group::nodes); }
void NodeIndex::change(const ClaimPtr& before, const ClaimPtr& after) { change(before, after, &Group::claims); }

std::vector<NodeView> NodeIndex::views_of(const Group& group) const {
  std::vector<NodePtr> nodes;
  std::vector<ClaimPtr> claims;
  for (const auto& [name, node] : group.nodes) nodes.push_back(node);
  for (const auto& [name, claim] : group.claims) claims.push_back(claim);
  std::vector<NodeView> views = make_node_views(nodes, claims);
  steps_ += views.size();
  return views;
}

// Makes the views of the group again.
void NodeIndex::merge(const GroupKey& key) {
  const auto at = groups_.find(key);
  Group& group = at->second;
  for (const Views::iterator& view : group.views) {
    count(view, false);
    views_.erase(view);
  }
  group.views.clear();
  for (NodeView& view : views_of(group)) {
    std::string name = view.name();
    group.views.push_back(views_.emplace(std::move(name), std::move(view)));
    count(group.views.back(), true);
  }
  if (group.nodes.empty() && group.claims.empty()) groups_.erase(at);
}

void NodeIndex::count(const Views::iterator& at, bool added) {
  const NodeView& view = at->second;
  if (!view.claim) return;
  const std::string& name = view.claim->meta.name;
  if (added)
    by_claim_.insert_or_assign(name, at);
  else
    by_claim_.erase(name);
  const std::string_view pool_name = view.pool();
  if (pool_name.empty()) return;
  const auto known = pools_.find(pool_name);
  const auto pool = known != pools_.end() ? known : pools_.emplace(pool_name, Pool()).first;
  pool->second.views += added ? 1 : size_t(-1);
  if (waits(view)) {
    if (added)
      pool->second.waiting.insert(name);
    else
      pool->second.waiting.erase(name);
  } else if (!view.ending()) {
    if (added)
      pool->second.settled.add(view.capacity());
    else
      pool->second.settled.take(view.capacity());
  }
  if (pool->second.views == 0) pools_.erase(pool);
}

NodeIndex::Changed NodeIndex::with(const std::vector<ClaimPtr>& more) const {
  std::map<GroupKey, Group> changed;
  Changed out;
  for (const ClaimPtr& claim : more) {
    if (by_claim_.contains(claim->meta.name)) continue;
    const auto [group, fresh] = changed.try_emplace(key_of(*claim));
    const auto known = groups_.find(group->first);
    if (fresh && known != groups_.end()) {
      group->second = {known->second.nodes, known->second.claims, {}};
      for (const Views::iterator& view : known->second.views) out.replaced.push_back(&view->second);
    }
    group->second.claims.emplace(claim->meta.name, claim);
  }
  for (const auto& [key, group] : changed) {
    for (NodeView& view : views_of(group)) out.made.push_back(std::move(view));
  }
  return out;
}

std::vector<NodeView> NodeIndex::views(const std::vector<ClaimPtr>& more) const {
  Changed changed = with(more);
  const std::set<const NodeView*> replaced(changed.replaced.begin(), changed.replaced.end());
  const auto by_name = [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); };
  std::sort(changed.made.begin(), changed.made.end(), by_name);
  std::vector<NodeView> all;
  all.reserve(views_.size() + changed.made.size());
  auto next = changed.made.begin();
  for (const auto& [name, view] : views_) {
    while (next != changed.made.end() && by_name(*next, view)) all.push_back(std::move(*next++));
    if (!replaced.contains(&view)) all.push_back(view);
  }
  std::move(next, changed.made.end(), std::back_inserter(all));
  return all;
}

PoolUse NodeIndex::use(const std::string& pool, const std::vector<ClaimPtr>& more,
                       const std::vector<std::string>& marked) const {
  PoolUse use;
  ResourceSum settled;
  const auto count = [&](const NodeView& view, bool added) {
    ++steps_;
    if (view.pool() != pool || view.ending()) return;
    const std::string& name = view.claim->meta.name;
    if (!waits(view))
      added ? settled.add(view.capacity()) : settled.take(view.capacity());
    else if (added)
      use.waiting.emplace(name, view.claim);
    else
      use.waiting.erase(name);
  };
  if (const auto known = pools_.find(pool); known != pools_.end()) {
    settled = known->second.settled;
    for (const std::string& name : known->second.waiting) count(by_claim_.at(name)->second, true);
  }
  const Changed changed = with(more);
  for (const NodeView* view : changed.replaced) count(*view, false);
  for (const NodeView& view : changed.made) count(view, true);
  for (const std::string& name : marked) {
    const auto of_name = [&](const NodeView& view) { return view.claim && view.claim->meta.name == name; };
    const auto made = std::find_if(changed.made.begin(), changed.made.end(), of_name);
    const auto known = by_claim_.find(name);
    if (made != changed.made.end())
      count(*made, false);
    else if (known != by_claim_.end())
      count(known->second->second, false);
  }
  use.settled = settled.total();
  return use;
}

}  // namespace tenon::state

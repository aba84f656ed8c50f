// The members of Cluster about NodePools and what they can launch.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "model/unreadable.h"
#include "scheduling/input/overlay.h"
#include "state/cluster.h"

namespace tenon::state {

std::shared_ptr<const scheduling::TypeIndex> Cluster::type_index(const scheduling::TypeIndex::Types& types) const {
  if (!types) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto of_these = [&](const auto& index) { return index->types == types; };
  const auto known = std::find_if(type_indexes_.begin(), type_indexes_.end(), of_these);
  if (known != type_indexes_.end()) return *known;
  // A list that only this cache still holds will not be looked up again.
  std::erase_if(type_indexes_,
                [](const auto& index) { return index.use_count() == 1 && index->types.use_count() == 1; });
  return type_indexes_.emplace_back(std::make_shared<const scheduling::TypeIndex>(types));
}

void Cluster::index_types() const {
  for (const auto& pool : pools.list()) type_index(options_.types_of(*pool).types);
}

std::vector<scheduling::PoolView> Cluster::pool_views(std::map<std::string, std::string>& refused) const {
  std::vector<scheduling::PoolView> views;
  for (const auto& pool : pools.list()) views.push_back(view_of(pool));
  std::vector<model::NodeOverlay> overlays;
  for (const auto& overlay : node_overlays.list()) overlays.push_back(*overlay);
  refused = scheduling::apply_overlays(overlays, views);
  return views;
}

scheduling::PoolView Cluster::view_of(const std::shared_ptr<const model::NodePool>& pool) const {
  PoolTypes types = options_.types_of(*pool);
  if (const auto why = model::unreadable(*pool); !why.empty())
    types.not_ready = "NodePool " + pool->meta.name + " cannot be read: " + std::string(why);
  auto index = type_index(types.types);
  return {pool, std::move(types.types), std::move(types.not_ready), std::move(index)};
}

std::optional<scheduling::PoolView> Cluster::pool_view(std::string_view name) const {
  if (node_overlays.size() == 0) {
    const auto pool = pools.get(std::string(name));
    return pool ? std::optional(view_of(pool)) : std::nullopt;
  }
  std::map<std::string, std::string> refused;  // one overlay is judged beside the others, over all pools
  for (scheduling::PoolView& view : pool_views(refused)) {
    if (view.pool->meta.name == name) return std::move(view);
  }
  return std::nullopt;
}

}  // namespace tenon::state

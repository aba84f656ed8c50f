// SPDX-License-Identifier: Apache-2.0
#include "scheduling/reference/first_fit_decreasing.h"

#include <algorithm>
#include <tuple>

#include "scheduling/reference/rules.h"

namespace tenon::scheduling::reference {
namespace {

using Pods = std::vector<const model::Pod*>;

struct Bin {
  const NodeView* node = nullptr;
  std::vector<const NewNode*> offers;  // of one pool, that hold the pods
  Pods pods;
};

bool put(const Snapshot& snapshot, Bin& bin, const model::Pod* pod) {
  Pods pods = bin.pods;
  pods.push_back(pod);
  std::vector<const NewNode*> offers;
  for (const NewNode* offer : bin.offers) {
    if (offer->holds(pods)) offers.push_back(offer);
  }
  if (bin.node ? !node_holds(snapshot, *bin.node, pods) : offers.empty()) return false;
  bin.pods = std::move(pods);
  bin.offers = std::move(offers);
  return true;
}

}  // namespace

Best first_fit_decreasing(const Snapshot& snapshot) {
  Pods pods;
  for (const PodPtr& pod : snapshot.pending) pods.push_back(pod.get());
  std::stable_sort(pods.begin(), pods.end(), [](const model::Pod* a, const model::Pod* b) {
    const auto size = [](const model::Pod* p) {
      return std::tuple(p->requests.get(model::kCpu), p->requests.get(model::kMemory));
    };
    return size(a) > size(b);
  });
  std::vector<const PoolView*> pools;  // the heaviest first
  for (const PoolView& view : snapshot.pools) pools.push_back(&view);
  std::sort(pools.begin(), pools.end(), [](const PoolView* a, const PoolView* b) {
    return std::tie(a->pool->weight, a->pool->meta.name) > std::tie(b->pool->weight, b->pool->meta.name);
  });
  const std::vector<NewNode> offers = new_nodes(snapshot);
  std::vector<Bin> bins;
  for (const NodeView& node : snapshot.nodes) bins.push_back({&node, {}, {}});
  Best best;
  for (const model::Pod* pod : pods) {  // priorities do not matter here
    const auto takes = [&](Bin& bin) { return put(snapshot, bin, pod); };
    if (std::any_of(bins.begin(), bins.end(), takes)) continue;
    bool placed = false;
    for (const PoolView* pool : pools) {
      Bin bin;
      for (const NewNode& offer : offers) {
        if (offer.pool == pool) bin.offers.push_back(&offer);
      }
      placed = put(snapshot, bin, pod);
      if (!placed) continue;
      bins.push_back(std::move(bin));
      break;
    }
    if (!placed) ++best.left_behind[pod->priority];
  }
  for (const Bin& bin : bins) {
    if (bin.node) continue;
    const auto cheapest = std::min_element(bin.offers.begin(), bin.offers.end(), [](const auto* a, const auto* b) {
      return a->offering->price < b->offering->price;
    });
    best.price += (*cheapest)->offering->price;
    best.lightness +=
        (pools.front()->pool->weight - (*cheapest)->pool->pool->weight) * static_cast<int64_t>(bin.pods.size());
    ++best.nodes;
  }
  return best;
}

}  // namespace tenon::scheduling::reference

// SPDX-License-Identifier: Apache-2.0
#include "scheduling/reference/first_fit_decreasing.h"

#include <algorithm>
#include <list>
#include <tuple>

#include "model/labels.h"
#include "scheduling/reference/rules.h"

namespace tenon::scheduling::reference {
namespace {

using Pods = std::vector<const model::Pod*>;

struct Bin {
  const NodeView* node = nullptr;
  const PoolView* pool = nullptr;
  std::vector<const NewNode*> offers;  // of the pool, that hold the pods
  Pods pods;
  const NewNode* launch = nullptr;  // the cheapest of them that may be launched
};

class FirstFit {
 public:
  explicit FirstFit(const Snapshot& snapshot);
  Best run();

 private:
  bool place(const model::Pod* pod);
  bool put(Bin& bin, const model::Pod* pod);
  bool choose_launch(Bin& bin) const;
  bool within_limits(const Bin& bin, const NewNode& offer) const;
  bool in_stock(const Bin& bin, const NewNode& offer) const;
  Best result(const Pods& left) const;

  const Snapshot& snapshot_;
  const std::vector<NewNode> offers_;
  std::vector<const PoolView*> pools_;  // the heaviest first
  std::list<Bin> bins_;
  std::vector<Standing> standing_;
};

FirstFit::FirstFit(const Snapshot& snapshot)
    : snapshot_(snapshot), offers_(new_nodes(snapshot)), standing_(running(snapshot)) {
  for (const PoolView& view : snapshot.pools) pools_.push_back(&view);
  std::sort(pools_.begin(), pools_.end(), [](const PoolView* a, const PoolView* b) {
    return std::tie(a->pool->weight, a->pool->meta.name) > std::tie(b->pool->weight, b->pool->meta.name);
  });
  for (const NodeView& node : snapshot.nodes) {
    Bin bin;
    bin.node = &node;
    bins_.push_back(std::move(bin));
  }
}

bool FirstFit::within_limits(const Bin& bin, const NewNode& offer) const {
  if (!bin.pool->pool->limits) return true;
  model::Resources used;
  const auto add = [&](const model::Resources& capacity) {
    used += capacity;
    used.add("nodes", 1);
  };
  for (const NodeView& node : snapshot_.nodes) {
    if (node.pool() == bin.pool->pool->meta.name) used += node.capacity();
  }
  for (const Bin& other : bins_) {
    if (&other != &bin && other.pool == bin.pool) add(other.launch->type->capacity);
  }
  add(offer.type->capacity);
  const auto& limits = bin.pool->pool->limits->entries();
  return std::all_of(limits.begin(), limits.end(), [&](const auto& l) { return used.get(l.first) <= l.second; });
}

bool FirstFit::in_stock(const Bin& bin, const NewNode& offer) const {
  const std::string& id = offer.offering->reservation_id;
  if (id.empty()) return true;
  const auto taken = std::count_if(bins_.begin(), bins_.end(), [&](const Bin& other) {
    return &other != &bin && other.launch != nullptr && other.launch->offering->reservation_id == id;
  });
  return taken < offer.offering->reservation_capacity;
}

bool FirstFit::choose_launch(Bin& bin) const {
  bin.launch = nullptr;
  std::erase_if(bin.offers, [&](const NewNode* offer) { return !offer->holds(bin.pods); });
  for (const NewNode* offer : bin.offers) {
    const bool cheaper = bin.launch == nullptr || offer->offering->price < bin.launch->offering->price;
    if (cheaper && within_limits(bin, *offer) && in_stock(bin, *offer) && reaches_min_values(bin.offers, *offer))
      bin.launch = offer;
  }
  return bin.launch != nullptr;
}

bool FirstFit::put(Bin& bin, const model::Pod* pod) {
  const Bin before = bin;
  bin.pods.push_back(pod);
  const Standing here{pod, bin.node ? static_cast<const void*>(bin.node) : &bin, "", bin.node, &bin.offers};
  const bool holds = bin.node ? node_holds(snapshot_, *bin.node, bin.pods) : choose_launch(bin);
  if (holds && may_arrive(snapshot_, offers_, standing_, here)) {
    standing_.push_back(here);
    return true;
  }
  bin = before;
  return false;
}

bool FirstFit::place(const model::Pod* pod) {
  if (std::any_of(bins_.begin(), bins_.end(), [&](Bin& bin) { return put(bin, pod); })) return true;
  for (const PoolView* pool : pools_) {
    Bin& bin = bins_.emplace_back();
    bin.pool = pool;
    for (const NewNode& offer : offers_) {
      if (offer.pool == pool) bin.offers.push_back(&offer);
    }
    bin.launch = nullptr;
    if (put(bin, pod)) return true;
    bins_.pop_back();
  }
  return false;
}

Best FirstFit::result(const Pods& left) const {
  Best best;
  for (const model::Pod* pod : left) ++best.unplaced[pod->spec->priority];
  const std::map<std::string, int> most = heaviest(snapshot_);
  for (const Bin& bin : bins_) {
    if (bin.node) continue;
    best.price += bin.launch->offering->price;
    for (const model::Pod* pod : bin.pods) best.lightness += most.at(pod->key()) - bin.pool->pool->weight;
    ++best.nodes;
  }
  return best;
}

// Ignores priorities. Repeats the round while it places pods, because some pods can follow only after those that their
// affinity matches.
Best FirstFit::run() {
  Pods left;
  for (const PodPtr& pod : snapshot_.pending) left.push_back(pod.get());
  std::stable_sort(left.begin(), left.end(), [](const model::Pod* a, const model::Pod* b) {
    const auto size = [](const model::Pod* p) {
      return std::tuple(p->spec->requests.get(model::kCpu), p->spec->requests.get(model::kMemory));
    };
    return size(a) > size(b);
  });
  for (size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](const model::Pod* pod) { return place(pod); });
  }
  return result(left);
}

}  // namespace

Best first_fit_decreasing(const Snapshot& snapshot) { return FirstFit(snapshot).run(); }

}  // namespace tenon::scheduling::reference

// Two nested searches. The outer one places each pod in every bin in turn: an existing node, a bin that an earlier pod
// opened, a new bin of each sort, or nowhere. A sort is a pool and, if a rule uses zones, a zone and a side of each
// spread: no rule distinguishes its offers. The inner search launches the bins: each costs its cheapest offering that
// holds its pods; under limits every choice of types is tried.
//
// Pruned are plans that are worse than the best one so far (unschedulable pods, price and nodes only grow), and plans
// that differ only in the order of equal pods (twins). 6 pods have up to 203 partitions (the Bell number), times sorts
// and nodes.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/reference/brute_force.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "model/labels.h"
#include "scheduling/reference/rules.h"

namespace tenon::scheduling::reference {
namespace {

using Pods = std::vector<const model::Pod*>;

struct Choice {  // a way to launch a bin
  model::Price price;
  const model::InstanceType* type;
};

// Offers of one pool. If some rule uses zones, they are of one zone, and each spread counts all of them or none.
struct Sort {
  const PoolView* pool = nullptr;
  std::string zone;
  std::vector<const NewNode*> offers;
};

std::vector<Sort> sorts_of(const Snapshot& snapshot, const std::vector<NewNode>& offers) {
  const bool by_zone = zone_rules(snapshot);
  std::map<std::tuple<const PoolView*, std::string, std::vector<bool>>, Sort> sorts;
  for (const PoolView& pool : snapshot.pools) {
    for (const NewNode& offer : offers) {
      if (offer.pool != &pool) continue;
      std::vector<bool> looked_at;
      for (const PodPtr& pod : snapshot.pending) {
        if (by_zone && !pod->spec->spread.empty()) looked_at.push_back(selects(*pod, offer.labels));
      }
      const std::string zone = by_zone ? offer.offering->zone : "";
      Sort& sort = sorts[{&pool, zone, looked_at}];
      sort.pool = &pool;
      sort.zone = zone;
      sort.offers.push_back(&offer);
    }
  }
  std::vector<Sort> all;
  for (auto& [key, sort] : sorts) all.push_back(std::move(sort));
  return all;
}

// Returns the cheapest offering of each type that holds these pods.
std::vector<Choice> choices(const std::vector<const NewNode*>& offers, const Pods& pods) {
  std::map<const model::InstanceType*, model::Price> least;
  for (const NewNode* node : offers) {
    if (!node->holds(pods)) continue;
    const auto [at, fresh] = least.emplace(node->type, node->offering->price);
    if (!fresh) at->second = std::min(at->second, node->offering->price);
  }
  std::vector<Choice> result;
  for (const auto& [type, price] : least) result.push_back({price, type});
  return result;
}

class Search {
 public:
  Search(const Snapshot& snapshot, const std::optional<Best>& to_beat);
  std::optional<Best> run();

 private:
  struct Bin {
    const NodeView* node = nullptr;
    const Sort* sort = nullptr;
    std::string zone;  // empty: no rule uses zones, or the node has none
    Pods pods;
    size_t set = 0;  // of pods, as bits
  };
  void next(size_t pod, const Best& so_far);
  void put(size_t pod, size_t bin, const Best& so_far);
  bool hopeless(const Best& so_far);
  bool holds(const Bin& bin);
  void finish(const Best& so_far);
  Best counted(const Best& so_far, const model::Pod& pod, const Bin* bin) const;
  const std::vector<Choice>& choices_of(const Bin& bin);
  model::Price least_price(const Bin& bin);
  void choose_launches(size_t bin, model::Price spent);
  bool within_limits() const;

  const Snapshot& snapshot_;
  const std::vector<NewNode> offers_;
  Pods pods_;
  std::vector<size_t> twin_;    // by pod: the last one before it that is equal except for its name; otherwise itself
  std::vector<size_t> bin_of_;  // by pod that has been placed
  const std::vector<Sort> sorts_;
  std::map<std::string, int> heaviest_;  // by pod
  bool limits_ = false;
  std::vector<Bin> bins_;
  std::map<std::pair<const Sort*, size_t>, std::vector<Choice>> choices_;
  std::map<std::pair<const NodeView*, size_t>, bool> held_;
  const std::optional<Best> to_beat_;
  std::optional<Best> best_;
  std::optional<model::Price> cheapest_;                                       // of the current bins
  std::vector<std::pair<const PoolView*, const model::InstanceType*>> types_;  // launched, while trying types
};

constexpr model::Price kImpossible{INT64_MAX / 16};
constexpr size_t kNowhere = SIZE_MAX;

bool twins(const model::Pod& a, const model::Pod& b) {
  model::Pod renamed = a;
  renamed.meta.name = b.meta.name;
  renamed.meta.uid = b.meta.uid;
  return renamed == b;
}

Search::Search(const Snapshot& snapshot, const std::optional<Best>& to_beat)
    : snapshot_(snapshot), offers_(new_nodes(snapshot)), sorts_(sorts_of(snapshot, offers_)), to_beat_(to_beat) {
  for (const PodPtr& pod : snapshot.pending) pods_.push_back(pod.get());
  CHECK(pods_.size() <= kMostPods, "too many pods to try everything");
  for (size_t i = 0; i < pods_.size(); ++i) {
    twin_.push_back(i);
    for (size_t before = 0; before < i; ++before) {
      if (twins(*pods_[before], *pods_[i])) twin_[i] = before;
    }
  }
  bin_of_.assign(pods_.size(), 0);
  heaviest_ = heaviest(snapshot);
  for (const PoolView& pool : snapshot.pools) limits_ |= pool.pool->limits.has_value();
  for (const NodeView& node : snapshot.nodes) {
    if (node.deleting()) continue;
    Bin bin;
    bin.node = &node;
    const auto labels = node.labels();
    bin.zone = std::string(model::lookup(labels, model::kLabelZone));
    bins_.push_back(bin);
  }
}

// Returns the objective with this pod in `bin`; null: unschedulable.
Best Search::counted(const Best& so_far, const model::Pod& pod, const Bin* bin) const {
  Best now = so_far;
  if (bin == nullptr) {
    ++now.unplaced[pod.spec->priority];
  } else if (bin->sort != nullptr) {
    now.lightness += heaviest_.at(pod.key()) - bin->sort->pool->pool->weight;
  }
  return now;
}

const std::vector<Choice>& Search::choices_of(const Bin& bin) {
  const auto [at, fresh] = choices_.try_emplace({bin.sort, bin.set});
  if (fresh) at->second = choices(bin.sort->offers, bin.pods);
  return at->second;
}

model::Price Search::least_price(const Bin& bin) {
  model::Price least = kImpossible;
  for (const Choice& choice : choices_of(bin)) least = std::min(least, choice.price);
  return least;
}

void Search::put(size_t pod, size_t at, const Best& so_far) {
  Bin& bin = bins_[at];
  bin.pods.push_back(pods_[pod]);
  bin.set |= size_t{1} << pod;
  bin_of_[pod] = at;
  if (holds(bin)) next(pod + 1, counted(so_far, *pods_[pod], &bin));
  bins_[at].pods.pop_back();
  bins_[at].set ^= size_t{1} << pod;
}

bool Search::holds(const Bin& bin) {
  if (!bin.node) return least_price(bin) != kImpossible;
  const auto [at, fresh] = held_.try_emplace({bin.node, bin.set});
  if (fresh) at->second = node_holds(snapshot_, *bin.node, bin.pods);
  return at->second;
}

// Returns true if no continuation can be the best plan: unschedulable pods, price and nodes only grow.
bool Search::hopeless(const Best& so_far) {
  if (!best_ && !to_beat_) return false;
  Best least = so_far;
  for (const Bin& bin : bins_) {
    if (!bin.sort) continue;
    least.price += least_price(bin);
    ++least.nodes;
  }
  return best_ ? least >= *best_ : least > *to_beat_;
}

// Places the next pod. The later one of two twins never goes into an earlier bin than the other, since that would
// repeat a plan. "Nowhere" comes last.
void Search::next(size_t pod, const Best& so_far) {
  if (hopeless(so_far)) return;
  if (pod == pods_.size()) return finish(so_far);
  const size_t first = twin_[pod] == pod ? 0 : bin_of_[twin_[pod]];
  for (size_t at = first; at < bins_.size(); ++at) put(pod, at, so_far);
  bin_of_[pod] = kNowhere;
  if (first == kNowhere) return next(pod + 1, counted(so_far, *pods_[pod], nullptr));
  for (const Sort& sort : sorts_) {
    Bin bin;
    bin.sort = &sort;
    bin.zone = sort.zone;
    bins_.push_back(bin);
    put(pod, bins_.size() - 1, so_far);
    bins_.pop_back();
  }
  bin_of_[pod] = kNowhere;
  next(pod + 1, counted(so_far, *pods_[pod], nullptr));
}

void Search::finish(const Best& so_far) {
  std::vector<Standing> standing;
  for (const Bin& bin : bins_) {
    for (const model::Pod* pod : bin.pods)
      standing.push_back({pod, &bin, bin.zone, bin.node, bin.sort ? &bin.sort->offers : nullptr});
  }
  if (!topology_holds(snapshot_, offers_, standing)) return;
  cheapest_.reset();
  choose_launches(0, {});
  if (!cheapest_) return;
  Best found = so_far;
  found.price = *cheapest_;
  for (const Bin& bin : bins_) found.nodes += bin.sort ? 1 : 0;
  if (to_beat_ && found > *to_beat_) return;
  if (!best_ || found < *best_) best_ = found;
}

// Launches the bins: without limits each as its cheapest offering, with limits in every way.
void Search::choose_launches(size_t at, model::Price spent) {
  if (cheapest_ && spent >= *cheapest_) return;
  if (at == bins_.size()) {
    if (within_limits()) cheapest_ = spent;
    return;
  }
  const Bin& bin = bins_[at];
  if (bin.node) return choose_launches(at + 1, spent);
  if (!limits_) return choose_launches(at + 1, spent + least_price(bin));
  for (const Choice& choice : choices_of(bin)) {
    types_.emplace_back(bin.sort->pool, choice.type);
    choose_launches(at + 1, spent + choice.price);
    types_.pop_back();
  }
}

bool Search::within_limits() const {
  for (const PoolView& pool : snapshot_.pools) {
    if (!pool.pool->limits) continue;
    model::Resources used;
    for (const NodeView& node : snapshot_.nodes) {
      if (node.pool() == pool.pool->meta.name && !node.deleting()) used += node.capacity();
    }
    for (const auto& [of, type] : types_) {
      if (of != &pool) continue;
      used += type->capacity;
      used.add("nodes", 1);
    }
    for (const auto& [name, limit] : pool.pool->limits->entries()) {
      const bool more = std::any_of(types_.begin(), types_.end(), [&](const auto& t) { return t.first == &pool; });
      if (more && used.get(name) > limit) return false;
    }
  }
  return true;
}

std::optional<Best> Search::run() {
  next(0, {});
  return best_;
}

}  // namespace

bool feasible(const Snapshot& snapshot, const model::Pod& pod, const NodeView& node) {
  return node_holds(snapshot, node, {&pod});
}

bool feasible(const Snapshot& snapshot, const model::Pod& pod, const PoolView& pool) {
  const std::vector<NewNode> offers = new_nodes(snapshot);
  return std::any_of(offers.begin(), offers.end(),
                     [&](const NewNode& offer) { return offer.pool == &pool && offer.holds({&pod}); });
}

std::map<std::string, int> heaviest(const Snapshot& snapshot) {
  std::map<std::string, int> most;
  const std::vector<NewNode> offers = new_nodes(snapshot);
  for (const PodPtr& pod : snapshot.pending) {
    int& weight = most[pod->key()];
    for (const PoolView& pool : snapshot.pools) {
      std::vector<const NewNode*> possible;
      for (const NewNode& offer : offers) {
        if (offer.pool == &pool && offer.holds({pod.get()})) possible.push_back(&offer);
      }
      const bool launches = std::any_of(possible.begin(), possible.end(), [&](const NewNode* offer) {
        return below_limits(snapshot, *offer) && reaches_min_values(possible, *offer);
      });
      if (launches) weight = std::max(weight, pool.pool->weight);
    }
  }
  return most;
}

Best brute_force(const Snapshot& snapshot) { return *Search(snapshot, {}).run(); }

std::optional<Best> brute_force(const Snapshot& snapshot, const Best& to_beat) {
  return Search(snapshot, to_beat).run();
}

}  // namespace tenon::scheduling::reference

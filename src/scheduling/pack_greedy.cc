// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <limits>
#include <numeric>

#include "scheduling/pack.h"

namespace tenon::scheduling {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kColumnsTried = 12;  // per node: those that could have the best price per value
constexpr double kPull = 0.3;         // how fast values follow what a round paid
constexpr double kLargeFirst = 0.05;  // more for a pod that takes all of a node: it is harder to place later

class Greedy {
 public:
  Greedy(const Packing& packing, const Counts& counts, Budget& budget)
      : packing_(packing), counts_(counts), budget_(budget) {
    for (const Content& content : counts_) values_.push_back(packing.kinds()[content.kind].value);
  }
  // One round; false if the budget ended.
  bool round();
  void correct_values();
  std::vector<Pack> packs;

 private:
  struct Filled {
    double value = 0;
    std::vector<int> pods;  // by position in counts
  };
  void fill(const Column& column, Filled& out);
  void rank_columns(double total);

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  std::vector<double> values_;
  std::vector<int> left_;
  std::vector<std::pair<double, size_t>> ranked_;  // (price per value at the best, column), the best first
};

// No node is worth more than all that is left, or than its room of one resource filled with the pods of most value per
// unit of it.
void Greedy::rank_columns(double total) {
  const size_t resources = packing_.problem().resources.size();
  std::vector<double> worth(resources, 0);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (left_[i] == 0) continue;
    const Amounts& size = *packing_.kinds()[counts_[i].kind].size;
    for (size_t r = 0; r < resources; ++r) {
      const double each = size[r] > 0 ? values_[i] / static_cast<double>(size[r]) : kInfinite;
      worth[r] = std::max(worth[r], each);
    }
  }
  ranked_.clear();
  for (size_t c = 0; c < packing_.columns().size(); ++c) {
    const Column& column = packing_.columns()[c];
    double most = total;
    for (size_t r = 0; r < resources; ++r) most = std::min(most, static_cast<double>((*column.free)[r]) * worth[r]);
    if (most > 0) ranked_.emplace_back(static_cast<double>(column.price) / most, c);
  }
  budget_.spend(static_cast<int64_t>(counts_.size() + ranked_.size() / 4));
  const size_t kept = std::min(ranked_.size(), kColumnsTried);
  std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(kept), ranked_.end());
  ranked_.resize(kept);
}

// The kind with the most value for its share of what the node has left, again and again.
void Greedy::fill(const Column& column, Filled& out) {
  out.value = 0;
  out.pods.assign(counts_.size(), 0);
  Load load(packing_, column);
  std::vector<size_t> candidates;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (left_[i] > 0 && packing_.allowed(column, packing_.kinds()[counts_[i].kind])) candidates.push_back(i);
  }
  while (!candidates.empty()) {
    budget_.spend(static_cast<int64_t>(candidates.size()));
    double best_score = -1;
    size_t best = 0;
    int best_room = 0;
    std::erase_if(candidates, [&](size_t i) {
      const PodKind& kind = packing_.kinds()[counts_[i].kind];
      const int room = std::min(load.room_for(kind), left_[i] - out.pods[i]);
      if (room <= 0) return true;
      const double share = load.share(kind);
      const double score = values_[i] / share * (1 + kLargeFirst * share);
      if (score > best_score) {
        best_score = score;
        best = i;
        best_room = room;
      }
      return false;
    });
    if (candidates.empty()) break;
    // In steps: what goes best changes as the node fills up.
    const int count = candidates.size() == 1 ? best_room : std::max(1, (2 * best_room + 2) / 3);
    load.add(packing_.kinds()[counts_[best].kind], count);
    out.pods[best] += count;
    out.value += values_[best] * count;
  }
}

bool Greedy::round() {
  packs.clear();
  left_.clear();
  double total = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    left_.push_back(counts_[i].count);
    total += values_[i] * counts_[i].count;
  }
  Filled filled, best;
  for (int64_t pods = std::accumulate(left_.begin(), left_.end(), int64_t{0}); pods > 0;) {
    double best_ratio = kInfinite;
    size_t best_column = 0;
    rank_columns(total);
    for (const auto& [at_best, c] : ranked_) {
      if (at_best >= best_ratio) break;
      const auto price = static_cast<double>(packing_.columns()[c].price);
      fill(packing_.columns()[c], filled);
      if (filled.value <= 0 || price / filled.value >= best_ratio) continue;
      best_ratio = price / filled.value;
      best_column = c;
      std::swap(best, filled);
    }
    if (budget_.spent() || best_ratio == kInfinite) return false;
    int times = INT_MAX;
    Pack pack{best_column, {}};
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (best.pods[i] == 0) continue;
      times = std::min(times, left_[i] / best.pods[i]);
      pack.contents.push_back({counts_[i].kind, best.pods[i]});
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      left_[i] -= times * best.pods[i];
      pods -= int64_t{times} * best.pods[i];
    }
    total -= best.value * times;
    packs.insert(packs.end(), static_cast<size_t>(times), pack);
  }
  return true;
}

void Greedy::correct_values() {
  std::vector<double> paid(packing_.kinds().size(), 0), value_of(packing_.kinds().size(), 0);
  for (size_t i = 0; i < counts_.size(); ++i) value_of[counts_[i].kind] = values_[i];
  for (const Pack& pack : packs) {
    double value = 0;
    for (const Content& c : pack.contents) value += value_of[c.kind] * c.count;
    const double ratio = static_cast<double>(packing_.columns()[pack.column].price) / value;
    for (const Content& c : pack.contents) paid[c.kind] += ratio * value_of[c.kind] * c.count;
  }
  for (size_t i = 0; i < counts_.size(); ++i) {
    const double each = paid[counts_[i].kind] / counts_[i].count;
    values_[i] += kPull * (each - values_[i]);
  }
}

}  // namespace

Load::Load(const Packing& packing, const Column& column) : packing_(packing), left_(*column.free) {}

const Load::HostCount* Load::find(size_t group) const {
  const auto at = std::find_if(host_.begin(), host_.end(), [&](const HostCount& h) { return h.group == group; });
  return at == host_.end() ? nullptr : &*at;
}

int Load::room_for(const PodKind& kind) const {
  int64_t room = INT_MAX;
  for (size_t i = 0; i < left_.size(); ++i) {
    if ((*kind.size)[i] > 0) room = std::min(room, left_[i] / (*kind.size)[i]);
  }
  for (const GroupUse& use : kind.host) {
    if (room <= 0) break;
    const Group& group = packing_.problem().groups[use.group];
    const HostCount* count = find(use.group);
    const int matched = count ? count->matched : 0, owners = count ? count->owners : 0;
    if (group.kind == GroupKind::kSpread) {
      if (!use.owned && owners == 0) continue;
      if (use.matched) {
        room = std::min<int64_t>(room, group.max_skew - matched);
      } else if (matched > group.max_skew) {
        room = 0;
      }
    } else if (group.kind != GroupKind::kAffinity) {
      const bool blocks = group.kind == GroupKind::kAntiAffinity && use.matched && owners > 0;
      if ((use.owned && matched > 0) || blocks) room = 0;
      if (use.owned && use.matched) room = std::min<int64_t>(room, 1);
    }
  }
  return static_cast<int>(std::max<int64_t>(room, 0));
}

void Load::add(const PodKind& kind, int count) {
  for (size_t i = 0; i < left_.size(); ++i) left_[i] -= count * (*kind.size)[i];
  for (const GroupUse& use : kind.host) {
    if (find(use.group) == nullptr) host_.push_back({use.group, 0, 0});
    HostCount& h = *std::find_if(host_.begin(), host_.end(), [&](const HostCount& x) { return x.group == use.group; });
    if (use.matched) h.matched += count;
    if (use.owned) h.owners += count;
  }
}

double Load::share(const PodKind& kind) const {
  double sum = 0;
  for (size_t i = 0; i < left_.size(); ++i) {
    const int64_t size = (*kind.size)[i];
    if (size > 0) sum += static_cast<double>(size) / static_cast<double>(left_[i]);
  }
  return sum;
}

Cost cost_of(const Packing& packing, std::span<const Pack> packs) {
  Cost cost{0, packs.size()};
  for (const Pack& pack : packs) cost.price += packing.columns()[pack.column].price;
  return cost;
}

std::optional<std::vector<Pack>> pack_greedily(const Packing& packing, const Counts& counts, int rounds,
                                               Budget& budget) {
  Greedy greedy(packing, counts, budget);
  std::optional<std::vector<Pack>> best;
  for (int round = 0; round < rounds && greedy.round(); ++round) {
    if (!best || cost_of(packing, greedy.packs) < cost_of(packing, *best)) best = greedy.packs;
    greedy.correct_values();
  }
  return best;
}

}  // namespace tenon::scheduling

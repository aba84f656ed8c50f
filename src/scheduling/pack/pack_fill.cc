// Load and Filler: fill one node so that the values of its pods have a high sum, a multidimensional knapsack problem.
// Column generation and the greedy packing solve it for many columns each time, so they use one of two heuristics:
//
//   fill()       Adds the kind with the most value for its share of the free resources (sum over resources of
//                size / free, which prices scarce resources higher as the node fills), in chunks of two thirds of its
//                room. Knows rules by hostname and host ports. Cost: kinds × resources for each chunk.
//   fill_best()  Sorts kinds by value for a fixed mix of the two scarcest resources, as for a knapsack with one
//                resource, for five mixes. The fractional knapsack of each mix is an upper bound; if it does not
//                exceed `enough`, the search ends. Otherwise the node is also filled by share, and then (`closely`) by
//                local search: takes out one pod or half of a kind, tops up with others, keeps gains.
//
// Example: 4 CPU and 16 GiB free; A = 1 CPU and 2 GiB worth 0.05, B = 1 CPU and 8 GiB worth 0.07. The shares are A 1/4
// + 2/16 = 0.375 and B 1/4 + 8/16 = 0.75, so A scores 0.133 and B 0.093, before a small bonus for large pods. Four pods
// of A fit; three are added first.
//
// fill_best() computes in floating point; the caller checks the node in integers before it is used.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>

#include "scheduling/compile/rules.h"
#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr double kLargeFirst = 0.05;  // bonus for a pod that takes a whole node: large pods are harder to place later
constexpr std::array kMixes{0.0, 0.25, 0.5, 0.75, 1.0};  // of the scarcest resource
constexpr int kPasses = 3;                               // of exchanges
constexpr double kRounding = 1e-9;  // of a quotient or a sum; the caller checks the node in integers

}  // namespace

Load::Load(const Packing& packing, const Column& column) : packing_(packing), left_(*column.free) {}

const Load::Owned* Load::find(size_t group) const {
  const auto at = std::find_if(host_.begin(), host_.end(), [&](const Owned& h) { return h.group == group; });
  return at == host_.end() ? nullptr : &*at;
}

int Load::room_for(const PodKind& kind) const {
  int64_t room = kind.minds_company() ? host_room(kind) : INT_MAX;
  for (size_t i = 0; i < left_.size(); ++i) {
    if ((*kind.size)[i] > 0) room = std::min(room, left_[i] / (*kind.size)[i]);
  }
  return static_cast<int>(std::max<int64_t>(room, 0));
}

int Load::host_room(const PodKind& kind) const {
  int64_t room = INT_MAX;
  if (!kind.ports.empty()) room = ports_conflict(kind.ports, ports_) ? 0 : 1;
  for (const GroupUse& use : kind.host) {
    if (room <= 0) break;
    const Group& group = packing_.problem().groups[use.group];
    const Owned* count = find(use.group);
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
    Owned& h = *std::find_if(host_.begin(), host_.end(), [&](const Owned& x) { return x.group == use.group; });
    if (use.matched) h.matched += count;
    if (use.owned) h.owners += count;
  }
  if (count > 0) ports_.insert(ports_.end(), kind.ports.begin(), kind.ports.end());
}

Filler::Filler(const Packing& packing, const Counts& counts)
    : packing_(packing), counts_(counts), resources_(packing.problem().resources.size()) {
  for (const Content& content : counts) {
    for (const int64_t amount : *packing.kinds()[content.kind].size) {
      sizes_.push_back(static_cast<double>(amount));
      inverse_.push_back(amount > 0 ? 1 / static_cast<double>(amount) : 0);
    }
    minds_company_.push_back(packing.kinds()[content.kind].minds_company() ? 1 : 0);
  }
  free_.resize(resources_);
  start_.resize(resources_);
  share_.resize(resources_);
}

// Finds the two resources that the remaining pods would use up first.
void Filler::find_scarce(const Column& column, const std::vector<int>& left) {
  std::vector<double> demand(resources_, 0);
  for (const size_t i : candidates_) {
    for (size_t r = 0; r < resources_; ++r) demand[r] += left[i] * sizes_[i * resources_ + r];
  }
  for (size_t r = 0; r < resources_; ++r) {
    const auto free = static_cast<double>((*column.free)[r]);
    demand[r] = free > 0 ? demand[r] / free : 0;
  }
  scarce_ = {0, 0};
  for (size_t r = 1; r < resources_; ++r) {
    if (demand[r] > demand[scarce_[0]]) scarce_[0] = r;
  }
  scarce_[1] = scarce_[0] == 0 && resources_ > 1 ? 1 : 0;
  for (size_t r = 0; r < resources_; ++r) {
    if (r != scarce_[0] && demand[r] > demand[scarce_[1]]) scarce_[1] = r;
  }
}

// Fills by value for a fixed mix of the two scarce resources, with as many pods of each kind as fit. Lowers at_most_ to
// the value of the fractional knapsack.
void Filler::fill_by_mix(double share, const std::vector<double>& values, Budget& budget) {
  const auto [a, b] = scarce_;
  const double weight_a = share / std::max(1.0, start_[a]), weight_b = (1 - share) / std::max(1.0, start_[b]);
  budget.spend(static_cast<int64_t>(candidates_.size()));
  ranked_.clear();
  for (const size_t i : candidates_) {
    const double* size = sizes_.data() + i * resources_;
    ranked_.emplace_back((weight_a * size[a] + weight_b * size[b]) / values[i], i);
  }
  std::sort(ranked_.begin(), ranked_.end());
  free_ = start_;
  trial_.assign(counts_.size(), 0);
  double space = 1, worth = 0;  // of the fractional knapsack with these two resources only
  for (const auto& [cost, i] : ranked_) {
    if (const int count = room(i); count > 0) put(i, count);
    const double whole = std::min(values[i] * most_[i], cost > 0 ? space / cost : kInfinite);
    worth += whole;
    space -= whole * cost;
  }
  at_most_ = std::min(at_most_, worth);
}

int Filler::room(size_t i) const {
  const double* size = sizes_.data() + i * resources_;
  const double* inverse = inverse_.data() + i * resources_;
  double quotient = most_[i] - trial_[i];
  for (size_t r = 0; r < resources_; ++r) {
    if (size[r] > 0) quotient = std::min(quotient, free_[r] * inverse[r]);
  }
  return static_cast<int>(quotient + kRounding);  // truncates: 0 for a node that rounding has overfilled
}

void Filler::put(size_t i, int count) {
  trial_[i] += count;
  for (size_t r = 0; r < resources_; ++r) free_[r] -= count * sizes_[i * resources_ + r];
}

double Filler::worth_of_trial(const std::vector<double>& values) const {
  double worth = 0;
  for (const size_t i : candidates_) worth += values[i] * trial_[i];
  return worth;
}

// Fills the free resources with the kind with the most value for its share of them, repeatedly; never with `but`.
void Filler::top_up(const std::vector<double>& values, size_t but, Budget& budget) {
  for (;;) {
    budget.spend(static_cast<int64_t>(candidates_.size()) / 2);
    for (size_t r = 0; r < resources_; ++r) share_[r] = free_[r] > 0 ? 1 / free_[r] : 0;
    double best_score = 0;
    size_t best = counts_.size();
    int best_room = 0;
    for (const size_t i : candidates_) {
      if (i == but) continue;
      const int here = room(i);
      if (here <= 0) continue;
      double share = 0;
      for (size_t r = 0; r < resources_; ++r) share += sizes_[i * resources_ + r] * share_[r];
      if (values[i] <= best_score * share) continue;
      best_score = values[i] / share;
      best = i;
      best_room = here;
    }
    if (best == counts_.size()) return;
    put(best, (best_room + 1) / 2);
  }
}

void Filler::keep_if_better(const std::vector<double>& values) {
  const double worth = worth_of_trial(values);
  if (worth <= value * (1 + kRounding)) return;
  value = worth;
  pods = trial_;
}

// Local search: takes out one pod or half of the pods of a kind and tops up with others, as long as the value rises.
void Filler::exchange(const std::vector<double>& values, Budget& budget) {
  for (int pass = 0; pass < kPasses; ++pass) {
    const double before = value;
    for (const size_t i : candidates_) {
      for (const int out : {1, pods[i] / 2}) {
        if (pods[i] == 0 || out == 0) continue;
        trial_ = pods;
        free_ = start_;
        for (const size_t k : candidates_) {
          const int count = trial_[k];
          trial_[k] = 0;
          put(k, k == i ? count - out : count);
        }
        top_up(values, i, budget);
        put(i, std::max(0, room(i)));
        keep_if_better(values);
      }
    }
    if (value <= before) return;
  }
}

void Filler::fill_best(const Column& column, const std::vector<int>& left, const std::vector<double>& values,
                       bool closely, double enough, Budget& budget) {
  list_candidates(column, left, values);
  at_most_ = kInfinite;
  const auto minds = [&](size_t i) { return minds_company_[i] != 0; };
  if (std::any_of(candidates_.begin(), candidates_.end(), minds)) return fill_by_share(column, values, budget);
  for (size_t r = 0; r < resources_; ++r) start_[r] = static_cast<double>((*column.free)[r]);
  find_scarce(column, left);
  for (const double share : kMixes) {
    fill_by_mix(share, values, budget);
    keep_if_better(values);
  }
  if (at_most_ <= enough || value > enough) return;
  free_ = start_;
  trial_.assign(counts_.size(), 0);
  top_up(values, counts_.size(), budget);
  keep_if_better(values);
  if (closely && value <= enough) exchange(values, budget);
}

size_t Filler::cheapest(const std::vector<int>& contents, size_t column) const {
  std::vector<double> size(resources_, 0);
  for (size_t i = 0; i < contents.size(); ++i) {
    for (size_t r = 0; r < resources_; ++r) size[r] += contents[i] * sizes_[i * resources_ + r];
  }
  for (size_t c = 0; c < column; ++c) {
    const Column& cheaper = packing_.columns()[c];
    bool holds = true;
    for (size_t r = 0; r < resources_ && holds; ++r) holds = size[r] <= static_cast<double>((*cheaper.free)[r]);
    for (size_t i = 0; i < contents.size() && holds; ++i)
      holds = contents[i] == 0 || packing_.allowed(cheaper, packing_.kinds()[counts_[i].kind]);
    if (holds) return c;
  }
  return column;
}

void Filler::list_candidates(const Column& column, const std::vector<int>& left, const std::vector<double>& values) {
  value = 0;
  pods.assign(counts_.size(), 0);
  most_ = left;
  candidates_.clear();
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (left[i] > 0 && values[i] > 0 && packing_.allowed(column, packing_.kinds()[counts_[i].kind]))
      candidates_.push_back(i);
  }
}

void Filler::fill(const Column& column, const std::vector<int>& left, const std::vector<double>& values,
                  Budget& budget) {
  list_candidates(column, left, values);
  fill_by_share(column, values, budget);
}

// Adds the kind with the most value for its share of the free resources, repeatedly.
void Filler::fill_by_share(const Column& column, const std::vector<double>& values, Budget& budget) {
  Load load(packing_, column);
  double worth = 0;
  trial_.assign(counts_.size(), 0);
  while (!candidates_.empty()) {
    budget.spend(static_cast<int64_t>(candidates_.size()));
    for (size_t r = 0; r < resources_; ++r) {
      free_[r] = static_cast<double>(std::max<int64_t>(load.left()[r], 0));
      share_[r] = free_[r] > 0 ? 1 / free_[r] : 0;
    }
    double best_score = -1;
    size_t best = 0;
    std::erase_if(candidates_, [&](size_t i) {
      const double* size = sizes_.data() + i * resources_;
      bool fits = trial_[i] < most_[i];
      double share = 0;
      for (size_t r = 0; r < resources_; ++r) {
        fits &= size[r] <= free_[r];
        share += size[r] * share_[r];
      }
      if (!fits || (minds_company_[i] != 0 && load.host_room(packing_.kinds()[counts_[i].kind]) <= 0)) return true;
      const double score = values[i] / share * (1 + kLargeFirst * share);
      if (score > best_score) {
        best_score = score;
        best = i;
      }
      return false;
    });
    if (candidates_.empty()) break;
    const PodKind& kind = packing_.kinds()[counts_[best].kind];
    const int best_room = std::min(most_[best] - trial_[best], load.room_for(kind));
    if (best_room <= 0) {
      std::erase(candidates_, best);
      continue;
    }
    // In chunks: the best kind changes as the node fills up.
    const int count = candidates_.size() == 1 ? best_room : std::max(1, (2 * best_room + 2) / 3);
    load.add(kind, count);
    trial_[best] += count;
    worth += values[best] * count;
  }
  if (worth > value) {
    value = worth;
    std::swap(pods, trial_);
  }
}

}  // namespace tenon::scheduling

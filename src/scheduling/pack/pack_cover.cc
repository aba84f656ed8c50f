// Cover: packs pods that are small compared with nodes. With many pods per node, nearly any mix of pods fills a node,
// so the choice of nodes can be separated from the placement of pods:
//
//   1. Choose. The linear programme  min Σ price_c·x_c,  Σ free_c,r·x_c ≥ need_r for each resource r  has as many rows
//      as resources. Its optimum is a lower bound of any packing, and its duals are prices of resources. Whole nodes
//      of the optimum are taken; round_up() adds the cheapest three nodes or fewer that supply the rest, with a
//      reserve of 0.05 % (more if pods are left over).
//   2. Fill all chosen nodes at the same time: best-fit decreasing for vectors. Pods come by the price of their
//      resources, highest first; each goes into the node whose free resources have the most similar direction (cosine,
//      weighted by the prices). The mix of the remaining pods stays the same until the end; filling node after node
//      leaves pods that pack badly for the last nodes.
//
// A result within 0.5 % of the programme's value is final: no packing is cheaper than that value.
//
//   2,000 CPU and 5,000 GiB of pods; nodes of 16 CPU: c with 32 GiB for 0.68 USD/h, m with 64 GiB for 0.768 USD/h.
//   x = 93.75 c + 31.25 m, 87.75 USD/h. 93 c + 31 m are taken; they lack 17 CPU and 42.5 GiB, reserve included.
//
// Cost: round_up() is cubic in distinct columns but prunes by price; fill() is pods × nodes × resources. Above
// kMaxFillSteps steps, fill() packs one part of the pods, and its nodes are repeated for each part. See
// docs/decisions/0023.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <climits>
#include <numeric>
#include <set>

#include "lp/lp.h"
#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr std::array kSpare{0.0005, 0.002, 0.006, 0.012, 0.025};  // of what all pods need
constexpr double kClose = 1.005;            // times what resources alone cost: more work cannot gain more than that
constexpr int64_t kComparisonsPerStep = 8;  // nodes or columns that are compared in one step
constexpr int64_t kMaxFillSteps = 25'000;   // in steps, to fill all nodes once; above it only one part is filled
constexpr double kLeastPods = 10;           // per node, on average: for small nodes rounding up loses too much

using Shares = std::vector<double>;  // by resource, of what all pods need

class Cover {
 public:
  Cover(const Packing& packing, const Counts& counts, Budget& budget)
      : packing_(packing), counts_(counts), budget_(budget), resources_(packing.problem().resources.size()) {
    add_up();
  }
  // Returns false if nodes would hold too few pods, or if the programme has no solution.
  bool price_resources();
  // Returns by how much the number of pods must be divided to bound the work.
  int parts() const;
  std::optional<std::vector<Pack>> run();
  bool is_close(std::span<const Pack> packs) const {
    return static_cast<double>(cost_of(packing_, packs).price) <= least_ * kClose * kPico;
  }

 private:
  struct Node {
    size_t column;
    Amounts left;
    std::vector<int> pods;  // by position in counts
  };
  void add_up();
  bool choose(double spare);
  bool round_up(const Shares& need);
  void open(size_t column) {
    nodes_.push_back({column, *packing_.columns()[column].free, std::vector<int>(counts_.size(), 0)});
  }
  void fill();
  bool put(size_t position);
  std::optional<std::vector<Pack>> packs();
  double nodes() const { return std::accumulate(levels_.begin(), levels_.end(), 0.0); }
  double pods() const {
    return std::accumulate(counts_.begin(), counts_.end(), 0.0,
                           [](double sum, const Content& content) { return sum + content.count; });
  }
  const Amounts& size_of(size_t position) const { return *packing_.kinds()[counts_[position].kind].size; }

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  const size_t resources_;
  std::vector<double> inverse_;   // of what all pods need, by resource; 0 where they need nothing
  std::vector<Shares> share_;     // by column
  std::vector<size_t> distinct_;  // columns, without those with the price and the room of an earlier one
  double least_ = 0;              // USD; what the resources cost: a lower bound
  std::vector<double> levels_;    // by column: nodes
  std::vector<double> weight_;    // by resource: what a unit costs
  std::vector<size_t> order_;     // of positions: large pods first
  std::vector<Node> nodes_;
  std::vector<int> left_;  // by position in counts
};

void Cover::add_up() {
  std::vector<double> total(resources_, 0);
  for (size_t i = 0; i < counts_.size(); ++i) {
    for (size_t r = 0; r < resources_; ++r) total[r] += static_cast<double>(size_of(i)[r]) * counts_[i].count;
  }
  for (const double amount : total) inverse_.push_back(amount > 0 ? 1 / amount : 0);
  std::set<std::pair<int64_t, Amounts>> known;
  for (const Column& column : packing_.columns()) {
    if (known.emplace(column.price, *column.free).second) distinct_.push_back(share_.size());
    Shares share;
    for (size_t r = 0; r < resources_; ++r) share.push_back(static_cast<double>((*column.free)[r]) * inverse_[r]);
    share_.push_back(std::move(share));
  }
}

// Solves the linear programme of step 1, and sorts the kinds by the price of one pod's resources.
bool Cover::price_resources() {
  std::vector<double> rows;
  for (const double inverse : inverse_) rows.push_back(inverse > 0 ? 1 : 0);
  lp::Lp programme(rows);
  for (size_t c = 0; c < share_.size(); ++c) {
    lp::Column entry{.cost = static_cast<double>(packing_.columns()[c].price) / kPico, .entries = {}};
    for (size_t r = 0; r < resources_; ++r) {
      if (share_[c][r] > 0) entry.entries.emplace_back(static_cast<int>(r), share_[c][r]);
    }
    programme.add(entry);
  }
  budget_.spend(static_cast<int64_t>(share_.size() * resources_));
  auto optimum = programme.solve();
  if (!optimum) return false;
  least_ = optimum->value;
  levels_ = std::move(optimum->levels);
  for (size_t r = 0; r < resources_; ++r) weight_.push_back(std::max(0.0, optimum->duals[r]) * inverse_[r]);
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < counts_.size(); ++i) {
    double worth = 0;
    for (size_t r = 0; r < resources_; ++r) worth += weight_[r] * static_cast<double>(size_of(i)[r]);
    order.emplace_back(-worth, i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [worth, i] : order) order_.push_back(i);
  return pods() >= kLeastPods * nodes();
}

int Cover::parts() const {
  int parts = 1;
  while (pods() / parts * (1 + nodes() / parts / kComparisonsPerStep) > kMaxFillSteps) ++parts;
  return parts;
}

// Adds the cheapest three columns or fewer that supply what the nodes so far lack. Tries each price and room once, even
// if several NodePools offer it, because the time grows with the cube of the columns.
bool Cover::round_up(const Shares& need) {
  const auto& columns = packing_.columns();
  const auto less = [&](const Shares& from, size_t column) {
    Shares rest(resources_);
    for (size_t r = 0; r < resources_; ++r) rest[r] = std::max(0.0, from[r] - share_[column][r]);
    return rest;
  };
  const auto nothing = [](const Shares& shares) {
    return std::all_of(shares.begin(), shares.end(), [](double share) { return share <= 0; });
  };
  if (nothing(need)) return true;
  int64_t best = INT64_MAX;
  std::vector<size_t> chosen;
  const auto choose = [&](int64_t price, std::initializer_list<size_t> some) {
    best = price;
    chosen = some;
  };
  const auto price = [&](size_t i) { return columns[distinct_[i]].price; };
  for (size_t a = 0; a < distinct_.size() && price(a) < best; ++a) {
    const Shares one = less(need, distinct_[a]);
    if (nothing(one)) choose(price(a), {distinct_[a]});
    for (size_t b = 0; b <= a && price(a) + price(b) < best; ++b) {
      const int64_t pair = price(a) + price(b);
      const Shares two = less(one, distinct_[b]);
      budget_.spend(1 + static_cast<int64_t>(b) / kComparisonsPerStep);
      if (nothing(two)) choose(pair, {distinct_[a], distinct_[b]});
      for (size_t c = 0; c <= b && pair + price(c) < best; ++c) {
        if (std::equal(two.begin(), two.end(), share_[distinct_[c]].begin(), std::less_equal<>()))
          choose(pair + price(c), {distinct_[a], distinct_[b], distinct_[c]});
      }
    }
  }
  for (const size_t column : chosen) open(column);
  return !chosen.empty();
}

bool Cover::choose(double spare) {
  nodes_.clear();
  Shares need;
  for (const double inverse : inverse_) need.push_back(inverse > 0 ? 1 + spare : 0);
  for (size_t c = 0; c < levels_.size(); ++c) {
    const auto whole = static_cast<size_t>(levels_[c] * (1 + spare));
    for (size_t i = 0; i < whole; ++i) open(c);
    for (size_t r = 0; r < resources_; ++r) need[r] -= share_[c][r] * static_cast<double>(whole);
  }
  return round_up(need);
}

// Places one pod on the node whose free resources are most similar to it, weighted by the prices of the resources.
// Returns false if no node has room.
bool Cover::put(size_t position) {
  const PodKind& kind = packing_.kinds()[counts_[position].kind];
  budget_.spend(1 + static_cast<int64_t>(nodes_.size()) / kComparisonsPerStep);
  double best_likeness = -1;
  Node* best = nullptr;
  for (Node& node : nodes_) {
    double product = 0, square = 0;
    bool fits = packing_.allowed(packing_.columns()[node.column], kind);
    for (size_t r = 0; r < resources_; ++r) {
      fits &= (*kind.size)[r] <= node.left[r];
      const double room = weight_[r] * static_cast<double>(node.left[r]);
      product += weight_[r] * static_cast<double>((*kind.size)[r]) * room;
      square += room * room;
    }
    const double likeness = square > 0 ? product * product / square : 0;
    if (!fits || likeness <= best_likeness) continue;
    best_likeness = likeness;
    best = &node;
  }
  if (best == nullptr) return false;
  for (size_t r = 0; r < resources_; ++r) best->left[r] -= (*kind.size)[r];
  ++best->pods[position];
  return true;
}

void Cover::fill() {
  left_.clear();
  for (const Content& content : counts_) left_.push_back(content.count);
  for (const size_t i : order_) {
    while (left_[i] > 0 && !budget_.spent() && put(i)) --left_[i];
  }
}

// Returns the filled nodes, each as its cheapest column, and greedily packed nodes for the pods that did not fit.
std::optional<std::vector<Pack>> Cover::packs() {
  std::vector<Pack> packs;
  Counts rest;
  for (size_t i = 0; i < left_.size(); ++i) {
    if (left_[i] > 0) rest.push_back({counts_[i].kind, left_[i]});
  }
  if (!rest.empty()) {
    auto more = pack_greedily(packing_, rest, 1, budget_);
    if (!more) return std::nullopt;
    packs = std::move(*more);
  }
  for (const Node& node : nodes_) {
    std::vector<Content> contents = contents_of(counts_, node.pods);
    if (contents.empty()) continue;
    const size_t column = cheapest_column(packing_, contents);
    packs.push_back({column, std::move(contents)});
  }
  return packs;
}

std::optional<std::vector<Pack>> Cover::run() {
  std::optional<std::vector<Pack>> best;
  for (const double spare : kSpare) {
    if (!choose(spare)) break;
    fill();
    auto found = packs();
    if (!found || budget_.spent()) break;
    if (!best || cost_of(packing_, *found) < cost_of(packing_, *best)) best = std::move(found);
    if (is_close(*best)) break;
  }
  return best;
}

// Packs one part of the pods, repeats its nodes for each part, and packs the remainder of the division separately.
std::optional<std::vector<Pack>> run_in_parts(const Packing& packing, const Counts& counts, int parts, Budget& budget) {
  Counts part, rest;
  for (const Content& content : counts) {
    if (content.count >= parts) part.push_back({content.kind, content.count / parts});
    if (content.count % parts > 0) rest.push_back({content.kind, content.count % parts});
  }
  if (part.empty()) return std::nullopt;
  const auto one = pack_covering(packing, part, budget);
  if (!one) return std::nullopt;
  std::vector<Pack> packs;
  for (int i = 0; i < parts; ++i) packs.insert(packs.end(), one->packs.begin(), one->packs.end());
  if (rest.empty()) return packs;
  auto last = pack_covering(packing, rest, budget);
  if (!last) {
    auto greedy = pack_greedily(packing, rest, 1, budget);
    if (!greedy) return std::nullopt;
    last = {std::move(*greedy)};
  }
  packs.insert(packs.end(), last->packs.begin(), last->packs.end());
  return packs;
}

}  // namespace

std::optional<Covering> pack_covering(const Packing& packing, const Counts& counts, Budget& budget) {
  const auto minds = [&](const Content& content) { return packing.kinds()[content.kind].minds_company(); };
  if (std::any_of(counts.begin(), counts.end(), minds)) return std::nullopt;
  Cover cover(packing, counts, budget);
  if (!cover.price_resources()) return std::nullopt;
  const int parts = cover.parts();
  auto packs = parts == 1 ? cover.run() : run_in_parts(packing, counts, parts, budget);
  if (!packs) return std::nullopt;
  const bool close = cover.is_close(*packs);
  return Covering{std::move(*packs), close};
}

}  // namespace tenon::scheduling

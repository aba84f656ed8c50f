// How a WhatIf answers a question: it takes the nodes out of the State, places their pods by first fit, and reads the
// result; the next question undoes all of it.
//
// without() makes up to five attempts, as solve() does without improvement: pods by size, by priority, and up to three
// times with those pods first that were left behind and have spreads by domain. Each attempt starts from the same
// State. The offer limits the number, the price, and the total price of new nodes.
//
// forecast_unschedulable() checks whether kube-scheduler, which does not know the plan, could place the pods
// differently and leave one out. It runs up to kForecasts forecasts (forecast.h) with different orders of eviction and
// random ties: smallest pods first, random orders, largest first. A move of few pods has more runs, so that the work is
// about kForecastWork.
//
//   3 pods, 40 nodes: 20,000 / (3 × 40) = 166, so 100 runs and the last one
//   500 pods, 5,000 nodes: 20,000 / (500 × 100) < 1, so 1 run and the last one; only the last one if all always fit
//
// Cost: an attempt is a first fit of the pods that move; forecasts are pods × kFitTestsPerPod × runs at most.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "scheduling/compile/parts.h"
#include "scheduling/input/solution.h"
#include "scheduling/what_if/what_if.h"

namespace tenon::scheduling {
namespace {

// Limits of the forecasts of one move: their number, about the number of (pod, node) pairs in all runs, and the number
// of nodes that are counted per pod.
constexpr size_t kForecasts = 100, kForecastWork = 20'000, kFitTestsPerPod = 100;

}  // namespace

// Makes domains eligible in which a node can be launched for the pods that move: they count for the minimum of their
// spreads. The offer's price does not matter: when the pods are pending, the provisioner launches there at any price.
void WhatIf::reach() {
  std::set<size_t> classes, groups;
  for (const size_t pod : moving_) classes.insert(problem_.pods[pod].pod_class);
  for (const size_t c : classes) {
    for (const Form& form : problem_.classes[c].forms) {
      for (const auto& [key, use] : form.uses) {
        if (problem_.groups[use.group].kind == GroupKind::kSpread) groups.insert(use.group);
      }
    }
  }
  if (groups.empty()) return;
  std::vector<RowSet> rows;
  for (size_t p = 0; p < problem_.pools.size(); ++p) {
    RowSet of_pool(problem_.pools[p].rows.size());
    for (const size_t c : classes) {
      for (const Form& form : problem_.classes[c].forms) {
        for (const Variant& variant : *form.variants) of_pool |= variant.rows[p];
      }
    }
    rows.push_back(std::move(of_pool));
  }
  for (const size_t g : groups) {
    for (const size_t domain : domains_in_reach(problem_, problem_.groups[g], rows)) {
      ++problem_.groups[g].eligible[domain];
      reached_.emplace_back(g, domain);
    }
  }
}

void WhatIf::begin(std::span<const size_t> nodes) {
  state_.begin();
  open_ = true;
  for (const size_t n : nodes) {
    state_.remove_node(n);
    state_.change_left(pool_[n], charge_[n], 1);
  }
  reach();
}

void WhatIf::undo() {
  if (!open_) return;
  for (const auto& [group, domain] : reached_) --problem_.groups[group].eligible[domain];
  reached_.clear();
  state_.undo();
  open_ = false;
}

// Ranks the classes by size, and by priority and then size. Pods of CapacityBuffers come last.
void WhatIf::rank_classes() {
  using Rank = std::tuple<bool, int64_t, int64_t, int64_t>;
  const auto rank = [&](bool by_priority) {
    std::vector<Rank> of_class;
    for (const PodClass& c : problem_.classes) {
      const model::PodSpec& spec = *c.sample->spec;
      of_class.emplace_back(!spec.buffer.empty(), by_priority ? -int64_t{spec.priority} : 0,
                            -spec.requests.get(model::kCpu), -spec.requests.get(model::kMemory));
    }
    std::vector<Rank> sorted = of_class;
    std::sort(sorted.begin(), sorted.end());
    std::vector<size_t> ranks;
    for (const Rank& each : of_class) {
      ranks.push_back(static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), each) - sorted.begin()));
    }
    return ranks;
  };
  rank_by_size_ = rank(false);
  rank_by_priority_ = rank(true);
}

// Returns the moving pods like pods_in_order(), with those of `first` before the others. `moving_` is sorted, so the
// pods of a class keep their order, and only the classes are sorted: by rank, then by their first pod.
std::vector<size_t> WhatIf::in_order(std::span<const size_t> first, bool by_priority) const {
  const std::vector<size_t>& rank = by_priority ? rank_by_priority_ : rank_by_size_;
  struct Run {
    size_t late, rank, leader;  // leader: the first pod
    std::vector<size_t> pods;
  };
  std::vector<Run> runs;
  std::unordered_map<size_t, size_t> run_of[2];  // by class; an index of `runs`
  for (const size_t pod : moving_) {
    const size_t pod_class = problem_.pods[pod].pod_class;
    if (problem_.classes[pod_class].forms.empty()) continue;
    const size_t late = std::binary_search(first.begin(), first.end(), pod) ? 0 : 1;
    const auto [at, fresh] = run_of[late].try_emplace(pod_class, runs.size());
    if (fresh) runs.push_back({late, rank[pod_class], pod, {}});
    runs[at->second].pods.push_back(pod);
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.late, a.rank, a.leader) < std::tie(b.late, b.rank, b.leader);
  });
  std::vector<size_t> order;
  order.reserve(moving_.size());
  for (const Run& run : runs) order.insert(order.end(), run.pods.begin(), run.pods.end());
  return order;
}

bool WhatIf::attempt(std::span<const size_t> nodes, const Offer& offer, const std::vector<size_t>& order) {
  undo();
  begin(nodes);
  terms_.first_new = state_.bins().size();
  terms_.most_new = offer.most;
  terms_.total_below = offer.total_below;
  terms_.all = offer.all;
  for (const size_t n : nodes) terms_.closed.set(n);
  FirstFit first_fit(state_, terms_);
  left_ = first_fit.place(order);
  steps_ += first_fit.steps();
  for (const size_t n : nodes) terms_.closed.reset(n);
  // `order` omits pods that cannot be planned.
  for (const size_t pod : moving_) {
    if (problem_.classes[problem_.pods[pod].pod_class].forms.empty()) left_.push_back(pod);
  }
  std::sort(left_.begin(), left_.end());
  return left_.empty();
}

// Limits the price in the NodePools that the moving pods can have; the others take none of these pods.
void WhatIf::offer_below(std::optional<model::Price> price) {
  std::vector<char> offered(problem_.pools.size(), 0);
  for (const size_t pod : moving_) {
    for (const size_t pool : problem_.classes[problem_.pods[pod].pod_class].pools) {
      if (offered[pool] == 0) state_.offer_below(pool, price);
      offered[pool] = 1;
    }
  }
}

// Lists the pods that move, and their order. Questions about the same nodes follow each other with different offers, so
// the lists are kept until the nodes or the cluster change.
void WhatIf::list_moving(std::span<const size_t> nodes) {
  if (listed_ && std::ranges::equal(nodes, asked_)) return;
  moving_.clear();
  for (const size_t n : nodes) {
    CHECK(!settled(n), problem_.nodes[n].name);
    for (const Placed& waiting : state_.bins()[n].placed) moving_.push_back(waiting.pod);
    moving_.insert(moving_.end(), residents_[n].begin(), residents_[n].end());
  }
  std::sort(moving_.begin(), moving_.end());
  asked_.assign(nodes.begin(), nodes.end());
  by_size_ = in_order({}, false);
  by_priority_.reset();
  listed_ = true;
}

const std::vector<size_t>& WhatIf::by_priority() {
  if (!by_priority_) by_priority_ = in_order({}, true);
  return *by_priority_;
}

// Attempts as in solve(): by size; if that leaves pods behind, by priority; then with those pods first that were left
// behind and have spreads by domain.
WhatIf::Answer WhatIf::without(std::span<const size_t> nodes, const Offer& offer) {
  undo();
  terms_.nodes = &nodes_;
  list_moving(nodes);
  offer_below(offer.below);
  bool placed = attempt(nodes, offer, by_size_);
  if (!placed && by_priority() != by_size_) placed = attempt(nodes, offer, by_priority());
  std::set<size_t> late;
  for (int retry = 0; retry < kRetriesOfSpreads && !placed; ++retry) {
    const size_t before = late.size();
    for (const size_t pod : left_) {
      if (spread_by_domain(problem_, pod)) late.insert(pod);
    }
    if (late.size() == before) break;
    placed = attempt(nodes, offer, in_order(std::vector(late.begin(), late.end()), false));
  }
  Answer answer;
  answer.all_placed = placed;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) {
    const Bin& bin = state_.bins()[b];
    ++answer.new_nodes;
    answer.price += state_.price(bin);
    answer.may_be_spot = answer.may_be_spot || bin.rows.intersects(spot_[static_cast<size_t>(bin.pool)]);
  }
  return answer;
}

// The order of the evictions and kube-scheduler's random choices are unknown. The first run places the smallest pods
// first, the last run the largest; the runs between use random orders. A move of fewer pods has more runs.
std::string WhatIf::forecast_unschedulable(model::Price at_least, std::span<const Removal::Launched> plan) {
  CHECK(open_, "a question about nodes");
  std::vector<size_t> largest_first;
  for (const size_t pod : by_priority()) {
    if (problem_.pods[pod].runs) largest_first.push_back(pod);
  }
  std::vector<size_t> pods(largest_first.rbegin(), largest_first.rend());
  Prng draw(pods.size());
  const size_t fit_tests = pods.size() * std::min(problem_.nodes.size() + plan.size(), kFitTestsPerPod);
  size_t runs = std::clamp(kForecastWork / std::max<size_t>(fit_tests, 1), size_t{1}, kForecasts);
  if (forecast_->always_fits(asked_, pods)) runs = 0;
  for (size_t run = 0; run <= runs; ++run) {
    const bool last = run == runs;
    const ForecastResult result = forecast_->of({.nodes = asked_,
                                                 .pods = last ? largest_first : pods,
                                                 .plan = plan,
                                                 .draw = last ? nullptr : &draw,
                                                 .amid = run % 2 == 1});
    if (result.unschedulable && (!result.price || *result.price >= at_least)) {
      return problem_.pods[*result.unschedulable].pod->key();
    }
    for (size_t i = pods.size(); i > 1; --i) std::swap(pods[i - 1], pods[draw.below(i)]);
  }
  return "";
}

std::string WhatIf::forecast_unschedulable(model::Price at_least) {
  std::vector<Removal::Launched> plan;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) {
    plan.push_back({static_cast<size_t>(state_.bins()[b].pool), state_.bins()[b].row});
  }
  return forecast_unschedulable(at_least, plan);
}

std::string WhatIf::forecast_unschedulable(model::Price at_least, std::span<const PlannedNode> planned) {
  std::vector<Removal::Launched> plan;
  for (const PlannedNode& node : planned) {
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      const PoolProblem& pool = problem_.pools[p];
      const auto row = std::find_if(pool.rows.begin(), pool.rows.end(), [&](const Row& r) {
        return pool.types[r.type].type->name == node.launch.instance_type && r.offering->zone == node.launch.zone &&
               r.offering->capacity_type == node.launch.capacity_type &&
               r.offering->reservation_id == node.launch.reservation_id;
      });
      if (pool.name == node.pool && row != pool.rows.end()) {
        plan.push_back({p, static_cast<size_t>(row - pool.rows.begin())});
      }
    }
  }
  return forecast_unschedulable(at_least, plan);
}

}  // namespace tenon::scheduling

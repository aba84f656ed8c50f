// A WhatIf keeps one State of the whole cluster and changes it for each question (docs/decisions/0006). Three things
// keep a question small:
//
//   undo journal   taking nodes out and placing their pods is undone, not copied (state_undo.cc)
//   nodes_         for each class, the existing nodes with room for one such pod: few in a full cluster, so first fit
//                  tries few nodes. Nodes only get fuller or are removed, so these sets only shrink
//   lower bound    the caller can skip moves that cannot save money (what_if_bound.cc)
//
// The pods of all candidates are compiled as running pods (PodProblem::runs); remove_node() removes a node with its
// counts, and its pods become pending. Charges against limits of NodePools change in the same way. commit() keeps
// the changes and removes nodes from nodes_; classes with equal possible nodes (Places) share this work.
//
//   e.g. 5,000 full nodes; "n7 is gone": 12 pods of 3 classes; nodes_ lists 40 nodes for them → about 50 tries
//
// Cost: the constructor compiles the cluster, and compares classes × nodes; a question costs pods that move × listed
// nodes, and a first fit for each attempt (what_if_ask.cc).
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/what_if/what_if.h"

#include <algorithm>

#include "base/check.h"
#include "model/labels.h"
#include "scheduling/answer/finish.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/search_state/compile.h"

namespace tenon::scheduling {
namespace {

SolveOptions for_all(SolveOptions options) {
  options.closed_nodes.clear();  // pending pods may be placed there
  options.launch_below.reset();
  options.may_launch = true;
  options.gone_nodes_are_domains = true;
  return options;
}

std::unordered_set<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

WhatIf::WhatIf(const Snapshot& snapshot, SolveOptions options, const std::vector<std::string>& removable,
               const std::set<std::string>& closed)
    : problem_(compile(snapshot, for_all(std::move(options)), views(removable))), state_(problem_) {
  const size_t nodes = problem_.nodes.size();
  residents_.resize(nodes);
  charge_.resize(nodes);
  pool_.resize(nodes, 0);
  std::unordered_map<const model::Pod*, size_t> running;
  for (size_t pod = 0; pod < problem_.pods.size(); ++pod) {
    if (problem_.pods[pod].runs) running.emplace(problem_.pods[pod].pod.get(), pod);
  }
  std::unordered_map<std::string_view, size_t> pools;
  for (size_t p = 0; p < problem_.pools.size(); ++p) pools.emplace(problem_.pools[p].name, p);
  for (size_t n = 0; n < nodes; ++n) {
    const NodeProblem& node = problem_.nodes[n];
    by_name_.emplace(node.name, n);
    if (closed.contains(node.name)) closed_.set(n);
    if (!node.removable) continue;
    for (const PodPtr& pod : node.view->pods) {
      if (const auto at = running.find(pod.get()); at != running.end()) residents_[n].push_back(at->second);
    }
    const auto pool = pools.find(node.view->pool());
    if (pool == pools.end() || problem_.pools[pool->second].limited.empty()) continue;
    pool_[n] = pool->second;
    const model::Resources capacity = node.view->capacity();
    for (const std::string& name : problem_.pools[pool_[n]].limited) charge_[n].push_back(capacity.get(name));
    state_.change_left(pool_[n], charge_[n], -1);
  }
  State without_pending = state_;
  place_pending();
  list_nodes();
  begin_forecast(std::move(without_pending));
  rank_classes();
  list_unit_prices();
  for (const PoolProblem& pool : problem_.pools) {
    RowSet spot(pool.rows.size());
    for (size_t r = 0; r < pool.rows.size(); ++r) {
      if (pool.rows[r].offering->capacity_type == model::kCapacitySpot) spot.set(r);
    }
    spot_.push_back(std::move(spot));
  }
}

std::optional<size_t> WhatIf::find(const std::string& node) const {
  const auto at = by_name_.find(node);
  return at == by_name_.end() ? std::nullopt : std::optional(at->second);
}

// Places pending pods on existing nodes, the highest priority first, as kube-scheduler will. The others do not fit now,
// with or without a move.
void WhatIf::place_pending() {
  std::vector<size_t> pods = pods_in_order(problem_, PodOrder::kPriorityThenSize);
  std::erase_if(pods, [&](size_t pod) { return problem_.pods[pod].runs; });
  if (pods.empty()) return;
  const Terms terms{.first_new = state_.bins().size(), .most_new = 0};
  FirstFit first_fit(state_, terms);
  first_fit.place(std::move(pods));
  steps_ += first_fit.steps();
}

// Starts the forecast with the pods that are placed but do not run yet. Pods of CapacityBuffers do not exist for
// kube-scheduler, so they keep their nodes in all forecasts.
void WhatIf::begin_forecast(State empty) {
  std::vector<size_t> on_their_way = pods_in_order(problem_, PodOrder::kPriorityThenSize);
  std::erase_if(on_their_way, [&](size_t pod) { return problem_.pods[pod].runs || state_.bin_of(pod) == kNone; });
  Fit fit;
  std::erase_if(on_their_way, [&](size_t pod) {
    if (problem_.pods[pod].pod->spec->buffer.empty()) return false;
    const auto bin = static_cast<size_t>(state_.bin_of(pod));
    const auto& placed = state_.bins()[bin].placed;
    const auto at = std::find_if(placed.begin(), placed.end(), [&](const Placed& p) { return p.pod == pod; });
    const Ask ask{.pod_class = at->pod_class, .form = at->form};
    if (empty.fits(bin, ask, fit) == Verdict::kFits) empty.place(bin, ask, pod, fit);
    return true;
  });
  Forecast::Room room{nodes_, {}};
  for (const PodClass& c : problem_.classes) room.soon.push_back(possible_nodes(c));
  forecast_.emplace(std::move(empty), std::move(room), std::move(on_their_way));
}

RowSet WhatIf::possible_nodes(const PodClass& c) const {
  RowSet possible(problem_.nodes.size());
  for (const Form& form : c.forms) {
    for (const Variant& variant : *form.variants) possible |= variant.nodes;
  }
  return possible;
}

bool WhatIf::takes(size_t node, const PodClass& c) const {
  const Amounts &free = problem_.nodes[node].free, &used = state_.bins()[node].used;
  for (size_t i = 0; i < c.requests.size(); ++i) {
    if (c.requests[i] > 0 && used[i] + c.requests[i] > free[i]) return false;
  }
  return true;
}

void WhatIf::list_nodes() {
  std::map<RowSet, size_t> known;
  for (size_t c = 0; c < problem_.classes.size(); ++c) {
    RowSet possible = possible_nodes(problem_.classes[c]);
    RowSet nodes(problem_.nodes.size());
    for (size_t n = possible.first(); n != RowSet::kNone; n = possible.next(n)) {
      if (!closed_.test(n) && takes(n, problem_.classes[c])) nodes.set(n);
    }
    first_.push_back(nodes.first());
    nodes_.push_back(std::move(nodes));
    const auto [at, fresh] = known.try_emplace(possible, places_.size());
    if (fresh) places_.push_back({std::move(possible), {}});
    places_[at->second].classes.push_back(c);
  }
}

std::map<std::string, std::vector<std::string>> WhatIf::moved_to_nodes() const {
  std::map<std::string, std::vector<std::string>> moved;
  for (const size_t pod : moving_) {
    const int bin = state_.bin_of(pod);
    if (bin == kNone || !problem_.pods[pod].runs || static_cast<size_t>(bin) >= problem_.nodes.size()) continue;
    moved[problem_.nodes[static_cast<size_t>(bin)].name].push_back(problem_.pods[pod].pod->key());
  }
  return moved;
}

std::vector<PlannedNode> WhatIf::nodes_to_launch(std::optional<model::Price> paid) {
  __extension__ using Wide = __int128;
  int64_t total = 0;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) total += state_.price(state_.bins()[b]).value();
  std::vector<std::optional<model::Price>> below;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) {
    below.push_back(paid);
    if (!paid || total == 0) continue;
    const int64_t price = state_.price(state_.bins()[b]).value();
    const Wide part = Wide{paid->value()} * price / total;
    below.back() = model::Price(std::max(static_cast<int64_t>(part), price + 1));  // a reservation may have price 0
  }
  return finish_nodes(state_, terms_.first_new, below);
}

std::map<size_t, int> WhatIf::launch_weights() const {
  std::map<size_t, int> weights;
  for (const size_t pod : moving_) {
    const int bin = state_.bin_of(pod);
    if (bin == kNone || static_cast<size_t>(bin) < terms_.first_new || !problem_.pods[pod].runs) continue;
    weights[pod] = problem_.pools[static_cast<size_t>(state_.bins()[static_cast<size_t>(bin)].pool)].pool->weight;
  }
  return weights;
}

std::vector<std::pair<std::string, std::string>> WhatIf::why_unplaced(size_t named) {
  std::vector<std::pair<std::string, std::string>> sentences;
  for (size_t i = 0; i < std::min(named, left_.size()); ++i) {
    const size_t pod = left_[i];
    const auto [at, fresh] = why_.try_emplace(problem_.pods[pod].pod_class);
    if (fresh) at->second = explain(state_, pod).message;
    sentences.emplace_back(problem_.pods[pod].pod->key(), at->second);
  }
  return sentences;
}

void WhatIf::commit() {
  CHECK(open_ && left_.empty(), "an answer that places all pods");
  state_.commit();
  forecast_->commit();
  open_ = listed_ = false;
  // If new nodes are launched, their domains remain eligible.
  if (state_.bins().size() == terms_.first_new) {
    for (const auto& [group, domain] : reached_) --problem_.groups[group].eligible[domain];
  }
  reached_.clear();
  std::set<size_t> filled;
  for (const size_t pod : moving_) {
    const auto bin = static_cast<size_t>(state_.bin_of(pod));
    if (bin >= problem_.nodes.size()) continue;
    filled.insert(bin);
    if (problem_.pods[pod].runs) settled_.set(bin);
  }
  for (const size_t n : asked_) settled_.set(n);
  for (const Places& places : places_) {
    for (const size_t n : asked_) {
      if (!places.nodes.test(n)) continue;
      for (const size_t c : places.classes) nodes_[c].reset(n);
    }
    for (const size_t n : filled) {
      if (!places.nodes.test(n)) continue;
      for (const size_t c : places.classes) {
        if (nodes_[c].test(n) && !takes(n, problem_.classes[c])) nodes_[c].reset(n);
      }
    }
  }
}

}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "scheduling/what_if.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "model/labels.h"
#include "scheduling/finish.h"

namespace tenon::scheduling {
namespace {

constexpr int kRetries = 3;
constexpr int kPriceSteps = 16;

SolveOptions for_all(SolveOptions options) {
  options.closed_nodes.clear();  // pending pods may go there
  options.launch_below.reset();
  options.may_launch = true;
  return options;
}

std::unordered_set<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

bool spread_by_domain(const Problem& problem, size_t pod) {
  const auto& uses = problem.classes[problem.pods[pod].pod_class].forms.back().uses;
  return std::any_of(uses.begin(), uses.end(),
                     [&](const auto& use) { return problem.groups[use.second.group].kind == GroupKind::kSpread; });
}

}  // namespace

WhatIf::WhatIf(const Snapshot& snapshot, SolveOptions options, const std::vector<std::string>& may_go,
               const std::set<std::string>& closed)
    : problem_(compile(snapshot, for_all(std::move(options)), views(may_go))), state_(problem_) {
  const size_t nodes = problem_.nodes.size();
  residents_.resize(nodes);
  charge_.resize(nodes);
  pool_.resize(nodes, 0);
  std::unordered_map<const model::Pod*, size_t> running;
  for (size_t pod = 0; pod < problem_.pods.size(); ++pod) {
    if (problem_.pods[pod].runs) running.emplace(problem_.pods[pod].pod.get(), pod);
  }
  for (size_t n = 0; n < nodes; ++n) {
    const NodeProblem& node = problem_.nodes[n];
    by_name_.emplace(node.name, n);
    if (closed.contains(node.name)) closed_.set(n);
    if (!node.may_go) continue;
    for (const PodPtr& pod : node.view->pods) {
      if (const auto at = running.find(pod.get()); at != running.end()) residents_[n].push_back(at->second);
    }
    const auto pool = std::find_if(problem_.pools.begin(), problem_.pools.end(),
                                   [&](const PoolProblem& p) { return p.name == node.view->pool(); });
    if (pool == problem_.pools.end() || pool->limited.empty()) continue;
    const model::Resources capacity = node.view->capacity();
    for (const std::string& name : pool->limited) charge_[n].push_back(capacity.get(name));
    pool_[n] = static_cast<size_t>(pool - problem_.pools.begin());
    state_.change_left(pool_[n], charge_[n], -1);
  }
  for (size_t g = 0; g < problem_.groups.size(); ++g) {
    const Group& group = problem_.groups[g];
    if (group.kind == GroupKind::kSpread && group.key != kHostKey) spreads_.push_back(g);
  }
  place_pending();
  list_nodes();
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

// As the cluster's own scheduler will, the important ones first. For those that remain there is no room now, with or
// without a move.
void WhatIf::place_pending() {
  std::vector<size_t> pods = pods_in_order(problem_, PodOrder::kPriorityThenSize);
  std::erase_if(pods, [&](size_t pod) { return problem_.pods[pod].runs; });
  if (pods.empty()) return;
  const Terms terms{.first_new = state_.bins().size(), .most_new = 0};
  FirstFit first_fit(state_, terms);
  first_fit.place(std::move(pods));
  steps_ += first_fit.steps();
}

bool WhatIf::takes(size_t node, const PodClass& c) const {
  const Amounts &free = problem_.nodes[node].free, &used = state_.bins()[node].used;
  for (size_t i = 0; i < c.requests.size(); ++i) {
    if (c.requests[i] > 0 && used[i] + c.requests[i] > free[i]) return false;
  }
  return true;
}

void WhatIf::list_nodes() {
  for (const PodClass& c : problem_.classes) {
    RowSet possible;
    for (const Form& form : c.forms) {
      for (const Variant& variant : form.variants) possible |= variant.nodes;
    }
    RowSet nodes(problem_.nodes.size());
    for (size_t n = possible.first(); n != RowSet::kNone; n = possible.next(n)) {
      if (!closed_.test(n) && takes(n, c)) nodes.set(n);
    }
    nodes_.push_back(std::move(nodes));
  }
}

// Prices for one unit of each resource at which no row is sold below the value of what it holds. Whatever holds given
// requests then costs at least their value. Of what costs little the prices are higher: one list for each step.
void WhatIf::list_unit_prices() {
  const size_t resources = problem_.resources.size();
  std::vector<std::vector<double>> directions;
  for (size_t r = 0; r < resources; ++r) {
    directions.emplace_back(resources, 0.0);
    directions.back()[r] = 1;
  }
  const size_t cpu = problem_.resource(model::kCpu), memory = problem_.resource(model::kMemory);
  if (cpu < resources && memory < resources) {
    for (const double share : {0.2, 0.35, 0.5, 0.65, 0.8}) {  // a core is worth about 8 GB
      directions.emplace_back(resources, 0.0);
      directions.back()[cpu] = share / 1e3;
      directions.back()[memory] = (1 - share) / 8e9;
    }
  }
  for (const PoolProblem& pool : problem_.pools) {
    if (pool.rows.empty()) continue;
    dearest_ = std::max(dearest_, pool.rows.back().price);
    cheapest_ = cheapest_ == model::Price() ? pool.rows.front().price : std::min(cheapest_, pool.rows.front().price);
  }
  model::Price below = dearest_ + model::Price(1);
  for (int step = 0; step < kPriceSteps && below > cheapest_; ++step, below = model::Price(below.value() / 2)) {
    PriceStep& prices = price_steps_.emplace_back(PriceStep{below, directions});
    for (std::vector<double>& units : prices.units) {
      const double scale = least_price_of_value(units, below);
      for (double& unit : units) unit *= scale * (1 - 1e-9);
    }
  }
}

// Of rows below this price: dollars for one unit of value.
double WhatIf::least_price_of_value(const std::vector<double>& units, model::Price below) const {
  std::optional<double> least;
  for (const PoolProblem& pool : problem_.pools) {
    for (const Row& row : pool.rows) {
      if (row.price >= below) break;
      const Amounts& free = pool.types[row.type].free;
      double value = 0;
      for (size_t r = 0; r < units.size(); ++r) value += units[r] * static_cast<double>(std::max<int64_t>(free[r], 0));
      if (value <= 0) continue;
      const double price = static_cast<double>(row.price.value()) / value;
      least = least ? std::min(*least, price) : price;
    }
  }
  return least.value_or(0);
}

void WhatIf::add_requests(size_t pod_class, std::vector<double>& total) const {
  const Amounts& requests = problem_.classes[pod_class].requests;
  for (size_t r = 0; r < total.size(); ++r) total[r] += static_cast<double>(std::max<int64_t>(requests[r], 0));
}

std::vector<double> WhatIf::must_be_bought_for(std::span<const size_t> nodes) const {
  std::vector<double> total(problem_.resources.size(), 0.0);
  RowSet asked(problem_.nodes.size());
  for (const size_t n : nodes) asked.set(n);
  std::map<size_t, bool> known;  // class → some other node has room for one
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) {
      const size_t pod_class = problem_.pods[pod].pod_class;
      const auto [at, fresh] = known.try_emplace(pod_class, false);
      if (fresh) {
        size_t other = nodes_[pod_class].first();
        while (other != RowSet::kNone && asked.test(other)) other = nodes_[pod_class].next(other);
        at->second = other != RowSet::kNone;
      }
      if (!at->second) add_requests(pod_class, total);
    }
  }
  return total;
}

model::Price WhatIf::worth(std::span<const size_t> nodes) const {
  std::vector<double> total(problem_.resources.size(), 0.0);
  for (const size_t n : nodes) {
    for (const size_t pod : residents_[n]) add_requests(problem_.pods[pod].pod_class, total);
  }
  return value(total, {});
}

// At the prices of the last step that leaves out nothing that costs less than `below`.
model::Price WhatIf::value(const std::vector<double>& amounts, std::optional<model::Price> below) const {
  double most = 0;
  const PriceStep* step = nullptr;
  for (const PriceStep& s : price_steps_) {
    if (step == nullptr || (below && s.below >= *below)) step = &s;
  }
  if (step == nullptr) return {};
  for (const std::vector<double>& units : step->units) {
    double sum = 0;
    for (size_t r = 0; r < amounts.size(); ++r) sum += units[r] * amounts[r];
    most = std::max(most, sum);
  }
  return model::Price(static_cast<int64_t>(most));
}

void WhatIf::change_eligible(size_t node, int by) {
  for (const size_t g : spreads_) {
    Group& group = problem_.groups[g];
    const int domain = problem_.nodes[node].domains[static_cast<size_t>(group.key)];
    if (domain == kNone || !problem_.filters[group.filter].nodes.test(node)) continue;
    group.eligible[static_cast<size_t>(domain)] += by;
  }
}

// Domains where a node may be bought for the pods that move count for the minimum of their spreads.
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
        for (const Variant& variant : form.variants) of_pool |= variant.rows[p];
      }
    }
    of_pool &= state_.offered(p);
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
  asked_.assign(nodes.begin(), nodes.end());
  for (const size_t n : nodes) {
    state_.take_out(n);
    state_.change_left(pool_[n], charge_[n], 1);
    change_eligible(n, -1);
  }
  reach();
}

void WhatIf::undo() {
  if (!open_) return;
  for (const size_t n : asked_) change_eligible(n, 1);
  for (const auto& [group, domain] : reached_) --problem_.groups[group].eligible[domain];
  reached_.clear();
  state_.undo();
  open_ = false;
}

// As pods_in_order(), those of `first` before the others.
std::vector<size_t> WhatIf::in_order(std::span<const size_t> first, bool by_priority) const {
  using Rank = std::tuple<bool, bool, int64_t, int64_t, int64_t, size_t>;
  std::map<size_t, std::pair<Rank, std::vector<size_t>>> classes[2];
  std::vector<const std::pair<Rank, std::vector<size_t>>*> ranked;
  for (const size_t pod : moving_) {
    const PodClass& c = problem_.classes[problem_.pods[pod].pod_class];
    if (c.forms.empty()) continue;
    const bool early = std::binary_search(first.begin(), first.end(), pod);
    auto& of_class = classes[early ? 0 : 1][problem_.pods[pod].pod_class];
    if (of_class.second.empty()) {
      const model::PodSpec& spec = *c.sample->spec;
      of_class.first = {!early,
                        !spec.buffer.empty(),
                        by_priority ? -int64_t{spec.priority} : 0,
                        -spec.requests.get(model::kCpu),
                        -spec.requests.get(model::kMemory),
                        pod};
    }
    of_class.second.push_back(pod);
  }
  for (const auto& half : classes) {
    for (const auto& [pod_class, entry] : half) ranked.push_back(&entry);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::vector<size_t> order;
  for (const auto* entry : ranked) order.insert(order.end(), entry->second.begin(), entry->second.end());
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
  // Pods that nothing can be planned for are in no order.
  for (const size_t pod : moving_) {
    if (problem_.classes[problem_.pods[pod].pod_class].forms.empty()) left_.push_back(pod);
  }
  std::sort(left_.begin(), left_.end());
  return left_.empty();
}

// As solve() does: by size; if that leaves pods behind, by priority; then with those first that spreads pulled to and
// fro.
WhatIf::Answer WhatIf::without(std::span<const size_t> nodes, const Offer& offer) {
  undo();
  terms_.nodes = &nodes_;
  state_.offer_below(offer.below);
  moving_.clear();
  for (const size_t n : nodes) {
    CHECK(!settled(n), problem_.nodes[n].name);
    for (const Placed& waiting : state_.bins()[n].placed) moving_.push_back(waiting.pod);
    moving_.insert(moving_.end(), residents_[n].begin(), residents_[n].end());
  }
  std::sort(moving_.begin(), moving_.end());
  const std::vector<size_t> by_size = in_order({}, false), by_priority = in_order({}, true);
  bool placed = attempt(nodes, offer, by_size);
  if (!placed && by_priority != by_size) placed = attempt(nodes, offer, by_priority);
  std::set<size_t> late;
  for (int retry = 0; retry < kRetries && !placed; ++retry) {
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

std::vector<model::Price> WhatIf::price_steps() const {
  std::vector<model::Price> steps;
  for (const PriceStep& step : price_steps_) steps.push_back(step.below);
  return steps;
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

std::vector<PlannedNode> WhatIf::nodes_to_buy(model::Price paid) {
  __extension__ using Wide = __int128;
  int64_t total = 0;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) total += state_.price(state_.bins()[b]).value();
  std::vector<PlannedNode> nodes;
  for (size_t b = terms_.first_new; b < state_.bins().size(); ++b) {
    const Bin& bin = state_.bins()[b];
    const Wide part = total == 0 ? Wide{paid.value()} : Wide{paid.value()} * state_.price(bin).value() / total;
    problem_.options.launch_below = model::Price(static_cast<int64_t>(part));
    nodes.push_back(finish_node(state_, bin));
    nodes.back().id = "new-" + std::to_string(nodes.size() - 1);
  }
  problem_.options.launch_below.reset();
  return nodes;
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

void WhatIf::carry_out() {
  CHECK(open_ && left_.empty(), "an answer that places all pods");
  state_.keep();
  open_ = false;
  // Where a new node may come up its domain counts from now on.
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
  for (const size_t n : asked_) {
    settled_.set(n);
    for (RowSet& nodes : nodes_) nodes.reset(n);
  }
  for (size_t c = 0; c < problem_.classes.size(); ++c) {
    for (const size_t n : filled) {
      if (nodes_[c].test(n) && !takes(n, problem_.classes[c])) nodes_[c].reset(n);
    }
  }
}

}  // namespace tenon::scheduling

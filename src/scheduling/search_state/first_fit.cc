// First-fit decreasing (FFD) for vector bin packing.
//
// The problem: pods are vectors of requests with rules, and nodes are bins. Pods should fill existing nodes, and need
// few new nodes, in one pass and in an order that users of Karpenter know.
//
// The method: pods come by decreasing size, by CPU and then by memory; solve() tries other orders as well. Each pod
// goes to the first bin that accepts it: existing nodes in the order of the Problem, then open nodes by OpenOrder, then
// a new node of the heaviest NodePool that can launch one. A new node has no type yet: its bin keeps all rows that hold
// its pods. Each further pod removes rows, so a node grows until no row holds one more pod. Its price is that of its
// cheapest row, but prices do not choose bins. If no bin accepts a pod, its next form is tried, in which one preference
// is relaxed. Pods without a bin are tried again while a round places any, because pods may depend on others (affinity,
// spread).
//
// Example: rows have up to 10 CPU; pods request 6, 5, 2 and 2 CPU. kFewestPods gives {6, 2} and {5, 2}; kOldest gives
// {6, 2, 2} and {5}. In one dimension with equal bins, FFD needs at most 11/9 of the optimum plus 6/9. There is no such
// guarantee for several resources and prices: improve.h continues from the plan.
//
// Cost: pods of a class that follow each other are placed together, with the count found by bisection (State::room()).
// So C classes of F forms test about C × F × (N + B) bins, with N existing and B new nodes. Pods with rules by domain,
// host ports or volumes, or on NodePools with minValues, are tested one by one. One test intersects a set of rows for
// each resource.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/search_state/first_fit.h"

#include <algorithm>
#include <tuple>

namespace tenon::scheduling {
namespace {

constexpr int kMostRestarts = 1'000;  // of pass_oldest()

// Returns true if State::room() may be lower than what fits, because of minValues or volumes, or higher, because of
// limits. Pods are then tried singly.
bool counts_one_by_one(const Problem& problem, size_t pool, size_t pod_class) {
  const PodClass& c = problem.classes[pod_class];
  return !problem.pools[pool].min_values.empty() || !problem.pools[pool].limited.empty() || !c.volumes.empty();
}

// Returns true if State::room() cannot compute how many pods of the class a node accepts: it ignores rules by domain
// and volumes. A node that accepted one such pod may then accept another one.
bool placed_singly(const Problem& problem, size_t pod_class) {
  const PodClass& c = problem.classes[pod_class];
  return !problem.pods[c.pods.front()].volumes->empty() ||
         std::any_of(c.forms.begin(), c.forms.end(), [](const Form& form) { return !form.uses.empty(); });
}

// Asks for so many pods at once; if they do not fit, for one.
template <class Fits>
Verdict ask_for(Ask& ask, int count, Fits fits) {
  ask.count = count;
  const Verdict verdict = fits();
  if (verdict == Verdict::kFits || count == 1) return verdict;
  ask.count = 1;
  return fits();
}

// Returns the most of each resource that a new node can have free; at least 1.
Amounts most_free(const Problem& problem) {
  Amounts most(problem.resources.size(), 1);
  for (const PoolProblem& pool : problem.pools) {
    for (const TypeProblem& type : pool.types) {
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], type.free[i]);
    }
  }
  return most;
}

// Returns the largest share of a resource that the requests take, in millionths.
int64_t largest_share(const Amounts& requests, const Amounts& most) {
  double share = 0;
  for (size_t i = 0; i < most.size(); ++i) {
    share = std::max(share, static_cast<double>(requests[i]) / static_cast<double>(most[i]));
  }
  return static_cast<int64_t>(share * 1e6);
}

}  // namespace

bool spread_by_domain(const Problem& problem, size_t pod) {
  const auto& uses = problem.classes[problem.pods[pod].pod_class].forms.back().uses;
  return std::any_of(uses.begin(), uses.end(),
                     [&](const auto& use) { return problem.groups[use.second.group].kind == GroupKind::kSpread; });
}

std::vector<size_t> pods_in_order(const Problem& problem, PodOrder order) {
  // Virtual pods of buffers come last, whatever their size.
  using Rank = std::tuple<bool, int64_t, int64_t, int64_t, size_t>;
  std::vector<Rank> ranks;
  const Amounts most = most_free(problem);
  for (size_t i = 0; i < problem.classes.size(); ++i) {
    const PodClass& c = problem.classes[i];
    if (c.forms.empty()) continue;
    int64_t first = 0;
    if (order == PodOrder::kPriorityThenSize) first = c.sample->spec->priority;
    if (order == PodOrder::kMemory) first = c.sample->spec->requests.get(model::kMemory);
    if (order == PodOrder::kShare) first = largest_share(c.requests, most);
    ranks.emplace_back(!c.sample->spec->buffer.empty(), -first, -c.sample->spec->requests.get(model::kCpu),
                       -c.sample->spec->requests.get(model::kMemory), i);
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<size_t> pods;
  pods.reserve(problem.pods.size());
  for (const Rank& rank : ranks) {
    const auto& of_class = problem.classes[std::get<4>(rank)].pods;
    pods.insert(pods.end(), of_class.begin(), of_class.end());
  }
  return pods;
}

FirstFit::FirstFit(State& state, OpenOrder order)
    : state_(state),
      order_(order),
      first_new_(state.problem().nodes.size()),
      open_(state.problem().pools.size()),
      at_(state.bins().size() - first_new_, 0) {
  for (size_t bin = first_new_; bin < state.bins().size(); ++bin) rank(bin, state.bins()[bin].placed.size());
}

FirstFit::FirstFit(State& state, const Terms& terms)
    : state_(state),
      order_(OpenOrder::kFewestPods),
      terms_(&terms),
      first_new_(terms.first_new),
      open_(state.problem().pools.size()),
      at_(state.bins().size() - first_new_, 0) {
  for (size_t bin = first_new_; bin < state.bins().size(); ++bin) rank(bin, state.bins()[bin].placed.size());
}

std::vector<size_t> FirstFit::place(std::vector<size_t> pods) {
  for (bool progress = true; progress && !pods.empty();) {
    std::vector<size_t> left;
    for (size_t first = 0; first < pods.size();) {
      if (steps_ > most_steps_) {
        left.insert(left.end(), pods.begin() + static_cast<std::ptrdiff_t>(first), pods.end());
        return left;
      }
      Run run;
      run.ask.pod_class = state_.problem().pods[pods[first]].pod_class;
      size_t last = first;
      while (last < pods.size() && state_.problem().pods[pods[last]].pod_class == run.ask.pod_class) ++last;
      run.left = std::span(pods).subspan(first, last - first);
      place_run(run);
      left.insert(left.end(), run.left.begin(), run.left.end());
      const size_t run_length = last - first;
      first = last;
      if (terms_ == nullptr || !terms_->all || run.left.empty() || run.later) continue;
      const bool some = run.left.size() < run_length;
      if (some && placed_singly(state_.problem(), run.ask.pod_class)) continue;
      left.insert(left.end(), pods.begin() + static_cast<std::ptrdiff_t>(first), pods.end());
      return left;
    }
    progress = left.size() < pods.size();
    pods = std::move(left);
  }
  return pods;
}

// Tries the strictest form first, and again after each pod that needed a later form: its bin may accept more pods now.
void FirstFit::place_run(Run& run) {
  const size_t forms = state_.problem().classes[run.ask.pod_class].forms.size();
  size_t strictest = 0;  // no earlier form will fit
  for (size_t form = 0; form < forms && !run.left.empty();) {
    const bool all = form == strictest;
    const std::span<const size_t> before = run.left;
    if (!all) run.left = before.first(1);
    use_form(run, form);
    const bool placed_one = !all && run.left.empty();
    if (!all) run.left = placed_one ? before.subspan(1) : before;
    if (all && !run.later) ++strictest;
    form = placed_one ? strictest : form + 1;
  }
}

// Tries existing and open nodes first, and opens a new one only if none of them accepts a pod.
void FirstFit::use_form(Run& run, size_t form) {
  run.ask.form = form;
  run.never.clear();
  run.never_pools.clear();
  while (!run.left.empty()) {
    run.later = false;
    while (pass(run) && run.later && !run.left.empty()) run.later = false;
    if (run.left.empty() || !open_one(run)) return;
    while (!run.later && !run.left.empty() && open_one(run)) {
    }
  }
}

// Tries all nodes once. Returns true if one accepted a pod.
bool FirstFit::pass(Run& run) {
  const size_t before = run.left.size();
  put_on_nodes(run);
  order_ == OpenOrder::kOldest ? pass_oldest(run) : pass_fewest_pods(run);
  return run.left.size() < before;
}

void FirstFit::put_on_nodes(Run& run) {
  if (terms_ == nullptr || terms_->nodes == nullptr) {
    const size_t existing = state_.problem().nodes.size();
    for (size_t bin = 0; bin < existing && !run.left.empty(); ++bin) put(run, bin, run.left.size());
    return;
  }
  const RowSet& nodes = (*terms_->nodes)[run.ask.pod_class];
  for (size_t bin = nodes.first(); bin != RowSet::kNone && !run.left.empty(); bin = nodes.next(bin)) {
    if (!terms_->closed.test(bin)) put(run, bin, run.left.size());
  }
}

// A node that cannot accept a pod now (limits, spreads) may accept one after another node did: the pass starts again.
void FirstFit::pass_oldest(Run& run) {
  const bool node_waits = run.later;
  run.later = false;
  for (size_t bin = first_new_; bin < state_.bins().size() && !run.left.empty();) {
    const bool placed = put(run, bin, run.later ? 1 : run.left.size());
    if (placed && run.later && restarts_ < kMostRestarts) {
      ++restarts_;
      run.later = false;
      bin = first_new_;
    } else if (!placed) {
      ++bin;
    }
  }
  run.later |= node_waits;
}

void FirstFit::pass_fewest_pods(Run& run) {
  const std::span<const size_t> pools = state_.problem().classes[run.ask.pod_class].pools;
  size_t open = 0, most = 0;
  for (const size_t pool : pools) {
    for (const auto& bins : open_[pool]) open += bins.size();
    most = std::max(most, open_[pool].size());
  }
  for (size_t pods = 0; pods < most; ++pods) {
    for (const size_t pool : pools) {
      if (pods >= open_[pool].size()) continue;
      for (size_t i = 0; i < open_[pool][pods].size() && !run.left.empty();) {
        const size_t bin = open_[pool][pods][i];
        if (!put(run, bin, run.left.size() / open)) ++i;  // else it has moved to another list
        most = std::max(most, open_[pool].size());
      }
    }
  }
}

// Places up to `share` pods at once, at least one. Returns false if the bin accepts none now.
bool FirstFit::put(Run& run, size_t bin, size_t share) {
  if (run.never.test(bin)) return false;
  ++steps_;
  const int room = state_.room(bin, run.ask, static_cast<int>(std::clamp<size_t>(share, 1, run.left.size())));
  const Verdict verdict = ask_for(run.ask, room, [&] { return state_.fits(bin, run.ask, fit_); });
  if (verdict == Verdict::kNever) run.never.set(bin);
  run.later |= verdict == Verdict::kNotNow;
  if (verdict == Verdict::kFits) fill(run, bin, run.ask.count);
  return verdict == Verdict::kFits;
}

bool FirstFit::may_open() const {
  if (terms_ == nullptr) return true;
  size_t open = 0;
  model::Price total;
  for (size_t bin = first_new_; bin < state_.bins().size(); ++bin) {
    ++open;
    total += state_.price(state_.bins()[bin]) + state_.problem().options.node_price;
  }
  return open < terms_->most_new && (!terms_->total_below || total < *terms_->total_below);
}

bool FirstFit::open_one(Run& run) {
  if (!may_open()) return false;
  for (const size_t pool : state_.problem().classes[run.ask.pod_class].pools) {
    if (run.never_pools.test(pool)) continue;
    ++steps_;
    const int room = state_.room_new(pool, run.ask, static_cast<int>(run.left.size()));
    const Verdict verdict = ask_for(run.ask, room, [&] { return state_.fits_new(pool, run.ask, fit_); });
    if (verdict == Verdict::kNever) run.never_pools.set(pool);
    run.later |= verdict == Verdict::kNotNow;
    if (verdict != Verdict::kFits) continue;
    const size_t bin = state_.open(pool);
    at_.push_back(RowSet::kNone);  // set with its first pods
    const bool more = run.ask.count == 1 && counts_one_by_one(state_.problem(), pool, run.ask.pod_class);
    fill(run, bin, run.ask.count);
    while (more && !run.left.empty() && put(run, bin, 1)) {
    }
    return true;
  }
  return false;
}

void FirstFit::fill(Run& run, size_t bin, int count) {
  const auto pods = run.left.first(static_cast<size_t>(count));
  const size_t before = state_.bins()[bin].placed.size();
  state_.place(bin, run.ask, pods, fit_);
  run.left = run.left.subspan(pods.size());
  if (!state_.bins()[bin].fresh()) return;
  if (before > 0) {
    auto& list = open_[static_cast<size_t>(state_.bins()[bin].pool)][before];
    list[at_[bin - first_new_]] = list.back();
    at_[list.back() - first_new_] = at_[bin - first_new_];
    list.pop_back();
  }
  rank(bin, before + pods.size());
}

void FirstFit::rank(size_t bin, size_t pods) {
  auto& of_pool = open_[static_cast<size_t>(state_.bins()[bin].pool)];
  if (of_pool.size() <= pods) of_pool.resize(pods + 1);
  at_[bin - first_new_] = of_pool[pods].size();
  of_pool[pods].push_back(bin);
}

}  // namespace tenon::scheduling

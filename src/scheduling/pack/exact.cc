// Branch and bound over whole plans.
//
// The problem: the best plan by Objective for up to kExactPods pods beside up to kExactNodes existing nodes, under all
// rules. Rules couple the pods (a spread must be even after each pod), so a plan is built pod by pod, by the same State
// that first fit uses.
//
// The method is a depth-first search. Pods come in a fixed order. A branch places the next pod in one form, one variant
// and one domain for each topology key, on one existing or open node or on a new one; or it leaves the pod
// unschedulable. Two tests end a branch:
// - Bound: no later pod improves the objective. So a branch ends if its objective, in which pods to come do not count,
//   is no better than that of the best plan, which is first fit's at the start.
// - Symmetry: partial plans that differ only in the names of equal pods and of new nodes have the same continuations.
//   The search continues one of them (shape_of()).
//
// If one spread or affinity concerns several classes, it matters which class comes first: all orders are searched.
//
// Example: pods of 3, 2 and 2 CPU; 4 CPU cost 0.20 USD/h, 8 CPU 0.45. First fit puts all on one node for 0.45. A second
// pod on the first node costs 0.45 as well: that branch ends. On a node of its own it costs 0.40, and the third pod
// joins it. A third node would cost 0.60: that branch ends. The plan of two nodes for 0.40 is optimal.
//
// Cost: exponential. n pods have up to (forms × variants × domains × bins)ⁿ branches for each order. The caller limits
// the steps.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/exact.h"

#include <algorithm>
#include <map>
#include <set>

#include "scheduling/search_state/first_fit.h"

namespace tenon::scheduling {
namespace {

// Returns true if the form has an affinity that does not count its own pods. Such pods come last in the first order:
// before the pods that it counts are placed, no node accepts them.
bool follows(const Problem& problem, const Form& form) {
  const auto needs_others = [&](const GroupUse& use) {
    return use.owned && !use.matched && problem.groups[use.group].kind == GroupKind::kAffinity;
  };
  return std::any_of(form.host_uses.begin(), form.host_uses.end(), needs_others) ||
         std::any_of(form.uses.begin(), form.uses.end(), [&](const auto& use) { return needs_others(use.second); });
}

constexpr uint32_t kMostForms = 64;  // that shapes distinguish, of a class; also variants of a form

class Search {
 public:
  Search(State& best, int64_t steps) : best_(best), problem_(best.problem()), best_is_(objective(best)), left_(steps) {
    order_ = pods_in_order(problem_, PodOrder::kSize);
    std::stable_partition(order_.begin(), order_.end(), [&](size_t pod) { return !follows(problem_, form_of(pod)); });
  }
  void run();
  int64_t left() const { return left_; }

 private:
  void next(const State& state, size_t at);
  std::vector<size_t> classes_in_order() const;
  void take_order(const std::vector<size_t>& classes);
  std::vector<std::vector<int>> shape_of(const State& state, size_t at) const;
  const Form& form_of(size_t pod) const { return problem_.classes[problem_.pods[pod].pod_class].forms.front(); }
  void branch(const State& state, size_t at, Ask ask);
  void branch_into(const State& state, size_t at, size_t bin, const Ask& ask);
  std::vector<RowSet> sides(size_t pool, const Ask& ask) const;
  std::vector<std::vector<int>> domains(const Form& form) const;

  State& best_;
  const Problem& problem_;
  Objective best_is_;
  int64_t left_;
  std::vector<size_t> order_;
  std::set<std::vector<std::vector<int>>> seen_;
};

// Returns true if a spread or affinity concerns pods of several classes. The first pod of an affinity may be placed
// anywhere, and a spread must be even after each pod, so the order of the classes matters then.
bool order_matters(const Problem& problem) {
  std::vector<int> classes(problem.groups.size(), 0);
  for (const PodClass& c : problem.classes) {
    std::set<size_t> seen;
    for (const Form& form : c.forms) {
      for (const GroupUse& use : form.host_uses) seen.insert(use.group);
      for (const auto& [key, use] : form.uses) seen.insert(use.group);
    }
    for (const size_t group : seen) {
      const GroupKind kind = problem.groups[group].kind;
      if (kind == GroupKind::kSpread || kind == GroupKind::kAffinity) ++classes[group];
    }
  }
  return std::any_of(classes.begin(), classes.end(), [](int n) { return n > 1; });
}

std::vector<size_t> Search::classes_in_order() const {
  std::vector<size_t> classes;
  for (const size_t pod : order_) classes.push_back(problem_.pods[pod].pod_class);
  return classes;
}

// Orders the pods by this sequence of classes.
void Search::take_order(const std::vector<size_t>& classes) {
  std::map<size_t, size_t> next;
  order_.clear();
  for (const size_t c : classes) order_.push_back(problem_.classes[c].pods[next[c]++]);
}

void Search::run() {
  const State blank(problem_);
  next(blank, 0);
  if (!order_matters(problem_)) return;
  std::vector<size_t> classes = classes_in_order();
  std::sort(classes.begin(), classes.end());
  do {
    take_order(classes);
    next(blank, 0);
  } while (left_ > 0 && std::next_permutation(classes.begin(), classes.end()));
}

// Returns every choice of domains for the topology keys of the pod's rules.
std::vector<std::vector<int>> Search::domains(const Form& form) const {
  std::vector<std::vector<int>> all{std::vector<int>(problem_.keys.size(), kNone)};
  int before = kNone;
  for (const auto& [key, use] : form.uses) {
    if (key == before) continue;
    before = key;
    std::vector<std::vector<int>> more;
    const auto values = static_cast<int>(problem_.keys[static_cast<size_t>(key)].values.size());
    for (const std::vector<int>& some : all) {
      for (int domain = kNone; domain < values; ++domain) {
        more.push_back(some);
        more.back()[static_cast<size_t>(key)] = domain;
      }
    }
    all = std::move(more);
  }
  return all;
}

// Returns the rows that a new node may be for the pod, in sets. A spread that counts the pod considers all rows of a
// set or none.
std::vector<RowSet> Search::sides(size_t pool, const Ask& ask) const {
  const Form& form = problem_.classes[ask.pod_class].forms[ask.form];
  std::vector<RowSet> all{(*form.variants)[static_cast<size_t>(ask.variant)].rows[pool]};
  for (const auto& [key, use] : form.uses) {
    const int domain = (*ask.domains)[static_cast<size_t>(key)];
    const KeyInPool& in = problem_.pools[pool].keys[static_cast<size_t>(key)];
    if (domain == kNone || !in.of_type) continue;
    const RowSet* rows = in.rows[static_cast<size_t>(domain)];
    all.front() &= rows != nullptr ? *rows : RowSet();
  }
  for (const auto& [key, use] : form.uses) {
    const Group& group = problem_.groups[use.group];
    if (!use.matched || use.owned || !group.takes_sides()) continue;
    std::vector<RowSet> more;
    for (const RowSet& some : all) {
      RowSet inside = some, outside = some;
      inside &= problem_.filters[group.filter].rows[pool];
      outside -= problem_.filters[group.filter].rows[pool];
      if (inside.any()) more.push_back(std::move(inside));
      if (outside.any()) more.push_back(std::move(outside));
    }
    all = std::move(more);
  }
  return all;
}

void Search::branch(const State& state, size_t at, Ask ask) {
  const size_t pod = order_[at];
  Fit fit;
  for (size_t bin = 0; bin < state.bins().size() && left_ > 0; ++bin) {
    if (!state.bins()[bin].fresh()) {
      ask.side = nullptr;
      branch_into(state, at, bin, ask);
      continue;
    }
    for (const RowSet& side : sides(static_cast<size_t>(state.bins()[bin].pool), ask)) {
      ask.side = &side;
      branch_into(state, at, bin, ask);
    }
  }
  for (size_t pool = 0; pool < problem_.pools.size() && left_ > 0; ++pool) {
    for (const RowSet& side : sides(pool, ask)) {
      ask.side = &side;
      --left_;
      if (state.fits_new(pool, ask, fit) != Verdict::kFits) continue;
      State with = state;
      with.place(with.open(pool), ask, pod, fit);
      next(with, at + 1);
    }
  }
}

void Search::branch_into(const State& state, size_t at, size_t bin, const Ask& ask) {
  Fit fit;
  --left_;
  if (state.fits(bin, ask, fit) != Verdict::kFits) return;
  State with = state;
  with.place(bin, ask, order_[at], fit);
  next(with, at + 1);
}

// Adds, for each spread that takes sides, whether this new node can be on its inside, on its outside, or on both.
void add_sides(const Problem& problem, const Bin& bin, std::vector<int>& shape) {
  for (const Group& group : problem.groups) {
    if (!group.takes_sides()) continue;
    const RowSet& inside = problem.filters[group.filter].rows[static_cast<size_t>(bin.pool)];
    shape.push_back((bin.rows.intersects(inside) ? 1 : 0) + (bin.rows.within(inside) ? 0 : 2));
  }
}

// Returns what distinguishes two partial plans: the classes of pods in each bin, of unschedulable pods, and of the pods
// to come in their order, and the sides of new nodes. It depends neither on the order of placement nor on the names of
// equal pods and of new nodes.
std::vector<std::vector<int>> Search::shape_of(const State& state, size_t at) const {
  std::vector<std::vector<int>> shape(1);
  for (size_t i = 0; i < at; ++i) {
    if (state.bin_of(order_[i]) == kNone) shape[0].push_back(static_cast<int>(problem_.pods[order_[i]].pod_class));
  }
  std::sort(shape[0].begin(), shape[0].end());
  shape[0].push_back(kNone);
  for (size_t i = at; i < order_.size(); ++i) {
    shape[0].push_back(static_cast<int>(problem_.pods[order_[i]].pod_class));
  }
  for (const Bin& bin : state.bins()) {
    if (bin.placed.empty()) continue;
    std::vector<int> pods;
    for (const Placed& p : bin.placed) {
      pods.push_back(static_cast<int>((p.pod_class * kMostForms + p.form) * kMostForms + p.variant));
    }
    std::sort(pods.begin(), pods.end());
    pods.push_back(bin.node);
    pods.push_back(bin.pool);
    pods.insert(pods.end(), bin.domains.begin(), bin.domains.end());
    if (bin.fresh()) add_sides(problem_, bin, pods);
    shape.push_back(std::move(pods));
  }
  std::sort(shape.begin() + 1, shape.end());
  return shape;
}

// Continues with the pod at position `at`, unless the bound or the symmetry ends the branch.
void Search::next(const State& state, size_t at) {
  Objective so_far = objective(state);
  for (size_t later = at; later < order_.size(); ++later) so_far.forget(*problem_.pods[order_[later]].pod);
  if (so_far >= best_is_ || !seen_.insert(shape_of(state, at)).second) return;
  if (at == order_.size()) {
    best_ = state;
    best_is_ = so_far;
    return;
  }
  const size_t pod = order_[at];
  Ask ask;
  ask.pod_class = problem_.pods[pod].pod_class;
  ask.check = true;
  const PodClass& c = problem_.classes[ask.pod_class];
  for (ask.form = 0; ask.form < c.forms.size(); ++ask.form) {
    const Form& form = c.forms[ask.form];
    const int alternatives = static_cast<int>(form.variants->size());
    for (const std::vector<int>& choice : domains(form)) {
      ask.domains = &choice;
      for (ask.variant = 0; ask.variant < alternatives; ++ask.variant) branch(state, at, ask);
    }
  }
  next(state, at + 1);
}

}  // namespace

bool small_enough(const Problem& problem) {
  return problem.pods.size() <= kExactPods && problem.nodes.size() <= kExactNodes;
}

int64_t search_all(State& plan, int64_t steps) {
  Search search(plan, steps);
  search.run();
  return steps - search.left();
}

}  // namespace tenon::scheduling

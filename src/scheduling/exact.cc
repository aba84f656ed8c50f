// SPDX-License-Identifier: Apache-2.0
#include "scheduling/exact.h"

#include <algorithm>

#include "scheduling/first_fit.h"

namespace tenon::scheduling {
namespace {

// Pods that only follow others come last: until those others stand, nothing takes them.
bool follows(const Problem& problem, const Form& form) {
  const auto needs_others = [&](const GroupUse& use) {
    return use.owned && !use.matched && problem.groups[use.group].kind == GroupKind::kAffinity;
  };
  return std::any_of(form.host_uses.begin(), form.host_uses.end(), needs_others) ||
         std::any_of(form.uses.begin(), form.uses.end(), [&](const auto& use) { return needs_others(use.second); });
}

class Search {
 public:
  Search(State& best, int64_t steps) : best_(best), problem_(best.problem()), best_is_(objective(best)), left_(steps) {
    order_ = pods_in_order(problem_, PodOrder::kSize);
    std::stable_partition(order_.begin(), order_.end(), [&](size_t pod) { return !follows(problem_, form_of(pod)); });
  }
  void next(const State& state, size_t at, size_t first_bin);
  int64_t left() const { return left_; }

 private:
  const Form& form_of(size_t pod) const { return problem_.classes[problem_.pods[pod].pod_class].forms.front(); }
  void branch(const State& state, size_t at, const Ask& ask, size_t first_bin);
  std::vector<std::vector<int>> domains(const Form& form) const;

  State& best_;
  const Problem& problem_;
  Objective best_is_;
  int64_t left_;
  std::vector<size_t> order_;
};

// Every choice of domains for the keys that the pod's rules look at.
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

void Search::branch(const State& state, size_t at, const Ask& ask, size_t first_bin) {
  const size_t pod = order_[at];
  Fit fit;
  for (size_t bin = first_bin; bin < state.bins().size() && left_ > 0; ++bin) {
    --left_;
    if (state.fits(bin, ask, fit) != Verdict::kFits) continue;
    State with = state;
    with.place(bin, ask, pod, fit);
    next(with, at + 1, bin);
  }
  for (size_t pool = 0; pool < problem_.pools.size() && left_ > 0; ++pool) {
    --left_;
    if (state.fits_new(pool, ask, fit) != Verdict::kFits) continue;
    State with = state;
    const size_t bin = with.open(pool);
    with.place(bin, ask, pod, fit);
    next(with, at + 1, bin);
  }
}

// Whatever comes next, a plan gets no better: so a branch ends where it is no better than the best.
void Search::next(const State& state, size_t at, size_t last_bin) {
  Objective so_far = objective(state);
  for (size_t later = at; later < order_.size(); ++later) so_far.forget(*problem_.pods[order_[later]].pod);
  if (so_far >= best_is_) return;
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
  // Equal pods without rules by zone may change places, so they come in the order of their bins.
  const bool twin = at > 0 && problem_.pods[order_[at - 1]].pod_class == ask.pod_class;
  for (ask.form = 0; ask.form < c.forms.size(); ++ask.form) {
    const Form& form = c.forms[ask.form];
    const bool ordered = twin && c.forms.size() == 1 && form.uses.empty() && state.bin_of(order_[at - 1]) != kNone;
    const int alternatives = static_cast<int>(form.variants.size());
    for (const std::vector<int>& choice : domains(form)) {
      ask.domains = &choice;
      for (ask.variant = 0; ask.variant < alternatives; ++ask.variant) branch(state, at, ask, ordered ? last_bin : 0);
    }
  }
  next(state, at + 1, last_bin);
}

}  // namespace

bool small_enough(const Problem& problem) {
  return problem.pods.size() <= kExactPods && problem.nodes.size() <= kExactNodes;
}

int64_t search_all(State& plan, int64_t steps) {
  const State blank(plan.problem());
  Search search(plan, steps);
  search.next(blank, 0, 0);
  return steps - search.left();
}

}  // namespace tenon::scheduling

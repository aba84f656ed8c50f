// SPDX-License-Identifier: Apache-2.0
#include "scheduling/exact.h"

#include <algorithm>
#include <map>
#include <set>

#include "scheduling/first_fit.h"

namespace tenon::scheduling {
namespace {

// Pods that only follow others come last at first: until those others stand, nothing takes them.
bool follows(const Problem& problem, const Form& form) {
  const auto needs_others = [&](const GroupUse& use) {
    return use.owned && !use.matched && problem.groups[use.group].kind == GroupKind::kAffinity;
  };
  return std::any_of(form.host_uses.begin(), form.host_uses.end(), needs_others) ||
         std::any_of(form.uses.begin(), form.uses.end(), [&](const auto& use) { return needs_others(use.second); });
}

constexpr uint32_t kMostForms = 64;  // of a class, and variants of a form, that are told apart

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
  void branch(const State& state, size_t at, const Ask& ask);
  std::vector<std::vector<int>> domains(const Form& form) const;

  State& best_;
  const Problem& problem_;
  Objective best_is_;
  int64_t left_;
  std::vector<size_t> order_;
  std::set<std::vector<std::vector<int>>> seen_;
};

// Who comes first matters where a rule looks at pods of another class: the first of a group may stand anywhere, and a
// spread must be even all the time.
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

// Pods in the order of their classes.
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

void Search::branch(const State& state, size_t at, const Ask& ask) {
  const size_t pod = order_[at];
  Fit fit;
  for (size_t bin = 0; bin < state.bins().size() && left_ > 0; ++bin) {
    --left_;
    if (state.fits(bin, ask, fit) != Verdict::kFits) continue;
    State with = state;
    with.place(bin, ask, pod, fit);
    next(with, at + 1);
  }
  for (size_t pool = 0; pool < problem_.pools.size() && left_ > 0; ++pool) {
    --left_;
    if (state.fits_new(pool, ask, fit) != Verdict::kFits) continue;
    State with = state;
    const size_t bin = with.open(pool);
    with.place(bin, ask, pod, fit);
    next(with, at + 1);
  }
}

// What makes two unfinished plans equal: who is where, who stays behind and who is still to come in which order,
// whoever came first and whatever the names of pods and of new nodes.
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
    shape.push_back(std::move(pods));
  }
  std::sort(shape.begin() + 1, shape.end());
  return shape;
}

// Whatever comes next, a plan gets no better: so a branch ends where it is no better than the best.
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
    const int alternatives = static_cast<int>(form.variants.size());
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

// The first pod of a unit decides the domain of all: by hostname the node, otherwise the zone. So a unit is a search
// over starts. A start is a first pod with a form, a choice of domains, and an existing, open or new node:
//
//   1. first_pods() lists one pod of each class that may come first: its affinity matches itself, or running pods.
//   2. list_starts() lists at most kMostStarts starts in which the first pod fits.
//   3. try_starts() places the rest by first fit for each start, within begin() and undo(), and compares objectives. If
//      pods are left behind each time, it tries again with small pods first.
//   4. The best start is placed again, and kept.
//
//   10 pods of 1 CPU by hostname; nodes with 4 and 12 free CPU: the node with 12 is the first start, and holds all pods
//
// Cost: at most 2 × kMostStarts first fits of the unit's pods, and as many undone journals.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/tied_unit.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "scheduling/search_state/first_fit.h"

namespace tenon::scheduling {
namespace {

constexpr size_t kMostStarts = 100;  // of a unit

}  // namespace

Unit::Unit(State& state, const std::vector<size_t>& classes, std::vector<size_t> pods)
    : state_(state), problem_(state.problem()), classes_(classes), pods_(std::move(pods)) {
  for (const size_t c : classes_) {
    for_owned(problem_, c, GroupKind::kAffinity, [&](int key, const GroupUse&) { by_host_ |= key == kHostKey; });
  }
}

// Returns one pod of each class that needs no other pod to be placed first. If all classes need other pods, returns one
// pod of each class that they need. Empty if running pods fix the domain of some class.
std::vector<size_t> Unit::first_pods() const {
  std::vector<size_t> own;
  std::vector<char> wanted(problem_.groups.size(), 0);
  for (const size_t c : classes_) {
    bool alone = true, anchored = true;
    for_owned(problem_, c, GroupKind::kAffinity, [&](int, const GroupUse& use) {
      wanted[use.group] = 1;
      const bool runs = problem_.groups[use.group].total > 0;
      alone &= use.matched || runs;
      anchored &= runs;
    });
    if (anchored) return {};  // running pods fix the domain: first fit finds it
    const auto at =
        std::find_if(pods_.begin(), pods_.end(), [&](size_t pod) { return problem_.pods[pod].pod_class == c; });
    if (alone && at != pods_.end()) own.push_back(*at);
  }
  return own.empty() ? others_that_match(wanted) : own;
}

std::vector<size_t> Unit::others_that_match(const std::vector<char>& groups) const {
  std::vector<size_t> found;
  for (const PodClass& c : problem_.classes) {
    if (c.forms.empty()) continue;
    const auto matched = [&](const GroupUse& use) { return use.matched && groups[use.group] != 0; };
    const Form& form = c.forms.back();
    const bool some = std::any_of(form.host_uses.begin(), form.host_uses.end(), matched) ||
                      std::any_of(form.uses.begin(), form.uses.end(), [&](const auto& u) { return matched(u.second); });
    const auto at = std::find_if(c.pods.begin(), c.pods.end(), [&](size_t p) { return state_.bin_of(p) == kNone; });
    if (some && at != c.pods.end()) found.push_back(*at);
  }
  return found;
}

// Returns bins in the order of trial: existing nodes that hold the whole unit, the smallest first; planned nodes; kNone
// for a new node; existing nodes that hold a part of the unit, the largest first.
std::vector<size_t> Unit::bins_by_room() const {
  Amounts all(problem_.resources.size(), 0);
  for (const size_t pod : pods_) {
    const Amounts& requests = problem_.classes[problem_.pods[pod].pod_class].requests;
    for (size_t i = 0; i < all.size(); ++i) all[i] += requests[i];
  }
  std::vector<std::tuple<int, double, size_t>> ranked{{2, 0, RowSet::kNone}};
  for (size_t b = 0; b < state_.bins().size(); ++b) {
    const Bin& bin = state_.bins()[b];
    if (bin.fresh()) {
      ranked.emplace_back(1, 0, b);
      continue;
    }
    const Amounts& free = problem_.nodes[static_cast<size_t>(bin.node)].free;
    double share = 1e9;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] > 0) share = std::min(share, static_cast<double>(free[i] - bin.used[i]) / static_cast<double>(all[i]));
    }
    if (share > 0) ranked.emplace_back(share >= 1 ? 0 : 3, share >= 1 ? share : -share, b);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<size_t> bins;
  for (const auto& [rank, share, bin] : ranked) bins.push_back(bin);
  return bins;
}

bool Unit::add_start(Start start) {
  ++steps_;
  Fit fit;
  if (fits(state_, start, fit) != Verdict::kFits) return false;
  starts_.push_back(std::move(start));
  return true;
}

// Under rules by hostname every bin is a domain. Otherwise one bin of each domain is enough.
void Unit::list_starts(size_t pod, size_t form, const std::vector<size_t>& bins) {
  const Form& f = problem_.classes[problem_.pods[pod].pod_class].forms[form];
  for (const std::vector<int>& choice : choices_of_domains(problem_, f)) {
    bool found = false;
    const auto enough = [&] { return (found && !by_host_) || starts_.size() >= kMostStarts; };
    for (size_t i = 0; i < bins.size() && !enough(); ++i) {
      if (bins[i] != RowSet::kNone) {
        found |= add_start({pod, form, choice, bins[i], RowSet::kNone});
        continue;
      }
      for (size_t pool = 0; pool < problem_.pools.size() && !enough(); ++pool) {
        found |= add_start({pod, form, choice, RowSet::kNone, pool});
      }
    }
  }
}

std::vector<size_t> Unit::rest_of(const Start& start, bool small_first) const {
  std::vector<size_t> rest = pods_;
  std::erase(rest, start.pod);
  if (!small_first) return rest;
  const auto priority = [&](size_t pod) { return problem_.pods[pod].pod->spec->priority; };
  std::reverse(rest.begin(), rest.end());
  std::stable_sort(rest.begin(), rest.end(), [&](size_t a, size_t b) { return priority(a) > priority(b); });
  return rest;
}

// Under rules by hostname all pods follow the first one, so only its bin is tried.
void Unit::place_rest(std::vector<size_t> rest, size_t bin) {
  Terms here;
  std::vector<RowSet> nodes(by_host_ ? problem_.classes.size() : 0);
  if (by_host_) {
    here.nodes = &nodes;
    here.first_new = state_.bins()[bin].fresh() ? bin : state_.bins().size();
    here.most_new = 0;
    if (!state_.bins()[bin].fresh()) {
      for (RowSet& of_class : nodes) of_class.set(bin);
    }
  }
  FirstFit first_fit = by_host_ ? FirstFit(state_, here) : FirstFit(state_);
  first_fit.place(std::move(rest));
  steps_ += first_fit.steps();
}

void Unit::begin_with(const Start& start, bool small_first) {
  Fit fit;
  CHECK(fits(state_, start, fit) == Verdict::kFits, "as it did when it was listed");
  place_rest(rest_of(start, small_first), scheduling::place(state_, start, fit));
}

// The objective of the unit's pods and of the nodes launched for them.
Objective Unit::objective_since(size_t bins) const {
  Objective result;
  std::map<int64_t, int> left;
  for (const size_t pod : pods_) {
    if (state_.bin_of(pod) == kNone) ++left[-int64_t{problem_.pods[pod].pod->spec->priority}];
  }
  result.unplaced.assign(left.begin(), left.end());
  for (size_t b = bins; b < state_.bins().size(); ++b) result.add(state_, state_.bins()[b]);
  return result;
}

void Unit::try_starts(std::optional<Tried>& best, bool small_first) {
  const size_t bins = state_.bins().size();
  for (const Start& start : starts_) {
    state_.begin();
    begin_with(start, small_first);
    Tried tried{objective_since(bins), &start, small_first};
    if (!best || tried.objective < best->objective) best = std::move(tried);
    state_.undo();
    if (by_host_ && best && best->objective.unplaced.empty()) return;  // starts are in order of preference
  }
}

void Unit::place() {
  const std::vector<size_t> bins = bins_by_room();
  for (const size_t pod : first_pods()) {
    const size_t forms = problem_.classes[problem_.pods[pod].pod_class].forms.size();
    for (size_t form = 0; form < forms; ++form) list_starts(pod, form, bins);
  }
  std::optional<Tried> best;
  try_starts(best, false);
  if (best && !best->objective.unplaced.empty()) try_starts(best, true);
  if (best) {
    begin_with(*best->start, best->small_first);
  } else {
    FirstFit first_fit(state_);
    first_fit.place(pods_);
    steps_ += first_fit.steps();
  }
}

}  // namespace tenon::scheduling

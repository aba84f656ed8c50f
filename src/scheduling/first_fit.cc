// SPDX-License-Identifier: Apache-2.0
#include "scheduling/first_fit.h"

#include <algorithm>
#include <tuple>

namespace tenon::scheduling {

std::vector<size_t> pods_in_order(const Problem& problem, PodOrder order) {
  using Rank = std::tuple<int64_t, int64_t, int64_t, Instant, std::string_view, size_t>;
  std::vector<Rank> ranks;
  for (size_t i = 0; i < problem.pods.size(); ++i) {
    if (problem.classes[problem.pods[i].pod_class].forms.empty()) continue;
    const model::Pod& pod = *problem.pods[i].pod;
    const int priority = order == PodOrder::kPriorityThenSize ? pod.priority : 0;
    ranks.emplace_back(-int64_t{priority}, -pod.requests.get(model::kCpu), -pod.requests.get(model::kMemory),
                       pod.meta.created_at, pod.meta.uid, i);
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<size_t> pods;
  for (const Rank& rank : ranks) pods.push_back(std::get<size_t>(rank));
  return pods;
}

FirstFit::FirstFit(State& state) : state_(state) {
  for (const PodClass& c : state.problem().classes) tried_.emplace_back(c.forms.size());
  for (size_t b = 0; b < state.bins().size(); ++b) {
    const Bin& bin = state.bins()[b];
    if (bin.fresh() && !bin.closed) open_.emplace(bin.placed.size(), b);
  }
}

std::vector<size_t> FirstFit::place(std::vector<size_t> pods) {
  bool progress = true;
  while (progress && !pods.empty()) {
    progress = false;
    std::vector<size_t> left;
    for (const size_t pod : pods) {
      if (place_one(pod)) {
        progress = true;
      } else {
        left.push_back(pod);
      }
    }
    pods = std::move(left);
  }
  return pods;
}

bool FirstFit::place_one(size_t pod) {
  Ask ask;
  ask.pod_class = state_.problem().pods[pod].pod_class;
  auto& by_form = tried_[ask.pod_class];
  for (ask.form = 0; ask.form < by_form.size(); ++ask.form) {
    Tried& tried = by_form[ask.form];
    if (place_existing(ask, pod, tried) || place_open(ask, pod, tried) || place_new(ask, pod, tried)) return true;
  }
  return false;
}

bool FirstFit::place_existing(const Ask& ask, size_t pod, Tried& tried) {
  for (size_t bin = 0; bin < state_.problem().nodes.size(); ++bin) {
    if (tried.never_bins.test(bin)) continue;
    ++steps_;
    const Verdict verdict = state_.fits(bin, ask, fit_);
    if (verdict == Verdict::kNever) tried.never_bins.set(bin);
    if (verdict != Verdict::kFits) continue;
    state_.place(bin, ask, pod, fit_);
    return true;
  }
  return false;
}

bool FirstFit::place_open(const Ask& ask, size_t pod, Tried& tried) {
  for (const auto& [count, bin] : open_) {
    if (tried.never_bins.test(bin)) continue;
    ++steps_;
    const Verdict verdict = state_.fits(bin, ask, fit_);
    if (verdict == Verdict::kNever) tried.never_bins.set(bin);
    if (verdict != Verdict::kFits) continue;
    const std::pair<size_t, size_t> now{count + 1, bin};
    state_.place(bin, ask, pod, fit_);
    open_.erase({count, now.second});
    open_.insert(now);
    return true;
  }
  return false;
}

bool FirstFit::place_new(const Ask& ask, size_t pod, Tried& tried) {
  for (size_t pool = 0; pool < state_.problem().pools.size(); ++pool) {
    if (tried.never_pools.test(pool)) continue;
    ++steps_;
    const Verdict verdict = state_.fits_new(pool, ask, fit_);
    if (verdict == Verdict::kNever) tried.never_pools.set(pool);
    if (verdict != Verdict::kFits) continue;
    const size_t bin = state_.open(pool);
    state_.place(bin, ask, pod, fit_);
    open_.emplace(1, bin);
    return true;
  }
  return false;
}

}  // namespace tenon::scheduling

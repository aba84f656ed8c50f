// A class with one open domain is placed by first fit, all of its pods that fit at once. The others are placed one pod
// at a time, with an explicit domain. Cost: pods × choices of domains × bins, limited to kTurnSteps tries.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/tied_turns.h"

#include <algorithm>

#include "scheduling/search_state/first_fit.h"

namespace tenon::scheduling {
namespace {

constexpr int64_t kTurnSteps = 1'000'000;  // first fit places the remaining pods

}  // namespace

void Turns::place(std::vector<std::vector<size_t>> left, const std::vector<size_t>& domains) {
  for (size_t c = 0; c < left.size() && steps_ < kTurnSteps;) {
    const size_t before = left[c].size();
    if (domains[c] <= 1) {
      FirstFit first_fit(state_);
      left[c] = first_fit.place(std::move(left[c]));
      steps_ += first_fit.steps();
    } else if (before > 0 && put(left[c].back())) {
      left[c].pop_back();
    }
    c = left[c].size() < before ? 0 : c + 1;
  }
}

// Places the pod in the domain with the fewest pods of its spreads, where it allows the most further pods.
bool Turns::put(size_t pod) {
  const PodClass& c = problem_.classes[problem_.pods[pod].pod_class];
  for (size_t form = 0; form < c.forms.size(); ++form) {
    std::vector<std::pair<int64_t, std::vector<int>>> ranked;
    for (std::vector<int>& choice : choices_of_domains(problem_, c.forms[form])) {
      int64_t count = 0;
      for (const auto& [key, use] : c.forms[form].uses) {
        const int domain = choice[static_cast<size_t>(key)];
        if (domain == kNone || problem_.groups[use.group].kind != GroupKind::kSpread) continue;
        count += state_.domain_count(use.group, static_cast<size_t>(domain));
      }
      ranked.emplace_back(count, std::move(choice));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [count, choice] : ranked) {
      if (put({pod, form, std::move(choice)})) return true;
    }
  }
  return false;
}

bool Turns::put(Start start) {
  const auto fit_in = [&] {
    ++steps_;
    if (fits(state_, start, fit_) != Verdict::kFits) return false;
    scheduling::place(state_, start, fit_);
    return true;
  };
  for (start.bin = 0; start.bin < state_.bins().size(); ++start.bin) {
    if (fit_in()) return true;
  }
  start.bin = RowSet::kNone;
  for (start.pool = 0; start.pool < problem_.pools.size(); ++start.pool) {
    if (fit_in()) return true;
  }
  return false;
}

}  // namespace tenon::scheduling

// choices_of_domains() enumerates one key after the other and stops at kMostChoices combinations: 4 zones and kNone for
// two keys are 25. An Ask with domains and `check` makes State::fits() fix exactly these domains and check the rules.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/tied_start.h"

namespace tenon::scheduling {
namespace {

constexpr size_t kMostChoices = 64;

}  // namespace

Ask ask_of(const Problem& problem, const Start& start) {
  Ask ask;
  ask.pod_class = problem.pods[start.pod].pod_class;
  ask.form = start.form;
  ask.domains = &start.domains;
  ask.check = true;
  return ask;
}

Verdict fits(const State& state, const Start& start, Fit& fit) {
  const Ask ask = ask_of(state.problem(), start);
  return start.bin != RowSet::kNone ? state.fits(start.bin, ask, fit) : state.fits_new(start.pool, ask, fit);
}

size_t place(State& state, const Start& start, const Fit& fit) {
  const size_t bin = start.bin != RowSet::kNone ? start.bin : state.open(start.pool);
  state.place(bin, ask_of(state.problem(), start), start.pod, fit);
  return bin;
}

std::vector<std::vector<int>> choices_of_domains(const Problem& problem, const Form& form) {
  std::vector<std::vector<int>> all(1, std::vector<int>(problem.keys.size(), kNone));
  int before = kNone;
  for (const auto& [key, use] : form.uses) {
    if (key == before) continue;
    before = key;
    std::vector<std::vector<int>> more;
    const auto values = static_cast<int>(problem.keys[static_cast<size_t>(key)].values.size());
    for (const std::vector<int>& some : all) {
      for (int domain = kNone; domain < values && more.size() < kMostChoices; ++domain) {
        more.push_back(some);
        more.back()[static_cast<size_t>(key)] = domain;
      }
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace tenon::scheduling

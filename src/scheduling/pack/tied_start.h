// Helpers of tied.h: the rules that tie pods, and the placement of a pod in a chosen domain. First fit chooses the
// domain of a pod itself; here the caller chooses it, and enumerates the choices with choices_of_domains(). The rules
// are still checked (Ask::check).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// Returns the last form of a class, in which all preferences are relaxed.
inline const Form& least_form(const Problem& problem, size_t pod_class) {
  return problem.classes[pod_class].forms.back();
}

// Visits the groups of this kind whose rule the class has, as (key, use).
template <class Visit>
void for_owned(const Problem& problem, size_t pod_class, GroupKind kind, Visit visit) {
  const auto visit_owned = [&](int key, const GroupUse& use) {
    if (use.owned && problem.groups[use.group].kind == kind) visit(key, use);
  };
  const Form& form = least_form(problem, pod_class);
  for (const GroupUse& use : form.host_uses) visit_owned(kHostKey, use);
  for (const auto& [key, use] : form.uses) visit_owned(key, use);
}

// A placement of a pod in chosen domains.
struct Start {
  size_t pod = 0, form = 0;
  std::vector<int> domains;                          // by topology key, as in Ask
  size_t bin = RowSet::kNone, pool = RowSet::kNone;  // one of them; a new node of the pool
};
Ask ask_of(const Problem& problem, const Start& start);  // borrows the domains
Verdict fits(const State& state, const Start& start, Fit& fit);
// Places the pod in its bin or in a new one. Returns the bin.
size_t place(State& state, const Start& start, const Fit& fit);

// Returns the combinations of domains of the keys that the form's rules use, kNone included; at most kMostChoices
// (tied_start.cc).
std::vector<std::vector<int>> choices_of_domains(const Problem& problem, const Form& form);

}  // namespace tenon::scheduling

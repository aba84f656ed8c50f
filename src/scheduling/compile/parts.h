// The parts of compile(), in order: compile_pods.cc, compile_pools.cc, compile_nodes.cc, compile_forms.cc,
// compile_groups.cc with compile_counts.cc (domains_in_reach()), compile_choices.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/compile/problem.h"

namespace tenon::scheduling {

void compile_pods(Problem& problem);
void compile_pools(Problem& problem);
void compile_nodes(Problem& problem);
void compile_forms(Problem& problem);
void compile_groups(Problem& problem);
void compile_choices(Problem& problem);

// Returns the domains that the group's pods allow and where one of these rows (by pool) can be launched; a domain is
// listed once for each such pool.
std::vector<size_t> domains_in_reach(const Problem& problem, const Group& group, const std::vector<RowSet>& reach);

}  // namespace tenon::scheduling

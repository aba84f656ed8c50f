// Pieces of check_solution(). This code shares nothing with the solver but the model: it walks objects, not rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "scheduling/solver.h"

namespace tenon::scheduling::check {

// One way in which a new node may come up.
struct Outcome {
  const model::InstanceType* type = nullptr;
  const model::Offering* offering = nullptr;
};

// A node after the plan, real or planned.
struct Place {
  std::string name;
  const NodeView* view = nullptr;        // of an existing node
  const PlannedNode* planned = nullptr;  // of a new one
  const PoolView* pool = nullptr;        // of a new one
  std::vector<Outcome> outcomes;         // of a new one; those of one type side by side
  std::vector<PodPtr> running, arriving;

  // The values that a label may have on it. Empty: it has no such label.
  std::set<std::string> values(const std::string& key) const;
  // Do the requirements hold whatever it turns out to be?
  bool satisfies(const model::Requirements& requirements) const;
  // May they hold?
  bool may_satisfy(const model::Requirements& requirements) const;
  // The same of a new node that comes up in one of these ways.
  bool may_satisfy(const model::Requirements& requirements, std::span<const Outcome> ways) const;
};

// The labels of a new node are true of each outcome, allowed by its requirements, and complete: the NodePool's own, and
// one for each requirement that neither a type nor an offering answers.
Status check_labels(const Place& place);

// All ways in which a new node may come up, those of one type side by side.
std::vector<Outcome> outcomes_of(const PlannedNode& node, const std::vector<model::InstanceType>& types);
// Selector and each required term.
std::vector<model::Requirements> required_terms(const model::Pod& pod);

Status check_new_node(const Snapshot& snapshot, const SolveOptions& options, const Place& place);
Status check_existing_node(const Snapshot& snapshot, const Place& place);
Status check_limits(const Snapshot& snapshot, const SolveOptions& options, const std::vector<Place>& places);
Status check_topology(const Snapshot& snapshot, const SolveOptions& options, const std::vector<Place>& places);
// The values that the label may have on a node that is launched for this pod, whatever it costs. Not all of them: see
// solution_check_domains.cc.
std::set<std::string> launchable_domains(const Snapshot& snapshot, const SolveOptions& options, const std::string& key,
                                         const model::Pod& pod);

}  // namespace tenon::scheduling::check

// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/applier.h"

#include <algorithm>

#include "base/check.h"
#include "controllers/apply/perform.h"
#include "runtime/parallel.h"

namespace tenon::controllers {
namespace {

// Returns the one error that the caller receives for several groups: a cancellation rather than a failure, a failure
// rather than a conflict.
Status worst_of(const std::vector<Outcome::Failure>& failures, const plan::Plan& plan) {
  const auto rank = [](const Outcome::Failure& one) {
    return one.error.code == Code::kCancelled ? 2 : one.error.code == Code::kConflict ? 0 : 1;
  };
  const auto worst = std::max_element(failures.begin(), failures.end(),
                                      [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (worst == failures.end()) return ok();
  Error error = worst->error.in(plan::describe(plan.actions[worst->action]));
  if (failures.size() > 1) error.message += " (and " + std::to_string(failures.size() - 1) + " more failed)";
  return fail(std::move(error));
}

bool creates_alone(const plan::Plan& plan, size_t group) {
  const size_t end = group + 1 == plan.groups.size() ? plan.actions.size() : plan.groups[group + 1];
  const size_t begin = plan.groups[group];
  return end == begin + 1 && std::holds_alternative<plan::CreateNodeClaim>(plan.actions[begin]);
}

// Returns the end of the creates that begin with action `i`, each a group of its own; i if there are none.
size_t end_of_creates(const plan::Plan& plan, size_t i) {
  auto group = static_cast<size_t>(std::lower_bound(plan.groups.begin(), plan.groups.end(), i) - plan.groups.begin());
  if (group == plan.groups.size() || plan.groups[group] != i) return i;
  while (group < plan.groups.size() && creates_alone(plan, group)) {
    ++i;
    ++group;
  }
  return i;
}

// Returns the object that the event about a rejected plan names.
plan::ObjectRef about(const plan::Action& action) {
  plan::ObjectRef ref{"karpenter.sh/v1", "NodeClaim", "", "", ""};
  if (const auto* create = std::get_if<plan::CreateNodeClaim>(&action)) {
    ref.kind = "NodePool";
    ref.name = create->claim.pool();
  } else if (const auto* nominate = std::get_if<plan::Nominate>(&action)) {
    if (nominate->claim.empty()) ref = {"v1", "Node", "", "", ""};
    ref.name = nominate->claim.empty() ? nominate->node : nominate->claim;
  } else if (const auto* mark = std::get_if<plan::MarkForDeletion>(&action)) {
    ref.name = mark->claim;
  } else if (const auto* promise = std::get_if<plan::PromiseRoom>(&action)) {
    ref = {"v1", "Node", "", promise->node, ""};
  } else if (const auto* hold = std::get_if<plan::HoldDrain>(&action)) {
    ref.name = hold->claim;
  }
  return ref;
}

}  // namespace

const Error* Outcome::failed(size_t first, size_t last) const {
  const auto at = std::find_if(failures.begin(), failures.end(),
                               [&](const Failure& one) { return first <= one.action && one.action < last; });
  return at == failures.end() ? nullptr : &at->error;
}

Status Applier::reject(const plan::Plan& plan, const state::Violation& violation) {
  const std::string text = "the plan was rejected, invariant " + violation.invariant + ": " + violation.what;
  CHECK(!options_.abort_on_violation, text);
  services_.events.record(
      {subject(about(plan.actions[violation.action])), "Warning", "PlanRejected", "Internal error: " + text});
  if (callbacks_.rejected) callbacks_.rejected(violation);
  return fail(Code::kInternal, text);
}

Status Applier::apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) {
  if (plan.turn) {
    outcome.turn = services_.ledger.take_turn(*plan.turn);
    outcome.turn_lost = !outcome.turn;
    if (outcome.turn_lost) return fail(Code::kConflict, "another decision was made since the snapshot");
  }
  if (const auto violation = services_.ledger.violation(plan)) return reject(plan, *violation);
  const std::map<size_t, size_t> held = hold_back(plan, outcome);
  Perform perform{*this, stop, outcome};
  for (size_t i = 0; i < plan.actions.size();) {
    const auto next_held = held.lower_bound(i);
    if (next_held != held.end() && next_held->first == i) {
      i = next_held->second;
      continue;
    }
    const size_t limit = next_held == held.end() ? plan.actions.size() : next_held->first;
    if (const size_t end = std::min(limit, end_of_creates(plan, i)); end > i + 1) {
      create_together(plan, i, end, outcome, stop);
      if (outcome.failed(i, end) && stop.stop_requested()) break;
      i = end;
      continue;
    }
    perform.index = i;
    const Status done = std::visit(perform, plan.actions[i]);
    if (done) {
      if (!outcome.held.contains(i)) {
        if (callbacks_.performed) callbacks_.performed(plan.actions[i]);
        outcome.performed.insert(i);
      }
      ++i;
      continue;
    }
    const bool ends_all = plan.groups.empty() || i < plan.groups.front() || done.error().code == Code::kCancelled;
    outcome.failures.push_back({i, done.error()});
    if (ends_all) break;
    const auto next = std::upper_bound(plan.groups.begin(), plan.groups.end(), i);
    i = next == plan.groups.end() ? plan.actions.size() : *next;
  }
  if (outcome.failures.empty()) {
    for (const log::Entry& entry : plan.log) services_.log.tell(entry);
  }
  return worst_of(outcome.failures, plan);
}

void Applier::create_together(const plan::Plan& plan, size_t first, size_t last, Outcome& outcome,
                              const std::stop_token& stop) {
  std::vector<Outcome> parts(last - first);
  std::vector<Status> done(last - first, Status(fail(Code::kCancelled, "not begun")));
  const auto create = [&](size_t i, const std::stop_token& own_stop) {
    Perform perform{*this, own_stop, parts[i], first + i};
    done[i] = perform(std::get<plan::CreateNodeClaim>(plan.actions[first + i]));
    if (done[i] && callbacks_.performed) callbacks_.performed(plan.actions[first + i]);
  };
  runtime::in_parallel(services_.runtime, "create", kCreatesInFlight, parts.size(), create, stop);
  for (size_t i = 0; i < parts.size(); ++i) {
    outcome.created.merge(parts[i].created);
    if (done[i]) {
      outcome.performed.insert(first + i);
    } else {
      outcome.failures.push_back({first + i, done[i].error()});
    }
  }
}

}  // namespace tenon::controllers

// The undo journal of a State, and the removal of nodes.
//
// begin() stores what is small (limits, reservations) at once. The rest is recorded on its first change: a bin is
// copied before it changes, a pod's bin is appended, a count is appended as a difference. undo() removes new bins,
// restores the others and the pods' bins, and subtracts the differences; commit() discards the journal. Journals do not
// nest.
//
//   begin(); remove_node(n7); place(n3, …); undo();   // restores two bins out of 5,000, in place of a copy of the
//   State
//
// Cost: pools to begin; then linear in what changed. So a question about one node does not depend on the size of the
// cluster (docs/decisions/0006).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

void State::begin() {
  CHECK(!journal_.on, "changes are kept or undone before others begin");
  journal_.on = true;
  journal_.bins = bins_.size();
  journal_.saved.resize(bins_.size(), 0);
  journal_.left = left_;
  journal_.reservations = reservations_;
  journal_.nodes_left = nodes_left_;
}

void State::commit() {
  for (const auto& [bin, before] : journal_.known) journal_.saved[bin] = 0;
  journal_.known.clear();
  journal_.pods.clear();
  journal_.counts.clear();
  journal_.on = false;
}

void State::undo() {
  CHECK(journal_.on, "something has begun");
  std::move(bins_.begin() + static_cast<std::ptrdiff_t>(journal_.bins), bins_.end(), std::back_inserter(spare_));
  bins_.resize(journal_.bins);
  for (auto& [bin, before] : journal_.known) bins_[bin] = std::move(before);
  for (auto at = journal_.pods.rbegin(); at != journal_.pods.rend(); ++at) bin_of_[at->first] = at->second;
  for (const auto& [group, domain, matched, owners] : journal_.counts) {
    if (domain == kNone) {
      counts_.total[group] -= matched;
    } else {
      counts_.matched[group][static_cast<size_t>(domain)] -= matched;
      counts_.owners[group][static_cast<size_t>(domain)] -= owners;
    }
  }
  left_ = journal_.left;
  reservations_ = journal_.reservations;
  nodes_left_ = journal_.nodes_left;
  // The indexes in `known` are below journal_.bins, so commit() may use them after the new bins are gone.
  commit();
}

void State::save_bin(size_t bin) {
  if (!journal_.on || bin >= journal_.bins || journal_.saved[bin] != 0) return;
  journal_.saved[bin] = 1;
  journal_.known.emplace_back(bin, bins_[bin]);
}

void State::add(size_t group, int domain, int matched, int owners) {
  counts_.matched[group][static_cast<size_t>(domain)] += matched;
  counts_.owners[group][static_cast<size_t>(domain)] += owners;
  if (journal_.on) journal_.counts.push_back({group, domain, matched, owners});
}

void State::add_total(size_t group, int matched) {
  counts_.total[group] += matched;
  if (journal_.on) journal_.counts.push_back({group, kNone, matched, 0});
}

void State::remove_node(size_t node) {
  save_bin(node);
  Bin& bin = bins_[node];
  const NodeProblem& there = problem_->nodes[node];
  CHECK(there.removable, there.name);
  for (const Placed& placed : bin.placed) {
    save_pod(placed.pod);
    bin_of_[placed.pod] = kNone;
    count(bin, placed, -1);
  }
  for (const HostCount& here : there.host) add_total(here.group, -here.matched);
  for (const HostCount& here : there.counted) {
    add_total(here.group, -here.matched);
    add(here.group, bin.domains[static_cast<size_t>(problem_->groups[here.group].key)], -here.matched, -here.owners);
  }
  bin.placed.clear();
}

void State::change_left(size_t pool, const Amounts& charge, int sign) {
  for (size_t i = 0; i < charge.size(); ++i) left_[pool][i] += sign * charge[i];
}

void State::offer_below(size_t pool, std::optional<model::Price> price) {
  const auto& rows = problem_->pools[pool].rows;
  const auto end =
      std::partition_point(rows.begin(), rows.end(), [&](const Row& r) { return !price || r.price < *price; });
  blank_[pool].rows = RowSet(static_cast<size_t>(end - rows.begin()), true);
}

}  // namespace tenon::scheduling

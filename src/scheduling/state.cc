// SPDX-License-Identifier: Apache-2.0
#include "scheduling/state.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::scheduling {

State::State(const Problem& problem) : problem_(&problem), bin_of_(problem.pods.size(), kNone) {
  host_groups_ =
      std::any_of(problem.groups.begin(), problem.groups.end(), [](const Group& g) { return g.key == kHostKey; });
  for (const Group& group : problem.groups) {
    counts_.matched.push_back(group.counts);
    counts_.owners.push_back(group.owners);
    counts_.total.push_back(group.total);
  }
  for (size_t n = 0; n < problem.nodes.size(); ++n) {
    const NodeProblem& node = problem.nodes[n];
    Bin bin;
    bin.node = static_cast<int>(n);
    bin.used.assign(problem.resources.size(), 0);
    bin.domains = node.domains;
    bin.ports = node.ports;
    bin.volume_room = node.volume_room;
    bin.volumes = node.volumes;
    if (host_groups_) {
      for (const Group& group : problem.groups) bin.host.push_back({group.host_counts[n], group.host_owners[n]});
    }
    bins_.push_back(std::move(bin));
  }
  for (const auto& [id, instances] : problem.reservations) reservations_.push_back(instances);
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const PoolProblem& pool = problem.pools[p];
    left_.push_back(pool.left);
    Bin bin;
    bin.pool = static_cast<int>(p);
    bin.used.assign(problem.resources.size(), 0);
    bin.rows = pool.all();
    for (size_t t = 0; t < pool.types.size(); ++t) bin.types.push_back(t);
    bin.narrowed = pool.loose;
    keep_most(bin);
    bin.charge.assign(pool.limited.size(), 0);
    bin.domains.assign(problem.keys.size(), kNone);
    for (size_t k = 1; k < problem.keys.size(); ++k) {
      const TopologyKey& key = problem.keys[k];
      const model::Requirement r = pool.requirements.get(key.name);
      if (!r.complement() && r.values().size() == 1) bin.domains[k] = key.find(*r.values().begin());
    }
    if (host_groups_) bin.host.assign(problem.groups.size(), {0, 0});
    blank_.push_back(std::move(bin));
  }
}

void State::touch(size_t bin) {
  if (undo_ && bin < undo_->bins) undo_->touched.try_emplace(bin, bins_[bin]);
}

void State::keep_most(Bin& bin) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  bin.most.assign(bin.used.size(), INT64_MIN);
  for (const size_t t : bin.types) {
    for (size_t i = 0; i < bin.most.size(); ++i) bin.most[i] = std::max(bin.most[i], pool.types[t].free[i]);
  }
}

size_t State::open(size_t pool) {
  bins_.push_back(blank_[pool]);
  return bins_.size() - 1;
}

void State::place(size_t index, const Ask& ask, size_t pod, const Fit& fit) {
  touch(index);
  Bin& bin = bins_[index];
  const PodClass& c = problem_->classes[ask.pod_class];
  bin.placed.push_back({pod, ask.pod_class, ask.form, fit.variant});
  bin_of_[pod] = static_cast<int>(index);
  for (size_t i = 0; i < c.requests.size(); ++i) bin.used[i] += c.requests[i];
  bin.ports.insert(bin.ports.end(), c.ports.begin(), c.ports.end());
  bin.domains = fit.domains;
  if (bin.fresh()) {
    const auto pool = static_cast<size_t>(bin.pool);
    for (size_t i = 0; i < left_[pool].size(); ++i) left_[pool][i] += bin.charge[i] - fit.charge[i];
    if (bin.reservation != kNone) ++reservations_[static_cast<size_t>(bin.reservation)];
    if (fit.reservation != kNone) --reservations_[static_cast<size_t>(fit.reservation)];
    bin.rows = fit.rows;
    if (bin.types.size() != fit.types.size()) {
      bin.types = fit.types;
      keep_most(bin);
    }
    bin.narrowed = fit.narrowed;
    bin.row = fit.row;
    bin.reservation = fit.reservation;
    bin.charge = fit.charge;
  } else {
    for (const auto& [driver, claim] : problem_->pods[pod].volumes) {
      const auto room = bin.volume_room.find(driver);
      if (room != bin.volume_room.end() && bin.volumes.insert(claim).second) --room->second;
    }
  }
  count(bin, bin.placed.back(), 1);
  for (const GroupUse& use : c.forms[ask.form].host_uses) {
    if (use.matched && (use.owned || counts_here(problem_->groups[use.group], bin, bin.placed.back()))) {
      ++bin.host[use.group][0];
    }
    if (use.owned) ++bin.host[use.group][1];
  }
}

void State::empty(size_t index) {
  touch(index);
  Bin& bin = bins_[index];
  for (const Placed& p : bin.placed) {
    count(bin, p, -1);
    bin_of_[p.pod] = kNone;
  }
  if (bin.fresh()) {
    const auto pool = static_cast<size_t>(bin.pool);
    for (size_t i = 0; i < left_[pool].size(); ++i) left_[pool][i] += bin.charge[i];
    if (bin.reservation != kNone) ++reservations_[static_cast<size_t>(bin.reservation)];
    bin = Bin{};
    bin.pool = static_cast<int>(pool);
    bin.closed = true;
  } else {
    const auto n = static_cast<size_t>(bin.node);
    const NodeProblem& node = problem_->nodes[n];
    bin.placed.clear();
    bin.used.assign(bin.used.size(), 0);
    bin.ports = node.ports;
    bin.volume_room = node.volume_room;
    bin.volumes = node.volumes;
    for (size_t g = 0; g < bin.host.size(); ++g) {
      bin.host[g] = {problem_->groups[g].host_counts[n], problem_->groups[g].host_owners[n]};
    }
  }
}

void State::begin() {
  CHECK(!undo_, "transactions do not nest");
  undo_ = Undo{bins_.size(), {}, counts_, left_, reservations_, bin_of_};
}

void State::rollback() {
  CHECK(undo_.has_value(), "no transaction");
  bins_.resize(undo_->bins);
  for (auto& [index, bin] : undo_->touched) bins_[index] = std::move(bin);
  counts_ = std::move(undo_->counts);
  left_ = std::move(undo_->left);
  reservations_ = std::move(undo_->reservations);
  bin_of_ = std::move(undo_->bin_of);
  undo_.reset();
}

model::Price State::price() const {
  model::Price sum;
  for (const Bin& bin : bins_) {
    if (bin.fresh() && !bin.closed && !bin.placed.empty()) sum += price(bin);
  }
  return sum;
}

size_t State::fresh_bins() const {
  return static_cast<size_t>(std::count_if(bins_.begin(), bins_.end(),
                                           [](const Bin& b) { return b.fresh() && !b.closed && !b.placed.empty(); }));
}

}  // namespace tenon::scheduling

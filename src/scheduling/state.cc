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

Verdict State::fits(size_t bin, const Ask& ask, Fit& fit) const { return fits_bin(bins_[bin], ask, fit); }
Verdict State::fits_new(size_t pool, const Ask& ask, Fit& fit) const { return fits_bin(blank_[pool], ask, fit); }

Verdict State::fits_bin(const Bin& bin, const Ask& ask, Fit& fit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Form& form = c.forms[ask.form];
  if (bin.closed || (!c.ports.empty() && ports_conflict(c.ports, bin.ports))) return Verdict::kNever;
  if (const Verdict verdict = host_rules(bin, form); verdict != Verdict::kFits) return verdict;
  if (!bin.fresh()) return fits_node(bin, ask, fit);
  Verdict verdict = Verdict::kNever;
  for (size_t v = 0; v < form.variants.size(); ++v) {
    const Verdict one = fits_variant(bin, ask, v, fit);
    if (one == Verdict::kFits) return one;
    if (one == Verdict::kNotNow) verdict = one;
  }
  return verdict;
}

Verdict State::fits_node(const Bin& bin, const Ask& ask, Fit& fit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Form& form = c.forms[ask.form];
  const NodeProblem& node = problem_->nodes[static_cast<size_t>(bin.node)];
  for (size_t i = 0; i < c.requests.size(); ++i) {
    if (c.requests[i] > 0 && bin.used[i] + c.requests[i] > node.free[i]) return Verdict::kNever;
  }
  const auto allowed = [&](const Variant& v) { return v.nodes.test(static_cast<size_t>(bin.node)); };
  const auto variant = std::find_if(form.variants.begin(), form.variants.end(), allowed);
  if (variant == form.variants.end()) return Verdict::kNever;
  if (!node.volume_room.empty()) {
    std::map<std::string, int> more;
    for (const auto& [driver, claim] : problem_->pods[c.pods.front()].volumes)
      more[driver] += bin.volumes.contains(claim) ? 0 : 1;
    for (const auto& [driver, room] : bin.volume_room) {
      const auto asked = more.find(driver);
      if (room - (asked == more.end() ? 0 : asked->second) < 0) return Verdict::kNever;
    }
  }
  fit.variant = static_cast<size_t>(variant - form.variants.begin());
  fit.domains = bin.domains;
  return pin_domains(bin, ask, fit);
}

bool State::known_shape(const Bin& bin, const Ask& ask, size_t variant) const {
  return std::any_of(bin.placed.rbegin(), bin.placed.rend(), [&](const Placed& p) {
    return p.pod_class == ask.pod_class && p.form == ask.form && p.variant == variant;
  });
}

Verdict State::fits_variant(const Bin& bin, const Ask& ask, size_t v, Fit& fit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Variant& variant = c.forms[ask.form].variants[v];
  const RowSet& mask = variant.rows[static_cast<size_t>(bin.pool)];
  if (!bin.rows.intersects(mask)) return Verdict::kNever;
  fit.variant = v;
  fit.rows = bin.rows;
  fit.rows &= mask;
  fit.domains = bin.domains;
  fit.narrowed = bin.narrowed;
  if (!known_shape(bin, ask, v) && !narrow(bin, variant, fit)) return Verdict::kNever;
  if (!drop_full_types(bin, c, fit)) return Verdict::kNever;
  if (const Verdict verdict = pin_domains(bin, ask, fit); verdict != Verdict::kFits) return verdict;
  return choose_row(bin, fit) ? Verdict::kFits : Verdict::kNotNow;
}

// Labels that the pool leaves open but rows do not decide: a custom label with several values, an instance type's
// tenancy. All pods of a bin must agree on some value.
bool State::narrow(const Bin& bin, const Variant& variant, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  for (const auto& [key, r] : variant.all.by_key()) {
    const bool multi = pool.multi_valued(key);
    if (!multi && !pool.loose.has(key)) continue;
    model::Requirement both = fit.narrowed.has(key) ? fit.narrowed.get(key) : pool.requirements.get(key);
    both = both.intersect(r);
    if (both.empty() && !tolerates_absence(r)) return false;
    if (multi) {
      fit.rows &= pool.rows_allowed(both);
      if (fit.rows.none()) return false;
    }
    fit.narrowed.replace(std::move(both));
  }
  return true;
}

bool State::drop_full_types(const Bin& bin, const PodClass& c, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  const size_t resources = c.requests.size();
  Amounts& sum = fit.sum;
  sum = bin.used;
  for (size_t i = 0; i < resources; ++i) sum[i] += c.requests[i];
  fit.types.clear();
  for (const size_t t : bin.types) {
    const int64_t* free = pool.free.data() + t * resources;
    bool room = true;
    for (size_t i = 0; i < resources; ++i) room &= sum[i] <= free[i];
    if (room && (c.ports.empty() || !ports_conflict(c.ports, pool.types[t].daemon_ports))) {
      fit.types.push_back(t);
    } else {
      for (const size_t row : pool.types[t].rows) fit.rows.reset(row);
    }
  }
  return !fit.types.empty() && fit.rows.any();
}

void State::touch(size_t bin) {
  if (undo_ && bin < undo_->bins) undo_->touched.try_emplace(bin, bins_[bin]);
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
    bin.types = fit.types;
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

// Whether a pod fits into a bin, and what that would leave open of it. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduling/state.h"

namespace tenon::scheduling {

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
  for (size_t i = 0; i < c.requests.size(); ++i) {  // what is often so and cheap to see comes first
    if (bin.used[i] + c.requests[i] > bin.most[i]) return Verdict::kNever;
  }
  if (!settled_domains_allow(bin, ask)) return Verdict::kNotNow;
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

bool State::settled_domains_allow(const Bin& bin, const Ask& ask) const {
  if (ask.domains != nullptr) return true;
  const Form& form = problem_->classes[ask.pod_class].forms[ask.form];
  return std::all_of(form.uses.begin(), form.uses.end(), [&](const auto& use) {
    const int settled = bin.domains[static_cast<size_t>(use.first)];
    return settled == kNone || domain_allowed(use.second, settled);
  });
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

}  // namespace tenon::scheduling

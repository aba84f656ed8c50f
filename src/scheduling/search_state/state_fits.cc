// Whether a pod fits in a bin, and what the bin leaves open afterwards.
//
// The checks come in order of their cost: host ports, rules by hostname, resources, labels, domains, price. An existing
// node has fixed labels, so its check is a bit of Variant::nodes and a comparison of amounts. A new node is a set of
// rows and each check removes rows; the pod fits if a row remains that may be launched:
//
//   bin rows & the variant's rows  →  & rows with room (RoomIndex)  →  & agreed labels  →  & domain  →  cheapest row
//
// The result says whether a failure is final. kNever: bins only get fuller, so this bin need not be tried again for the
// class. kNotNow: a later pod may change it, for example the count of another domain of a spread.
//
// room() bounds how many equal pods fit, by bisection over their number (log limit checks of resources), so that a run
// of pods of one class is placed in one call.
//
// Cost: resources × (log amounts + rows / 64) for a new node, resources for an existing one, times variants.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduling/compile/rules.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

Verdict State::fits(size_t index, const Ask& ask, Fit& fit) const {
  const Bin& bin = bins_[index];
  const bool one_more = bin.fresh() && bin.row == RowSet::kNone;  // opened, and not launched yet
  return one_more && nodes_left_ <= 0 ? Verdict::kNever : fits_bin(bin, ask, fit);
}

Verdict State::fits_new(size_t pool, const Ask& ask, Fit& fit) const {
  return nodes_left_ <= 0 ? Verdict::kNever : fits_one_more(pool, ask, fit);
}

Verdict State::fits_bin(const Bin& bin, const Ask& ask, Fit& fit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Form& form = c.forms[ask.form];
  if (!c.ports.empty() && (ask.count > 1 || ports_conflict(c.ports, bin.held->ports))) return Verdict::kNever;
  if (const Verdict verdict = host_rules(bin, form, ask.count); verdict != Verdict::kFits) return verdict;
  if (!bin.fresh()) return fits_node(bin, ask, fit);
  Verdict verdict = Verdict::kNever;
  for (size_t v = 0; v < form.variants->size(); ++v) {
    if (ask.variant != kNone && v != static_cast<size_t>(ask.variant)) continue;
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
    if (c.requests[i] > 0 && bin.used[i] + ask.count * c.requests[i] > node.free[i]) return Verdict::kNever;
  }
  const auto allowed = [&](const Variant& v) { return v.nodes.test(static_cast<size_t>(bin.node)); };
  const auto variant = std::find_if(form.variants->begin(), form.variants->end(), allowed);
  if (variant == form.variants->end()) return Verdict::kNever;
  if (!node.volume_room.empty()) {
    std::map<std::string, int> more;
    for (const auto& [driver, claim] : c.volumes) more[driver] += bin.held->volumes.contains(claim) ? 0 : 1;
    if (ask.count > 1 && !more.empty()) return Verdict::kNever;
    for (const auto& [driver, room] : bin.held->volume_room) {
      const auto asked = more.find(driver);
      if (room - (asked == more.end() ? 0 : asked->second) < 0) return Verdict::kNever;
    }
  }
  fit.variant = static_cast<size_t>(variant - form.variants->begin());
  fit.domains = bin.domains;
  return settle(bin, ask, 0, fit);
}

bool State::known_shape(const Bin& bin, const Ask& ask, size_t variant) const {
  return std::any_of(bin.placed.rbegin(), bin.placed.rend(), [&](const Placed& p) {
    return p.pod_class == ask.pod_class && p.form == ask.form && p.variant == variant;
  });
}

Verdict State::fits_variant(const Bin& bin, const Ask& ask, size_t v, Fit& fit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Variant& variant = (*c.forms[ask.form].variants)[v];
  const bool first = bin.placed.empty() && !problem_->pools[static_cast<size_t>(bin.pool)].min_values.empty();
  if (first && ask.count > 1) return Verdict::kNotNow;  // one pod alone decides what the node must keep open
  if (!bin.rows.intersects(variant.rows[static_cast<size_t>(bin.pool)])) return Verdict::kNever;
  fit.variant = v;
  fit.rows = bin.rows;
  fit.rows &= variant.rows[static_cast<size_t>(bin.pool)];
  if (!drop_full_rows(bin, c, ask.count, fit)) return Verdict::kNever;
  if (const Verdict verdict = settled_domains(bin, ask); verdict != Verdict::kFits) return verdict;
  fit.domains = bin.domains;
  fit.narrowed = bin.narrowed;
  if (!narrow(bin, ask, variant, fit)) return Verdict::kNever;
  return settle(bin, ask, 0, fit);
}

// Narrows labels that the pool leaves open and rows do not decide: a custom label with several values, an instance
// type's tenancy. All pods of a bin must agree on some value. Returns false if they cannot.
bool State::narrow(const Bin& bin, const Ask& ask, const Variant& variant, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  if (variant.all.by_key().empty() || known_shape(bin, ask, fit.variant)) return true;
  model::Requirements narrowed = bin.narrowed ? *bin.narrowed : pool.loose;
  bool changed = false;
  for (const auto& [key, r] : variant.all.by_key()) {
    const bool multi = pool.multi_valued(key);
    if (!multi && !pool.loose.has(key)) continue;
    model::Requirement both = narrowed.has(key) ? narrowed.get(key) : pool.requirements.get(key);
    both = both.intersect(r);
    if (both.empty() && !r.tolerates_absence()) return false;
    if (multi) {
      fit.rows &= pool.rows_allowed(both);
      if (fit.rows.none()) return false;
    }
    narrowed.replace(std::move(both));
    changed = true;
  }
  if (changed) fit.narrowed = std::make_shared<model::Requirements>(std::move(narrowed));
  return true;
}

Verdict State::settled_domains(const Bin& bin, const Ask& ask) const {
  if (ask.domains != nullptr) return Verdict::kFits;
  for (const auto& [key, use] : problem_->classes[ask.pod_class].forms[ask.form].uses) {
    const int settled = bin.domains[static_cast<size_t>(key)];
    if (settled == kNone || may_join(bin, use, settled, ask.count, bin.rows)) continue;
    return problem_->groups[use.group].keeps_apart() ? Verdict::kNever : Verdict::kNotNow;
  }
  return Verdict::kFits;
}

bool State::drop_full_rows(const Bin& bin, const PodClass& c, int count, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  fit.sum = bin.used;
  for (size_t i = 0; i < c.requests.size(); ++i) fit.sum[i] += count * c.requests[i];
  if (!pool.room.keep(fit.sum, fit.rows)) return false;
  if (c.ports.empty()) return true;
  pool.drop_port_conflicts(c.ports, fit.rows);
  return fit.rows.any();
}

// Bisects between a count that is assumed to fit (1) and one that does not.
int State::room_in(const Bin& bin, const Ask& ask, int limit) const {
  const PodClass& c = problem_->classes[ask.pod_class];
  const Form& form = c.forms[ask.form];
  if (limit <= 1 || !c.ports.empty() || !problem_->pods[c.pods.front()].volumes->empty()) return 1;
  // minValues may allow fewer pods than fit.
  if (bin.fresh() && !problem_->pools[static_cast<size_t>(bin.pool)].min_values.empty()) return 1;
  for (const auto& [key, use] : form.uses) {
    if (problem_->groups[use.group].kind != GroupKind::kAffinity) return 1;
  }
  const auto possible = [&](const Variant& v) { return bin.rows.intersects(v.rows[static_cast<size_t>(bin.pool)]); };
  if (bin.fresh() && std::none_of(form.variants->begin(), form.variants->end(), possible)) return 1;
  if (bin.fresh()) {
    const RoomIndex& room = problem_->pools[static_cast<size_t>(bin.pool)].room;
    limit = static_cast<int>(std::max<int64_t>(1, room.most(bin.used, c.requests, limit)));
    if (limit == 1) return 1;
  }
  Fit fit;
  const auto fits = [&](int count) {
    if (host_rules(bin, form, count) != Verdict::kFits) return false;
    if (bin.fresh()) {
      return std::any_of(form.variants->begin(), form.variants->end(), [&](const Variant& variant) {
        fit.rows = bin.rows;
        fit.rows &= variant.rows[static_cast<size_t>(bin.pool)];
        return drop_full_rows(bin, c, count, fit);
      });
    }
    const Amounts& free = problem_->nodes[static_cast<size_t>(bin.node)].free;
    for (size_t i = 0; i < free.size(); ++i) {
      if (c.requests[i] > 0 && bin.used[i] + count * c.requests[i] > free[i]) return false;
    }
    return true;
  };
  if (fits(limit)) return limit;
  int least = 1, most = limit;
  while (most - least > 1) {
    const int middle = least + (most - least) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return least;
}

}  // namespace tenon::scheduling

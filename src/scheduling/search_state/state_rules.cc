// Topology rules: spreads, affinity, anti-affinity, and the counts that they use.
//
// Each rule (Group) counts matching pods by domain. By hostname, every bin is its own domain and carries its counts.
// For other keys a new node may still have several domains, but a count needs one: so settle() fixes the domain of each
// key that a rule of the pod uses, before the row is chosen. The domains that all rules of a key allow are ranked by
// the pods of their spreads, fewest first, then by the cheapest row. The search over keys is depth first with
// backtracking.
//
//   maxSkew 1, pods by zone: a 2, b 1, c 1. a is not allowed (2 + 1 − 1 > 1); b and c tie, and the cheaper zone wins.
//
// Only domains that are eligible or have pods count for the minimum of a spread; fewer eligible ones than minDomains
// make it zero. The first pod of an affinity may be placed in any domain if the rule matches the pod itself.
//
// Cost: domains × rules of the key for each key and level of the search; count() is linear in the rules of the class.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <tuple>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// Checks the rules by hostname. Each bin is its own domain. The minimum of a spread is zero, since a new node is always
// possible.
Verdict State::host_rules(const Bin& bin, const Form& form, int count) const {
  for (const GroupUse& use : form.host_uses) {
    const Group& group = problem_->groups[use.group];
    const HostCount here = bin.host_count(use.group);
    switch (group.kind) {
      case GroupKind::kSpread:
        if (use.owned && here.matched + (use.matched ? count : 0) > group.max_skew) return Verdict::kNever;
        if (!use.owned && !group.soft && here.owners > 0 && here.matched + count > group.max_skew)
          return Verdict::kNever;
        break;
      case GroupKind::kAffinity: {
        const bool first = use.matched && counts_.total[use.group] == 0;
        if (use.owned && here.matched == 0 && !first) return Verdict::kNotNow;
        break;
      }
      case GroupKind::kAntiAffinity:
      case GroupKind::kPreferredAntiAffinity: {
        const bool each_other = use.owned && use.matched && count > 1;
        const bool kept_away = group.kind == GroupKind::kAntiAffinity && use.matched && here.owners > 0;
        if (each_other || kept_away || (use.owned && here.matched > 0)) return Verdict::kNever;
        break;
      }
    }
  }
  return Verdict::kFits;
}

// Returns true if the first pods may be placed in a new domain of this spread. A spread without a node filter also
// counts planned nodes in domains that its own pods do not use, and the first pods there lower the minimum of the
// spread.
bool State::may_be_new(size_t index, int count) const {
  const Group& group = problem_->groups[index];
  const auto& terms = problem_->filters[group.filter].terms;
  if (terms.size() != 1 || !terms.front().empty()) return true;
  const auto& matched = counts_.matched[index];
  for (size_t i = 0; i < matched.size(); ++i) {
    if (counts_.owners[index][i] > 0 && matched[i] - count > group.max_skew) return false;
  }
  return true;
}

// Returns true if the rule allows `count` more pods in this domain (kNone: the node has no such label).
bool State::domain_allowed(const GroupUse& use, int domain, int count) const {
  const Group& group = problem_->groups[use.group];
  if (domain == kNone) return group.keeps_apart() || !use.owned;
  const auto d = static_cast<size_t>(domain);
  const auto& matched = counts_.matched[use.group];
  const int owners = counts_.owners[use.group][d];
  switch (group.kind) {
    case GroupKind::kSpread: {
      if (!use.owned && group.soft) return true;
      if (!use.owned && owners == 0) return matched[d] > 0 || group.eligible[d] || may_be_new(use.group, count);
      int least = INT_MAX, supported = 0;
      for (size_t i = 0; i < matched.size(); ++i) {
        if (!group.eligible[i] && matched[i] == 0) continue;
        if (group.eligible[i]) ++supported;
        least = std::min(least, matched[i]);
      }
      if (supported == 0 || supported < group.min_domains) least = 0;
      return matched[d] + (use.matched ? count : 0) - least <= group.max_skew;
    }
    case GroupKind::kAffinity: return !use.owned || matched[d] > 0 || (use.matched && counts_.total[use.group] == 0);
    case GroupKind::kAntiAffinity:
    case GroupKind::kPreferredAntiAffinity: {
      const bool each_other = use.owned && use.matched && count > 1;
      const bool kept_away = group.kind == GroupKind::kAntiAffinity && use.matched && owners > 0;
      return !each_other && !kept_away && !(use.owned && matched[d] > 0);
    }
  }
  return false;
}

// Returns true if the rule allows `count` more pods in this domain, or if it does not count the bin, or at least one of
// these rows of a new node.
bool State::may_join(const Bin& bin, const GroupUse& use, int domain, int count, const RowSet& rows) const {
  if (domain_allowed(use, domain, count)) return true;
  const Group& group = problem_->groups[use.group];
  if (!use.matched || use.owned || !group.takes_sides()) return false;
  const NodeFilter& filter = problem_->filters[group.filter];
  return bin.fresh() ? !rows.within(filter.rows[static_cast<size_t>(bin.pool)])
                     : !filter.nodes.test(static_cast<size_t>(bin.node));
}

int State::spread_count(std::span<const std::pair<int, GroupUse>> uses, int domain) const {
  int sum = 0;
  for (const auto& [key, use] : uses) {
    if (problem_->groups[use.group].kind == GroupKind::kSpread) {
      sum += counts_.matched[use.group][static_cast<size_t>(domain)];
    }
  }
  return sum;
}

// Narrows a bin to one domain; returns false if it cannot be in that domain.
bool State::move_to(const Bin& bin, int key, int domain, Fit& fit) const {
  const PoolProblem& pool = problem_->pools[static_cast<size_t>(bin.pool)];
  const KeyInPool& in = pool.keys[static_cast<size_t>(key)];
  const TopologyKey& topology = problem_->keys[static_cast<size_t>(key)];
  const auto d = static_cast<size_t>(domain);
  if (!in.defined) return false;
  if (in.of_type && (in.rows[d] == nullptr || !fit.rows.intersects(*in.rows[d]))) return false;
  if (in.open) {
    const std::string& value = topology.values[d];
    model::Requirements narrowed = fit.narrowed ? *fit.narrowed : pool.loose;
    const model::Requirement before =
        narrowed.has(topology.name) ? narrowed.get(topology.name) : pool.requirements.get(topology.name);
    if (!before.allows(value)) return false;
    narrowed.replace(model::Requirement::in(topology.name, {value}));
    fit.narrowed = std::make_shared<model::Requirements>(std::move(narrowed));
  } else if (!in.of_type && !pool.requirements.get(topology.name).allows(topology.values[d])) {
    return false;
  }
  if (in.of_type) fit.rows &= *in.rows[d];
  fit.domains[static_cast<size_t>(key)] = domain;
  return true;
}

// Returns the domains of the key that these rules allow: by the pods of their spreads, fewest first, then by the
// cheapest row.
std::vector<int> State::domains_by_rank(const Bin& bin, std::span<const std::pair<int, GroupUse>> uses, int count,
                                        const Fit& fit) const {
  const int key = uses.front().first;
  const KeyInPool& in = problem_->pools[static_cast<size_t>(bin.pool)].keys[static_cast<size_t>(key)];
  const auto domains = static_cast<int>(problem_->keys[static_cast<size_t>(key)].values.size());
  std::vector<std::tuple<int, size_t, int>> ranked;
  for (int domain = 0; domain < domains; ++domain) {
    const RowSet* rows = in.rows[static_cast<size_t>(domain)];
    if (in.of_type && rows == nullptr) continue;
    const size_t first = in.of_type ? fit.rows.first_common(*rows) : fit.rows.first();
    if (first == RowSet::kNone) continue;
    const auto allows = [&](const auto& use) { return may_join(bin, use.second, domain, count, fit.rows); };
    if (std::all_of(uses.begin(), uses.end(), allows)) ranked.emplace_back(spread_count(uses, domain), first, domain);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> order;
  for (const auto& domain : ranked) order.push_back(std::get<2>(domain));
  return order;
}

// Fixes the domain of every topology key that the pod's rules use, from this use on, and then the row: the node must
// not end up in another domain than the one that was counted. Backtracks if a domain leaves no solution for the rest.
Verdict State::settle(const Bin& bin, const Ask& ask, size_t first, Fit& fit) const {
  const auto& all = problem_->classes[ask.pod_class].forms[ask.form].uses;
  if (first == all.size()) {
    const bool chosen = !bin.fresh() || (choose_row(bin, fit) && take_sides(bin, ask, fit));
    return chosen ? Verdict::kFits : Verdict::kNotNow;
  }
  const int key = all[first].first;
  size_t last = first;
  while (last < all.size() && all[last].first == key) ++last;
  const std::span<const std::pair<int, GroupUse>> uses(all.data() + first, last - first);
  const auto allowed = [&](int domain) {
    return std::all_of(uses.begin(), uses.end(),
                       [&](const auto& use) { return may_join(bin, use.second, domain, ask.count, fit.rows); });
  };
  const int settled = fit.domains[static_cast<size_t>(key)];
  const bool defined =
      !bin.fresh() || problem_->pools[static_cast<size_t>(bin.pool)].keys[static_cast<size_t>(key)].defined;
  if (ask.domains != nullptr) {
    const int wanted = (*ask.domains)[static_cast<size_t>(key)];
    if (wanted == kNone && bin.fresh() && defined) return Verdict::kNever;
    if (wanted != settled && (settled != kNone || !bin.fresh() || !move_to(bin, key, wanted, fit)))
      return Verdict::kNever;
    return ask.check && !allowed(wanted) ? Verdict::kNotNow : settle(bin, ask, last, fit);
  }
  if (settled != kNone || !bin.fresh() || !defined)
    return allowed(settled) ? settle(bin, ask, last, fit) : Verdict::kNotNow;
  const std::vector<int> ranked = domains_by_rank(bin, uses, ask.count, fit);
  const Fit before = ranked.size() > 1 ? fit : Fit();
  for (size_t i = 0; i < ranked.size(); ++i) {
    if (i > 0) fit = before;
    if (move_to(bin, key, ranked[i], fit) && settle(bin, ask, last, fit) == Verdict::kFits) return Verdict::kFits;
  }
  const auto apart = [&](const auto& use) { return problem_->groups[use.second.group].keeps_apart(); };
  return ranked.empty() && std::all_of(uses.begin(), uses.end(), apart) ? Verdict::kNever : Verdict::kNotNow;
}

const Group* State::blocking_group(size_t pool, const Ask& ask) const {
  const Form& form = problem_->classes[ask.pod_class].forms[ask.form];
  for (const GroupUse& use : form.host_uses) {
    Form alone;
    alone.host_uses = {use};
    if (host_rules(blank_[pool], alone, 1) != Verdict::kFits) return &problem_->groups[use.group];
  }
  for (const auto& [key, use] : form.uses) {
    const auto domains = static_cast<int>(problem_->keys[static_cast<size_t>(key)].values.size());
    bool some = false;
    for (const Variant& variant : *form.variants) {
      Fit fit;
      for (int domain = 0; domain < domains && !some; ++domain) {
        fit.rows = variant.rows[pool];
        fit.domains = blank_[pool].domains;
        fit.narrowed = blank_[pool].narrowed;
        some = domain_allowed(use, domain, 1) && move_to(blank_[pool], key, domain, fit);
      }
    }
    if (!some) return &problem_->groups[use.group];
  }
  return nullptr;
}

// True if the rule counts the pods of this bin. A spread counts only nodes that its own pods may use.
bool State::counts_bin(const Group& group, const Bin& bin) const {
  if (group.kind != GroupKind::kSpread || group.filter == 0) return true;
  const NodeFilter& filter = problem_->filters[group.filter];
  if (!bin.fresh()) return filter.nodes.test(static_cast<size_t>(bin.node));
  const auto pool = static_cast<size_t>(bin.pool);
  if (!filter.rows[pool].intersects(bin.rows)) return false;
  if (!bin.narrowed) return true;
  const auto& labels = bin.narrowed->by_key();  // labels that do not depend on the row
  return std::any_of(filter.terms.begin(), filter.terms.end(), [&](const model::Requirements& term) {
    return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
      return !term.has(label.first) || term.get(label.first).intersects(label.second);
    });
  });
}

void State::count(const Bin& bin, const Placed& placed, int pods) {
  const Form& form = problem_->classes[placed.pod_class].forms[placed.form];
  for (const auto& [key, use] : form.uses) {
    const int domain = bin.domains[static_cast<size_t>(key)];
    if (!use.owned && !counts_bin(problem_->groups[use.group], bin)) continue;
    if (domain == kNone) continue;  // a node without the label is not counted
    if (use.matched) add_total(use.group, pods);
    add(use.group, domain, use.matched ? pods : 0, use.owned ? pods : 0);
  }
  for (const GroupUse& use : form.host_uses) {
    if (use.matched) add_total(use.group, pods);
  }
}

}  // namespace tenon::scheduling

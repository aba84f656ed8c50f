// How Tied finds and orders its units and turns.
//
// Two classes are tied if both have the same rule (required affinity for units, spreads by domain for turns). tied_by()
// computes the connected component of a class by breadth-first search over classes and groups.
//
// Units are placed in the order of UnitRank. Each unit is placed as a whole (tied_unit.h) before the next one.
// In a component of spreads, classes are ordered by the number of domains that are open to them, fewest first
// (tied_turns.h).
//
//   classes a: affinity to app=x; b: to app=x and app=y; c: to app=y  →  one unit {a, b, c}, found from any of them
//
// Cost: a component is linear in classes × rules; placing costs a first fit for each start that is tried.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/tied.h"

#include <algorithm>
#include <tuple>

#include "scheduling/pack/tied_turns.h"
#include "scheduling/pack/tied_unit.h"
#include "scheduling/search_state/first_fit.h"

namespace tenon::scheduling {
namespace {

bool owns(const Problem& problem, size_t pod_class, GroupKind kind) {
  bool some = false;
  for_owned(problem, pod_class, kind, [&](int key, const GroupUse&) {
    some |= kind == GroupKind::kAffinity || key != kHostKey;  // a spread by hostname always allows a new node
  });
  return some;
}

// The rank of a unit in the order of placement: first units that running pods anchor, because they have no choice; then
// units of which an earlier order left pods behind; then the highest priority; then the largest, by the sum of their
// requests as a share of the requests of all units.
struct UnitRank {
  bool anchored = true;
  int priority = 0;
  Amounts sum;
  double share = 0;
};

UnitRank rank_of(const Problem& problem, const std::vector<size_t>& classes) {
  UnitRank rank;
  rank.priority = problem.classes[classes.front()].sample->spec->priority;
  rank.sum.assign(problem.resources.size(), 0);
  for (const size_t c : classes) {
    const PodClass& pods = problem.classes[c];
    rank.priority = std::max(rank.priority, pods.sample->spec->priority);
    for_owned(problem, c, GroupKind::kAffinity,
              [&](int, const GroupUse& use) { rank.anchored &= problem.groups[use.group].total > 0; });
    for (size_t i = 0; i < rank.sum.size(); ++i) {
      rank.sum[i] += pods.requests[i] * static_cast<int64_t>(pods.pods.size());
    }
  }
  return rank;
}

std::vector<size_t> units_in_order(const Problem& problem, const std::vector<std::vector<size_t>>& units,
                                   const std::vector<char>& late) {
  std::vector<UnitRank> ranks;
  Amounts all(problem.resources.size(), 1);
  for (const auto& classes : units) {
    ranks.push_back(rank_of(problem, classes));
    for (size_t i = 0; i < all.size(); ++i) all[i] += ranks.back().sum[i];
  }
  for (UnitRank& rank : ranks) {
    for (size_t i = 0; i < all.size(); ++i) {
      rank.share = std::max(rank.share, static_cast<double>(rank.sum[i]) / static_cast<double>(all[i]));
    }
  }
  std::vector<size_t> order(units.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto key = [&](size_t i) {
      return std::tuple(!ranks[i].anchored, !late[i], -ranks[i].priority, -ranks[i].share);
    };
    return key(a) < key(b);
  });
  return order;
}

// Returns the number of domains in which some node could accept such a pod: the minimum over the keys of its spreads.
size_t domains_open(const Problem& problem, size_t pod_class) {
  size_t least = SIZE_MAX;
  for_owned(problem, pod_class, GroupKind::kSpread, [&](int key, const GroupUse&) {
    if (key == kHostKey) return;
    const auto k = static_cast<size_t>(key);
    RowSet open;
    for (const Variant& variant : *least_form(problem, pod_class).variants) {
      for (size_t n = variant.nodes.first(); n != RowSet::kNone; n = variant.nodes.next(n)) {
        const int domain = problem.nodes[n].domains[k];
        if (domain != kNone) open.set(static_cast<size_t>(domain));
      }
      for (size_t p = 0; p < problem.pools.size(); ++p) {
        const KeyInPool& in = problem.pools[p].keys[k];
        for (size_t d = 0; d < problem.keys[k].values.size(); ++d) {
          const bool may = in.of_type ? in.rows[d] != nullptr && variant.rows[p].intersects(*in.rows[d])
                                      : in.defined && variant.rows[p].any();
          if (may) open.set(d);
        }
      }
    }
    least = std::min(least, open.count());
  });
  return least;
}

}  // namespace

// Returns the class and all classes that are tied to it by rules of this kind, directly or through others.
Tied::Classes Tied::tied_by(GroupKind kind, size_t pod_class) const {
  std::vector<Classes> owners(problem_.groups.size());
  for (size_t c = 0; c < problem_.classes.size(); ++c) {
    if (problem_.classes[c].forms.empty()) continue;
    for_owned(problem_, c, kind, [&](int, const GroupUse& use) { owners[use.group].push_back(c); });
  }
  Classes found{pod_class};
  RowSet seen(problem_.classes.size());
  seen.set(pod_class);
  for (size_t i = 0; i < found.size(); ++i) {
    for_owned(problem_, found[i], kind, [&](int, const GroupUse& use) {
      for (const size_t other : owners[use.group]) {
        if (!seen.test(other)) found.push_back(other);
        seen.set(other);
      }
    });
  }
  return found;
}

bool Tied::add(std::span<const size_t> left) {
  bool more = false;
  const auto add_to = [&](std::vector<Classes>& lists, RowSet& known, GroupKind kind, size_t c) {
    if (known.test(c) || !owns(problem_, c, kind)) return;
    lists.push_back(tied_by(kind, c));
    for (const size_t other : lists.back()) known.set(other);
    more = true;
  };
  const size_t known = units_.size();
  for (const size_t pod : left) {
    const size_t c = problem_.pods[pod].pod_class;
    for (size_t u = 0; u < known; ++u) {
      if (late_[u] || std::find(units_[u].begin(), units_[u].end(), c) == units_[u].end()) continue;
      late_[u] = 1;
      more = true;
    }
    add_to(units_, in_units_, GroupKind::kAffinity, c);
    add_to(turns_, in_turns_, GroupKind::kSpread, c);
  }
  late_.resize(units_.size(), 0);
  return more;
}

int64_t Tied::place(State& state) const {
  int64_t steps = 0;
  const std::vector<size_t> by_priority = pods_in_order(problem_, PodOrder::kPriorityThenSize);
  const auto pods_of = [&](const Classes& classes) {
    RowSet some(problem_.classes.size());
    for (const size_t c : classes) some.set(c);
    std::vector<size_t> pods;
    std::copy_if(by_priority.begin(), by_priority.end(), std::back_inserter(pods),
                 [&](size_t pod) { return some.test(problem_.pods[pod].pod_class) && state.bin_of(pod) == kNone; });
    return pods;
  };
  for (const size_t u : units_in_order(problem_, units_, late_)) {
    const Classes& classes = units_[u];
    Unit unit(state, classes, pods_of(classes));
    unit.place();
    steps += unit.steps();
  }
  for (const Classes& classes : turns_) {
    std::vector<std::pair<size_t, std::vector<size_t>>> ranked;
    size_t before = RowSet::kNone;
    for (const size_t pod : pods_of(classes)) {
      const size_t c = problem_.pods[pod].pod_class;
      if (c != before) ranked.emplace_back(domains_open(problem_, c), std::vector<size_t>());
      ranked.back().second.push_back(pod);
      before = c;
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::vector<size_t>> left;
    std::vector<size_t> domains;
    for (auto& [open, pods] : ranked) {
      domains.push_back(open);
      left.push_back(std::move(pods));
    }
    Turns turns(state);
    turns.place(std::move(left), domains);
    steps += turns.steps();
  }
  return steps;
}

}  // namespace tenon::scheduling

// How the relaxation stays small: the work of the bound grows with demands × kinds, so classes are merged to at most
// kMostDemands demands. Each step keeps the property of a relaxation: any plan of the real pods is also a plan of the
// merged ones, at the same price.
//
//   1. Classes of equal size, rows, nodes and limit per host become one demand.
//   2. Above kMostDemands: all rules by hostname except the three that need most hosts become one. A node may have the
//      sum of their limits of all their pods together.
//   3. Demands with different limits merge if sizes, rows and nodes are equal; the limits add up.
//   4. Requests are rounded down to a logarithmic grid that doubles in width until few demands remain; a cell keeps the
//      minimum of each request.
//   5. As the last resort (a grid wider than a factor of 4), every demand may use the rows and nodes of all.
//
// Example: 300 classes of 100, 101, … 399 millicores become 41 demands on a grid of 0.05 (a factor of 2^0.05 = 1.035);
// pods of 101, 102 and 103 millicores count as pods of 101 each.
//
// Cost: classes × (pods per class + rows) to list the items; each pass over the grid compares the items of one cell.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/relaxation.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>

namespace tenon::scheduling {
namespace {

constexpr size_t kMostDemands = 160;   // above it, demands are merged into fewer with smaller pods
constexpr size_t kRulesKept = 3;       // rules by hostname that are kept then; the others become one
constexpr size_t kMostNodeKinds = 48;  // above it, existing nodes of different sizes become one large node

// The most pods of a class on one host, and the rule that limits them. The rule counts the pods of all its classes
// together. kNone: several rules limit them, each for one class.
struct HostCap {
  int64_t most = INT_MAX;
  int rule = kNone;
  bool limits() const { return most != INT_MAX; }
  friend bool operator==(const HostCap&, const HostCap&) = default;
};

// The properties of a class that the bound uses.
struct Item {
  Amounts requests;
  int64_t count = 0;
  HostCap per_host;
  std::vector<RowSet> rows;  // by pool, in any form and variant
  RowSet nodes;
};

// A rule limits a host only for pods that it both binds and counts. The minimum of a spread by hostname is zero, since
// a new node is always possible, whatever minDomains says. Running pods that the rule counts only lower the real limit.
HostCap per_host(const Problem& problem, const Form& form) {
  HostCap cap;
  for (const GroupUse& use : form.host_uses) {
    if (!use.owned || !use.matched) continue;
    const Group& group = problem.groups[use.group];
    const int64_t most = group.kind == GroupKind::kSpread ? group.max_skew : group.keeps_apart() ? 1 : INT_MAX;
    if (most < cap.most) cap = {most, static_cast<int>(use.group)};
  }
  return cap;
}

// The last pod to arrive is bound by its own form only, so the loosest form counts.
HostCap per_host(const Problem& problem, const PodClass& c) {
  HostCap loosest = per_host(problem, c.forms.front());
  for (const Form& form : c.forms) {
    const HostCap cap = per_host(problem, form);
    if (cap.rule != loosest.rule) loosest.rule = kNone;
    loosest.most = std::max(loosest.most, cap.most);
  }
  return loosest;
}

// Returns the cap of a demand that merges pods of both.
HostCap together(const HostCap& a, const HostCap& b) {
  if (!a.limits() || !b.limits()) return {};
  if (a == b && a.rule != kNone) return a;
  return {std::min<int64_t>(a.most + b.most, INT_MAX), kNone};
}

Item item_of(const Problem& problem, const PodClass& c) {
  Item item{
      .requests = c.requests, .per_host = per_host(problem, c), .rows = std::vector<RowSet>(problem.pools.size())};
  for (int64_t& amount : item.requests) amount = std::max<int64_t>(amount, 0);
  for (const Form& form : c.forms) {
    for (const Variant& variant : *form.variants) {
      item.nodes |= variant.nodes;
      for (size_t p = 0; p < variant.rows.size(); ++p) item.rows[p] |= variant.rows[p];
    }
  }
  return item;
}

// Returns true if two items may become one demand. With `loosely`, different limits per host may add up, which is
// weaker than the two limits.
bool may_merge(const Item& a, const Item& b, bool loosely) {
  const bool exactly = a.per_host == b.per_host && (!a.per_host.limits() || a.per_host.rule != kNone);
  const bool caps = loosely ? a.per_host.limits() == b.per_host.limits() : exactly;
  return caps && a.nodes == b.nodes && a.rows == b.rows;
}

// Groups items by their requests on a logarithmic grid of this width. Items of one cell that may merge become one, with
// the minimum of each request.
std::vector<Item> merged(const std::vector<Item>& items, double grid, bool loosely) {
  std::map<std::vector<int64_t>, std::vector<Item>> cells;
  for (const Item& item : items) {
    std::vector<int64_t> cell;
    for (const int64_t amount : item.requests)
      cell.push_back(amount == 0 ? -1
                                 : static_cast<int64_t>(std::floor(std::log2(static_cast<double>(amount)) / grid)));
    std::vector<Item>& inside = cells[cell];
    const auto same =
        std::find_if(inside.begin(), inside.end(), [&](const Item& i) { return may_merge(i, item, loosely); });
    if (same == inside.end()) {
      inside.push_back(item);
      continue;
    }
    same->count += item.count;
    same->per_host = together(same->per_host, item.per_host);
    for (size_t r = 0; r < item.requests.size(); ++r) same->requests[r] = std::min(same->requests[r], item.requests[r]);
  }
  std::vector<Item> out;
  for (auto& [cell, inside] : cells) std::move(inside.begin(), inside.end(), std::back_inserter(out));
  return out;
}

// The last resort: every item may use the rows and nodes of all items.
void widen(std::vector<Item>& items) {
  for (Item& item : items) {
    for (const Item& other : items) {
      if (!other.per_host.limits()) item.per_host = {};
      item.nodes |= other.nodes;
      for (size_t p = 0; p < item.rows.size(); ++p) item.rows[p] |= other.rows[p];
    }
  }
}

// Joins all rules by hostname except those whose pods need most hosts: a host may have the sum of their limits of all
// their pods together.
void join_rules(std::vector<Item>& items) {
  std::map<int, std::pair<int64_t, int64_t>> rules;  // → (pods, most)
  for (const Item& item : items) {
    if (item.per_host.rule == kNone) continue;
    rules[item.per_host.rule].first += item.count;
    rules[item.per_host.rule].second = item.per_host.most;
  }
  std::vector<std::pair<int64_t, int>> order;
  for (const auto& [rule, pods] : rules) order.emplace_back(-pods.first / pods.second, rule);
  std::sort(order.begin(), order.end());
  if (order.size() <= kRulesKept) return;
  HostCap joint{0, order[kRulesKept].second};
  std::set<int> joined;
  for (size_t i = kRulesKept; i < order.size(); ++i) {
    joined.insert(order[i].second);
    joint.most += rules[order[i].second].second;
  }
  for (Item& item : items) {
    if (joined.contains(item.per_host.rule)) item.per_host = joint;
  }
}

std::vector<Item> placed_items(const Problem& problem, const Solution& solution, bool heaviest_only) {
  std::vector<Item> items;
  for (size_t i = 0; i < problem.classes.size(); ++i) {
    const PodClass& c = problem.classes[i];
    const auto count = std::count_if(c.pods.begin(), c.pods.end(), [&](size_t pod) {
      return !solution.unschedulable.contains(problem.pods[pod].pod->key());
    });
    if (count == 0 || c.forms.empty()) continue;
    Item& item = items.emplace_back(item_of(problem, c));
    item.count = count;
    for (size_t p = 0; p < item.rows.size(); ++p) {
      if (heaviest_only && problem.lightness(i, p) > 0) item.rows[p] = {};
    }
  }
  double grid = 1e-9;  // equal sizes only
  bool loosely = false;
  items = merged(items, grid, loosely);
  if (items.size() > kMostDemands) join_rules(items);
  for (items = merged(items, grid, loosely); items.size() > kMostDemands; items = merged(items, grid, loosely)) {
    if (loosely) grid = grid < 0.01 ? 0.05 : grid * 2;
    loosely = true;
    if (grid > 2) widen(items);
  }
  return items;
}

bool covers(const Kind& a, const Kind& b) {
  const auto at_least = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), std::greater_equal<>());
  };
  return a.price <= b.price && at_least(a.free, b.free) && at_least(a.caps, b.caps);
}

void add(std::vector<Kind>& kinds, Kind kind) {
  if (kind.copies != kAsManyAsNeeded) {
    kinds.push_back(std::move(kind));
    return;
  }
  const auto unlimited = [](const Kind& k) { return k.copies == kAsManyAsNeeded; };
  if (std::any_of(kinds.begin(), kinds.end(), [&](const Kind& k) { return unlimited(k) && covers(k, kind); })) return;
  std::erase_if(kinds, [&](const Kind& k) { return unlimited(k) && covers(kind, k); });
  kinds.push_back(std::move(kind));
}

void add_rows(const Problem& problem, const std::vector<Item>& items, std::vector<Kind>& kinds) {
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const PoolProblem& pool = problem.pools[p];
    for (size_t r = 0; r < pool.rows.size(); ++r) {
      const Row& row = pool.rows[r];
      Kind kind{.free = pool.types[row.type].free, .price = row.price, .caps = {}};
      bool useful = false;
      for (const Item& item : items) {
        kind.caps.push_back(item.rows[p].test(r) ? item.per_host.most : 0);
        useful = useful || kind.caps.back() > 0;
      }
      if (!useful) continue;
      if (row.reservation != kNone) kind.copies = problem.reservations[static_cast<size_t>(row.reservation)].second;
      if (kind.copies != 0) add(kinds, std::move(kind));
    }
  }
}

void add_nodes(const Problem& problem, const std::vector<Item>& items, std::vector<Kind>& kinds) {
  std::map<std::pair<Amounts, std::vector<int64_t>>, int64_t> seen;
  Kind all{.free = Amounts(problem.resources.size(), 0),
           .caps = std::vector<int64_t>(items.size(), 0),
           .copies = 1,
           .hosts = 0};
  for (size_t n = 0; n < problem.nodes.size(); ++n) {
    Amounts free = problem.nodes[n].free;
    for (int64_t& amount : free) amount = std::max<int64_t>(amount, 0);
    std::vector<int64_t> caps;
    for (const Item& item : items) caps.push_back(item.nodes.test(n) ? item.per_host.most : 0);
    if (std::all_of(caps.begin(), caps.end(), [](int64_t cap) { return cap == 0; })) continue;
    for (size_t r = 0; r < free.size(); ++r) all.free[r] += free[r];
    for (size_t i = 0; i < caps.size(); ++i) all.caps[i] += caps[i];
    all.hosts += 1;
    ++seen[{std::move(free), std::move(caps)}];
  }
  if (seen.size() > kMostNodeKinds) return add(kinds, std::move(all));
  for (const auto& [shape, copies] : seen)
    add(kinds, {.free = shape.first, .price = {}, .caps = shape.second, .copies = copies});
}

}  // namespace

bool none_is_lighter(const Problem& problem, const Solution& solution) {
  if (solution.new_nodes.empty() || problem.pools.front().pool->weight == problem.pools.back().pool->weight)
    return true;
  std::map<std::string_view, size_t> pools;
  for (size_t p = 0; p < problem.pools.size(); ++p) pools[problem.pools[p].name] = p;
  std::unordered_map<std::string, size_t> class_of;
  for (const PodProblem& pod : problem.pods) class_of.emplace(pod.pod->key(), pod.pod_class);
  return std::all_of(solution.new_nodes.begin(), solution.new_nodes.end(), [&](const PlannedNode& node) {
    return std::all_of(node.pods.begin(), node.pods.end(), [&](const std::string& pod) {
      return problem.lightness(class_of.at(pod), pools.at(node.pool)) == 0;
    });
  });
}

Relaxation relax(const Problem& problem, const Solution& solution) {
  const bool heaviest_only = none_is_lighter(problem, solution);
  const std::vector<Item> items = placed_items(problem, solution, heaviest_only);
  Relaxation relaxation;
  for (const Item& item : items) {
    const bool shared = item.per_host.rule != kNone;
    relaxation.demands.push_back(
        {item.requests, item.count, item.per_host.rule, shared ? item.per_host.most : int64_t{0}});
  }
  add_rows(problem, items, relaxation.kinds);
  add_nodes(problem, items, relaxation.kinds);
  return relaxation;
}

}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/packing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "scheduling/compile/rules.h"

namespace tenon::scheduling {
namespace {

bool at_least(const Amounts& large, const Amounts& small) {
  for (size_t i = 0; i < large.size(); ++i) {
    if (large[i] < small[i]) return false;
  }
  return true;
}

bool same_place(const Placed& a, const Placed& b) {
  return a.pod_class == b.pod_class && a.form == b.form && a.variant == b.variant;
}

}  // namespace

Packing::Packing(const State& plan, model::Price node_price) : plan_(plan), node_price_(node_price) {
  placed_.resize(problem().pods.size());
  for (size_t b = 0; b < plan.bins().size(); ++b) {
    const Bin& bin = plan.bins()[b];
    if (bin.placed.empty()) continue;
    for (const Placed& placed : bin.placed) placed_[placed.pod] = placed;
    (stays(problem(), bin) ? kept_bins_ : open_bins_).push_back(b);
  }
  const std::vector<size_t> kind_of = list_kinds();
  list_columns();
  list_values();
  list_packs(kind_of);
}

// Returns the kinds by pod.
std::vector<size_t> Packing::list_kinds() {
  using Rules = std::pair<std::vector<std::pair<size_t, int>>, std::vector<model::HostPort>>;
  std::map<std::tuple<size_t, const Amounts*, Rules>, size_t> known;
  std::map<std::tuple<size_t, size_t, int, std::vector<int>>, size_t> seen;  // class, form, pool, domains and sides
  std::map<Amounts, const Amounts*> sizes;
  std::vector<size_t> kind_of(problem().pods.size());
  for (const size_t b : open_bins_) {
    const Bin& bin = plan_.bins()[b];
    const Placed* before = nullptr;
    size_t kind = 0;
    for (const Placed& placed : bin.placed) {
      if (!before || before->pod_class != placed.pod_class || before->form != placed.form) {
        const PodClass& c = problem().classes[placed.pod_class];
        const Form& form = c.forms[placed.form];
        std::vector<int> domains;
        for (const auto& [key, use] : form.uses) {
          domains.push_back(bin.domains[static_cast<size_t>(key)]);
          domains.push_back(is_considered(bin, use));
        }
        const auto [at, fresh] = seen.try_emplace({placed.pod_class, placed.form, bin.pool, std::move(domains)}, 0);
        if (fresh) {
          const size_t mask = mask_of(bin, placed);
          const Amounts* size = sizes.try_emplace(c.requests, &c.requests).first->second;
          std::vector<std::pair<size_t, int>> host;
          for (const GroupUse& use : form.host_uses) host.emplace_back(use.group, use.owned * 2 + use.matched);
          const auto [same, another] = known.try_emplace({mask, size, Rules(std::move(host), c.ports)}, kinds_.size());
          if (another) kinds_.push_back({size, mask, form.host_uses, c.ports, 0, {}});
          at->second = same->second;
        }
        kind = at->second;
      }
      before = &placed;
      kind_of[placed.pod] = kind;
      kinds_[kind].pods.push_back(placed.pod);
    }
  }
  // Pods that are placed alike follow each other, so that realise() can place them together.
  for (PodKind& kind : kinds_) {
    std::stable_sort(kind.pods.begin(), kind.pods.end(), [&](size_t a, size_t b) {
      const Placed &x = placed_[a], &y = placed_[b];
      return std::tie(x.pod_class, x.form, x.variant) < std::tie(y.pod_class, y.form, y.variant);
    });
  }
  kinds_.shrink_to_fit();  // there may be thousands
  return kind_of;
}

bool Packing::is_hindered(const State& plan) {
  const Problem& problem = plan.problem();
  for (const Bin& bin : plan.bins()) {
    if (bin.fresh() && !bin.placed.empty() && stays(problem, bin)) return true;
  }
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const Amounts &before = problem.pools[p].left, &after = plan.left(p);
    for (size_t i = 0; i < before.size(); ++i) {
      if (after[i] < before[i] - after[i]) return true;
    }
  }
  return false;
}

bool Packing::stays(const Problem& problem, const Bin& bin) {
  if (!bin.fresh() || bin.reservation != kNone) return true;
  const PoolProblem& pool = problem.pools[static_cast<size_t>(bin.pool)];
  if (!pool.min_values.empty() || bin.narrowed) return true;
  return std::any_of(bin.placed.begin(), bin.placed.end(), [&](const Placed& placed) {
    const Form& form = problem.classes[placed.pod_class].forms[placed.form];
    return std::any_of(form.host_uses.begin(), form.host_uses.end(), [&](const GroupUse& use) {
      return use.owned && problem.groups[use.group].kind == GroupKind::kAffinity;
    });
  });
}

// Returns whether a spread that considers some types only counts the pods of this node: 1 or 0. Returns kNone if the
// use does not bind the pod to a side.
int Packing::is_considered(const Bin& bin, const GroupUse& use) const {
  const Group& group = problem().groups[use.group];
  if (!use.matched || use.owned || !group.takes_sides()) return kNone;
  return problem().filters[group.filter].rows[static_cast<size_t>(bin.pool)].test(bin.row) ? 1 : 0;
}

// Keeps the pod on its side of a spread: the spread continues to count it, or not to count it.
void Packing::keep_side(const Bin& bin, const GroupUse& use, RowSet& rows) const {
  const int considered = is_considered(bin, use);
  if (considered == kNone) return;
  const RowSet& side = problem().filters[problem().groups[use.group].filter].rows[static_cast<size_t>(bin.pool)];
  considered == 1 ? rows &= side : rows -= side;
}

// Returns the rows of the pool that the pod may use on a node in the domains of `bin`.
RowSet Packing::rows_of(const Bin& bin, const Placed& placed, const PoolProblem& pool, size_t index) const {
  const PodClass& c = problem().classes[placed.pod_class];
  const Form& form = c.forms[placed.form];
  RowSet rows(pool.rows.size());
  for (const Variant& variant : *form.variants) rows |= variant.rows[index];
  for (const TypeProblem& type : pool.types) {
    if (c.ports.empty() || !ports_conflict(c.ports, type.daemon_ports)) continue;
    for (const size_t row : type.rows) rows.reset(row);
  }
  for (const auto& [key, use] : form.uses) {
    const int domain = bin.domains[static_cast<size_t>(key)];
    if (domain == kNone) continue;
    keep_side(bin, use, rows);
    const TopologyKey& topology = problem().keys[static_cast<size_t>(key)];
    const RowSet* in = pool.rows_in(topology.name, topology.values[static_cast<size_t>(domain)]);
    if (in != nullptr) {
      rows &= *in;
    } else if (!pool.requirements.get(topology.name).allows(topology.values[static_cast<size_t>(domain)])) {
      return {};
    }
  }
  return rows;
}

// Returns the mask of the rows that the pod may use: those of pools that are not lighter, or those of the same pool if
// the pod has rules by domain, because these may count the nodes of some pools only.
size_t Packing::mask_of(const Bin& bin, const Placed& placed) {
  const PodClass& c = problem().classes[placed.pod_class];
  Mask mask{problem().pools[static_cast<size_t>(bin.pool)].pool->weight, {}};
  for (const size_t p : c.pools) {
    const PoolProblem& pool = problem().pools[p];
    const bool open = c.forms[placed.form].uses.empty() || p == static_cast<size_t>(bin.pool);
    if (!open || pool.pool->weight < mask.weight || !pool.min_values.empty()) continue;
    RowSet rows = rows_of(bin, placed, pool, p);
    if (rows.any()) mask.rows.emplace_back(p, std::move(rows));
  }
  const auto [at, fresh] = known_masks_.try_emplace(std::move(mask), masks_.size());
  if (fresh) masks_.push_back(&at->first);
  return at->second;
}

const RowSet& Packing::rows(size_t mask, size_t pool) const {
  static const RowSet none;
  const auto& rows = masks_[mask]->rows;
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& of) { return of.first == pool; });
  return at == rows.end() ? none : at->second;
}

void Packing::list_columns() {
  std::vector<std::vector<RowSet>> masks(problem().pools.size());  // by pool, row
  for (size_t m = 0; m < masks_.size(); ++m) {
    for (const auto& [p, rows] : masks_[m]->rows) {
      if (masks[p].empty()) masks[p].resize(problem().pools[p].rows.size(), RowSet(masks_.size()));
      for (size_t r = rows.first(); r != RowSet::kNone; r = rows.next(r)) masks[p][r].set(m);
    }
  }
  std::vector<Column> all;
  for (size_t p = 0; p < masks.size(); ++p) {
    const PoolProblem& pool = problem().pools[p];
    for (size_t r = 0; r < masks[p].size(); ++r) {
      const Row& row = pool.rows[r];
      if (row.reservation != kNone || masks[p][r].none()) continue;
      all.push_back({p, r, (row.price + node_price_).value(), &pool.types[row.type].free, std::move(masks[p][r])});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Column& a, const Column& b) { return a.price < b.price; });
  // A column that dominates another has all of its masks, and so its first one. With many NodePools that share no pods,
  // few columns have that mask.
  std::vector<std::vector<uint32_t>> with_mask(masks_.size());  // indexes into columns_
  for (Column& column : all) {
    const auto& rivals = with_mask[column.masks.first()];
    const bool beaten = std::any_of(rivals.begin(), rivals.end(), [&](uint32_t c) {
      return at_least(*columns_[c].free, *column.free) && column.masks.within(columns_[c].masks);
    });
    if (beaten) continue;
    const auto index = static_cast<uint32_t>(columns_.size());
    for (size_t m = column.masks.first(); m != RowSet::kNone; m = column.masks.next(m)) with_mask[m].push_back(index);
    columns_.push_back(std::move(column));
  }
  room_.resize(problem().resources.size());
  for (size_t r = 0; r < room_.size(); ++r) {
    for (const Column& column : columns_) room_[r].push_back(static_cast<double>((*column.free)[r]));
  }
}

// The same amount for all columns changes neither their order nor which of them are dominated.
void Packing::reprice(model::Price node_price) {
  if (node_price == node_price_) return;
  const int64_t dearer = (node_price - node_price_).value();
  for (Column& column : columns_) column.price += dearer;
  node_price_ = node_price;
  list_values();
}

void Packing::list_values() {
  std::vector<std::vector<size_t>> with_mask(masks_.size());  // columns
  for (size_t c = 0; c < columns_.size(); ++c) {
    const RowSet& masks = columns_[c].masks;
    for (size_t m = masks.first(); m != RowSet::kNone; m = masks.next(m)) with_mask[m].push_back(c);
  }
  std::map<std::pair<size_t, const Amounts*>, double> known;
  for (PodKind& kind : kinds_) {
    const auto [at, fresh] = known.try_emplace({kind.mask, kind.size}, std::numeric_limits<double>::infinity());
    if (!fresh) {
      kind.value = at->second;
      continue;
    }
    for (const size_t c : with_mask[kind.mask]) {
      double share = 0;
      for (size_t i = 0; i < kind.size->size(); ++i) {
        const auto size = static_cast<double>((*kind.size)[i]);
        if (size > 0) share = std::max(share, size / static_cast<double>((*columns_[c].free)[i]));
      }
      at->second = std::min(at->second, share * static_cast<double>(columns_[c].price));
    }
    kind.value = at->second;
  }
}

void Packing::list_packs(const std::vector<size_t>& kind_of) {
  for (const size_t b : open_bins_) {
    const Bin& bin = plan_.bins()[b];
    std::map<size_t, int> counts;
    for (const Placed& placed : bin.placed) ++counts[kind_of[placed.pod]];
    Pack pack;
    pack.contents.reserve(counts.size());
    for (const auto& [kind, count] : counts) pack.contents.push_back({kind, count});
    const auto pool = static_cast<size_t>(bin.pool);
    const auto holds = [&](const Column& column) {
      if (column.pool == pool && column.row == bin.row) return true;
      return at_least(*column.free, bin.used) && std::all_of(counts.begin(), counts.end(), [&](const auto& kind) {
               return allowed(column, kinds_[kind.first]);
             });
    };
    pack.column = static_cast<size_t>(std::find_if(columns_.begin(), columns_.end(), holds) - columns_.begin());
    packs_.push_back(std::move(pack));
  }
}

int64_t Packing::paid() const {
  int64_t sum = 0;
  for (const size_t b : open_bins_) sum += (plan_.price(plan_.bins()[b]) + node_price_).value();
  return sum;
}

std::optional<State> Packing::realise(const std::vector<Pack>& packs) const {
  State state(problem());
  Fit fit;
  Ask ask;
  // Places the first of these pods, together with the pods that follow it and are placed alike.
  const auto put = [&](size_t bin, std::span<const size_t>& pods, const RowSet* side) {
    const Placed& first = placed_[pods.front()];
    const std::vector<int>& domains = domains_of(pods.front());
    size_t alike = 1;
    while (alike < pods.size() && same_place(first, placed_[pods[alike]]) && domains_of(pods[alike]) == domains)
      ++alike;
    ask = {.pod_class = first.pod_class,
           .form = first.form,
           .domains = &domains,
           .side = side,
           .count = static_cast<int>(alike)};
    if (state.fits(bin, ask, fit) != Verdict::kFits) {
      ask.count = 1;
      if (alike == 1 || state.fits(bin, ask, fit) != Verdict::kFits) return false;
    }
    state.place(bin, ask, pods.first(static_cast<size_t>(ask.count)), fit);
    pods = pods.subspan(static_cast<size_t>(ask.count));
    return true;
  };
  const auto put_all = [&](size_t bin, std::span<const size_t> pods, const RowSet* side) {
    while (!pods.empty()) {
      if (!put(bin, pods, side)) return false;
    }
    return true;
  };
  for (const size_t b : kept_bins_) {
    const Bin& bin = plan_.bins()[b];
    const size_t to = bin.fresh() ? state.open(static_cast<size_t>(bin.pool)) : b;
    std::vector<size_t> pods;
    for (const Placed& placed : bin.placed) pods.push_back(placed.pod);
    if (!put_all(to, pods, bin.fresh() ? &bin.rows : nullptr)) return std::nullopt;
  }
  std::vector<size_t> used(kinds_.size(), 0);
  for (const Pack& pack : packs) {
    const size_t bin = state.open(columns_[pack.column].pool);
    for (const Content& content : pack.contents) {
      const auto count = static_cast<size_t>(content.count);
      const std::span<const size_t> pods(kinds_[content.kind].pods);
      const RowSet& side = rows(kinds_[content.kind].mask, columns_[pack.column].pool);
      if (!put_all(bin, pods.subspan(used[content.kind], count), &side)) return std::nullopt;
      used[content.kind] += count;
    }
  }
  return state;
}

}  // namespace tenon::scheduling

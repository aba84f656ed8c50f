// Trader: improves a packing by local search. A move makes one node cheaper: one of its pods moves to another node, or
// is exchanged for a smaller pod of that node, such that the rest fits a cheaper column. The other node keeps its
// column, so each move lowers the price, and the search ends in a local optimum.
//
// For node a and a cheaper column, need = used(a) − free(column) by resource: what must leave. A pod of a, less a pod
// of b, must have at least `need` and at most the room of b. These comparisons of amounts are checked first; rules by
// hostname and host ports (holds()) are checked only for pods that pass.
//
//   a: pods of 3, 1 and 1 CPU on 8 CPU, 0.34 USD/h; 4 CPU cost 0.17, so need = 1 CPU.
//   b has 1 CPU free: a pod of 1 CPU moves there. If b has 1 CPU free and pods of 2 CPU, 3 against 2 works as well.
//
// Cost of a try: kinds in a × kinds in b. Trying all pairs of nodes costs more than it gains, so each node first tries
// four partners (2,000 / nodes if that is more) from a random position on, and four times as many whenever no node
// gains anything. See docs/decisions/0003.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/prng.h"
#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr int kCheaperTried = 3;            // columns, the nearest in price first
constexpr size_t kPartners = 4;             // nodes that are tried as the other node, at first
constexpr size_t kMorePartners = 4;         // factor of the partners after a round without gain
constexpr size_t kFirstRoundPairs = 2'000;  // pairs of nodes in the first round, if there are few nodes
constexpr size_t kPairsPerStep = 8;         // partners in one step: most have no room

class Trader {
 public:
  Trader(const Packing& packing, std::vector<Pack>& packs, Budget& budget)
      : packing_(packing), packs_(packs), budget_(budget) {
    for (const Pack& pack : packs) {
      Amounts used(packing.problem().resources.size(), 0);
      for (const Content& content : pack.contents) add(used, size_of(content.kind), content.count);
      used_.push_back(std::move(used));
    }
  }
  void run();

 private:
  bool cheapen(size_t a);
  bool trade(size_t a, size_t column, size_t b);
  bool exchange(size_t a, size_t column, size_t b, size_t given, std::optional<size_t> taken);
  const Amounts& size_of(size_t kind) const { return *packing_.kinds()[kind].size; }
  const Amounts& free_of(size_t column) const { return *packing_.columns()[column].free; }
  bool allowed(size_t column, size_t kind) const {
    return packing_.allowed(packing_.columns()[column], packing_.kinds()[kind]);
  }
  static void add(Amounts& used, const Amounts& size, int count) {
    for (size_t r = 0; r < used.size(); ++r) used[r] += count * size[r];
  }

  const Packing& packing_;
  std::vector<Pack>& packs_;
  Budget& budget_;
  std::vector<Amounts> used_;  // by pack
  Amounts need_;               // the node's use minus what the cheaper column has free; negative: room
  Amounts room_;               // free on the other node
  size_t partners_ = kPartners;
  Prng prng_{1};
};

std::vector<Content> exchanged(std::vector<Content> contents, std::optional<size_t> given,
                               std::optional<size_t> taken) {
  const auto change = [&](std::optional<size_t> kind, int by) {
    if (!kind) return;
    const auto at = std::find_if(contents.begin(), contents.end(), [&](const Content& c) { return c.kind == *kind; });
    if (at == contents.end()) {
      contents.push_back({*kind, by});
    } else if ((at->count += by) == 0) {
      contents.erase(at);
    }
  };
  change(given, -1);
  change(taken, 1);
  return contents;
}

bool Trader::exchange(size_t a, size_t column, size_t b, size_t given, std::optional<size_t> taken) {
  std::vector<Content> less = exchanged(packs_[a].contents, given, taken);
  std::vector<Content> more = exchanged(packs_[b].contents, taken, given);
  budget_.spend(static_cast<int64_t>(less.size() + more.size()));
  if (!holds(packing_, column, less) || !holds(packing_, packs_[b].column, more)) return false;
  packs_[a] = {column, std::move(less)};
  packs_[b].contents = std::move(more);
  add(used_[a], size_of(given), -1);
  add(used_[b], size_of(given), 1);
  if (taken) {
    add(used_[a], size_of(*taken), 1);
    add(used_[b], size_of(*taken), -1);
  }
  return true;
}

bool Trader::trade(size_t a, size_t column, size_t b) {
  const Amounts &free = free_of(packs_[b].column), &used = used_[b];
  room_.resize(free.size());
  for (size_t r = 0; r < free.size(); ++r) {
    room_[r] = free[r] - used[r];
    if (need_[r] > std::max<int64_t>(room_[r], 0)) return false;
  }
  const auto does = [&](const Amounts& given, const Amounts* taken) {
    for (size_t r = 0; r < room_.size(); ++r) {
      const int64_t moved = given[r] - (taken ? (*taken)[r] : 0);
      if (moved < need_[r] || moved > room_[r]) return false;
    }
    return true;
  };
  for (const Content& given : packs_[a].contents) {
    if (!allowed(packs_[b].column, given.kind)) continue;
    if (does(size_of(given.kind), nullptr) && exchange(a, column, b, given.kind, std::nullopt)) return true;
    budget_.spend(static_cast<int64_t>(packs_[b].contents.size()));
    if (budget_.spent()) return false;
    for (const Content& taken : packs_[b].contents) {
      if (does(size_of(given.kind), &size_of(taken.kind)) && allowed(column, taken.kind) &&
          exchange(a, column, b, given.kind, taken.kind)) {
        return true;
      }
    }
  }
  return false;
}

bool Trader::cheapen(size_t a) {
  const size_t now = packs_[a].column;
  int tried = 0;
  for (size_t c = now; c-- > 0 && tried < kCheaperTried && !budget_.spent();) {
    const std::vector<Content>& contents = packs_[a].contents;
    const auto may = [&](const Content& content) { return allowed(c, content.kind); };
    if (packing_.columns()[c].price == packing_.columns()[now].price ||
        !std::all_of(contents.begin(), contents.end(), may)) {
      continue;
    }
    ++tried;
    need_ = used_[a];
    add(need_, free_of(c), -1);
    const size_t partners = std::min(packs_.size(), partners_),
                 first = partners_ < packs_.size() ? prng_.below(packs_.size()) : 0;
    budget_.spend(static_cast<int64_t>(partners / kPairsPerStep));
    for (size_t i = 0; i < partners; ++i) {
      const size_t b = (first + i) % packs_.size();
      if (b != a && trade(a, c, b)) return true;
    }
  }
  return false;
}

void Trader::run() {
  partners_ = std::max(partners_, kFirstRoundPairs / packs_.size());
  for (;; partners_ *= kMorePartners) {
    for (size_t idle = 0, a = 0; idle < packs_.size(); a = (a + 1) % packs_.size()) {
      if (budget_.spent()) return;
      idle = cheapen(a) ? 0 : idle + 1;
    }
    if (partners_ >= packs_.size()) return;
  }
}

}  // namespace

void trade(const Packing& packing, std::vector<Pack>& packs, Budget& budget) { Trader(packing, packs, budget).run(); }

}  // namespace tenon::scheduling

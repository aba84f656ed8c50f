// Problem: a consolidation that saves little may not justify the eviction of many pods. Each NodePool states its terms.
//
// Method: the gain of a move (savings and saved node prices) must pass three tests.
//   1. It is above the price of the disturbance: for each node, tenon.dev/disruption-price of its pool × the eviction
//      costs of its pods in ordinary pods. No test if that price is 0.
//   2. It is at least tenon.dev/minimum-savings of each pool that the move touches.
//   3. For each touched pool with the policy Balanced: savings share / disruption share ≥ 1 / kBalancedK. The savings
//      share is the pool's part of the gain (by the price of its removed nodes) / the price of all its nodes. The
//      disruption share is the disruption cost of its removed nodes / that of all its nodes.
//
// Example: a pool has 10 nodes at 0.10 USD/h with 4 ordinary pods each, and the node price is 0. One node is 5,000 of
// the pool's 50,000 disruption: 10 %. A move of one node that gains 0.06 has a savings share of 6 % and the score 0.6:
// approved. A gain of 0.04 has the score 0.4: rejected. With a disruption price of 0.02 both fail test 1: 0.08.
//
// Cost: a lookup of the price of each node at the start of a pass, then O(nodes of the move).
// SPDX-License-Identifier: Apache-2.0
#include "disruption/required_savings.h"

#include <algorithm>

#include "disruption/candidates.h"
#include "disruption/cost.h"

namespace tenon::disruption {
namespace {

__extension__ using Wide = __int128;

// A move passes if its share of the pool's cost is at least half of its share of the pool's disruption.
// parity: karpenter pkg/apis/v1/nodepool.go BalancedK
constexpr int kBalancedK = 2;

model::Price amount(const model::NodePool& pool, std::string_view annotation) {
  return model::parse_price(model::lookup(pool.meta.annotations, annotation)).value_or(model::Price());
}

// The part of a move that concerns one pool.
struct Share {
  model::Price price;  // of its removed nodes, node prices included
  int64_t disruption_milli = 0;
};

std::map<std::string_view, Share> shares(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes) {
  std::map<std::string_view, Share> out;
  for (const Candidate* candidate : nodes) {
    Share& share = out[candidate->node->pool()];
    share.price += candidate->price;
    if (const auto pool = worth.find(candidate->node->pool()); pool != worth.end())
      share.price += pool->second.node_price;
    share.disruption_milli += candidate->cost_milli;
  }
  return out;
}

// parity: karpenter pkg/controllers/disruption/balanced.go
struct Score {
  double savings = 0, disruption = 0;  // shares of the pool's totals, 1 = all
  bool approved = false;
  double value() const { return disruption > 0 ? savings / disruption : 0; }
};

Score score(const PoolRequiredSavings& pool, const Share& share, model::Price all, model::Price savings) {
  if (savings <= model::Price() || pool.cost <= model::Price() || pool.disruption_milli <= 0) return {};
  const Wide mine = all > model::Price() ? Wide{savings.value()} * share.price.value() / all.value() : 0;
  Score out;
  out.savings = static_cast<double>(mine) / static_cast<double>(pool.cost.value());
  out.disruption = static_cast<double>(share.disruption_milli) / static_cast<double>(pool.disruption_milli);
  out.approved = mine * pool.disruption_milli * kBalancedK >= Wide{pool.cost.value()} * share.disruption_milli;
  return out;
}

std::string decimals(double value, int digits) {
  char text[32];
  snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string words(const Score& score) {
  return "score " + decimals(score.value(), 2) + (score.approved ? " >= " : " < ") + "threshold " +
         decimals(1.0 / kBalancedK, 2) + " (k: " + std::to_string(kBalancedK) + ", savings " +
         decimals(score.savings * 100, 1) + "%, disruption " + decimals(score.disruption * 100, 1) + "%)";
}

model::Price all_of(const std::map<std::string_view, Share>& by_pool) {
  model::Price sum;
  for (const auto& [name, share] : by_pool) sum += share.price;
  return sum;
}

}  // namespace

RequiredSavings required_savings(const scheduling::Snapshot& snapshot, model::Price node_price) {
  RequiredSavings out;
  for (const auto& view : snapshot.pools) {
    const model::NodePool& pool = *view.pool;
    out[pool.meta.name] = {pool.consolidation_policy == model::ConsolidationPolicy::kBalanced,
                           amount(pool, kDisruptionPrice),
                           amount(pool, kMinimumSavings),
                           node_price,
                           model::Price(),
                           0};
  }
  for (const auto& node : snapshot.nodes) {
    const auto pool = node.managed() ? out.find(node.pool()) : out.end();
    if (pool == out.end() || !pool->second.balanced) continue;
    pool->second.cost += disruption::price_of_instance(snapshot, node) + node_price;
    pool->second.disruption_milli += disruption_cost_milli(node);
  }
  return out;
}

std::vector<std::string> annotation_problems(const model::NodePool& pool) {
  std::vector<std::string> out;
  for (const std::string_view annotation : {kDisruptionPrice, kMinimumSavings}) {
    const auto at = pool.meta.annotations.find(annotation);
    if (at == pool.meta.annotations.end() || model::parse_price(at->second)) continue;
    out.push_back("NodePool " + pool.meta.name + ": annotation " + at->first + ": \"" + at->second +
                  "\" is not an amount of USD such as 0.01; it counts as 0");
  }
  return out;
}

model::Price disturbance(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes) {
  model::Price sum;
  for (const Candidate* candidate : nodes) {
    const auto pool = worth.find(candidate->node->pool());
    if (pool == worth.end()) continue;
    const int64_t pods_milli = std::max<int64_t>(0, candidate->cost_milli - kOrdinaryPodMilli);
    sum += model::Price(static_cast<int64_t>(Wide{pool->second.pod_price.value()} * pods_milli / kOrdinaryPodMilli));
  }
  return sum;
}

std::string objection(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes, model::Price gain) {
  const model::Price price = disturbance(worth, nodes);
  if (price > model::Price() && gain <= price) {
    return "Disturbing the pods is priced at $" + model::format_usd(price) + " an hour, the move saves $" +
           model::format_usd(gain);
  }
  const auto by_pool = shares(worth, nodes);
  const model::Price all = all_of(by_pool);
  for (const auto& [name, share] : by_pool) {
    const auto pool = worth.find(name);
    if (pool == worth.end()) continue;
    if (gain < pool->second.floor) {
      return "NodePool \"" + std::string(name) + "\" asks for savings of at least $" +
             model::format_usd(pool->second.floor) + " an hour, the move saves $" + model::format_usd(gain);
    }
    if (!pool->second.balanced) continue;
    const Score found = score(pool->second, share, all, gain);
    if (!found.approved) return "NodePool \"" + std::string(name) + "\" has policy Balanced: " + words(found);
  }
  return "";
}

std::map<std::string, std::optional<double>> scores(const RequiredSavings& worth,
                                                    const std::vector<const Candidate*>& nodes, model::Price gain) {
  std::map<std::string, std::optional<double>> out;
  const auto by_pool = shares(worth, nodes);
  const model::Price all = all_of(by_pool);
  for (const auto& [name, share] : by_pool) {
    const auto pool = worth.find(name);
    if (pool == worth.end()) continue;
    auto& found = out[std::string(name)];
    if (pool->second.balanced) found = score(pool->second, share, all, gain).value();
  }
  return out;
}

std::map<std::string, std::string> approvals(const RequiredSavings& worth, const std::vector<const Candidate*>& nodes,
                                             model::Price gain) {
  std::map<std::string, std::string> out;
  const auto by_pool = shares(worth, nodes);
  const model::Price all = all_of(by_pool);
  for (const auto& [name, share] : by_pool) {
    const auto pool = worth.find(name);
    if (pool == worth.end() || !pool->second.balanced) continue;
    const Score found = score(pool->second, share, all, gain);
    if (found.approved) out[std::string(name)] = words(found);
  }
  return out;
}

}  // namespace tenon::disruption

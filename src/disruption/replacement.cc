// Problem: a NodeClaim lists many instance types, and EC2 Fleet picks the offering by its own rules. A replacement must
// be cheaper than the removed nodes at each of them, so types whose worst offering is too expensive are dropped.
//
// Method:
//   1. The money: the price of the removed nodes, plus the node price for each node that the move saves. Several
//      replacements split it in proportion to their planned prices.
//   2. A type is kept if its worst launch price is below that limit: the highest price of its reserved offerings, else
//      of spot, else of on-demand, because a launch prefers them in this order.
//   3. A replacement that may be spot or on-demand becomes spot only. If all removed nodes are spot, the feature gate
//      SpotToSpotConsolidation must be open; one such node needs 15 cheaper types, and only the first 15 are kept.
//   4. The types that are left must satisfy minValues. If one node replaces several, it must also be cheaper than the
//      cheapest removed node of any type that it may have.
//   5. The cheapest remaining offering becomes the planned launch.
//
// Example: two nodes at 0.192 USD/h become one, with a node price of 0.010: the limit is 0.394. A type at 0.390 in zone
// a and 0.400 in zone b is dropped if both zones are allowed. Two replacements planned at 0.10 and 0.20 for nodes at
// 0.36 (as many nodes as before) have the limits 0.12 and 0.24.
//
// Cost: for each replacement, O(types × offerings), and a sort of the types that are left.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/replacement.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "base/text.h"
#include "model/labels.h"
#include "scheduling/input/type_index.h"

namespace tenon::disruption {
namespace {

using model::InstanceType;
using model::Price;
using scheduling::PlannedNode;
using scheduling::Snapshot;

__extension__ using Wide = __int128;

constexpr size_t kSpotToSpotTypes = 15;  // cheaper types that the replacement of a single spot node must allow
constexpr std::string_view kNoCheaper = "Can't replace with a cheaper node";
constexpr std::string_view kSpotDisabled =
    "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";

// The removed nodes.
struct Going {
  Price paid;
  bool all_spot = true;
  std::map<std::string, Price, std::less<>> cheapest_of_type;
};

Going going(const std::vector<const Candidate*>& nodes) {
  Going out;
  for (const Candidate* candidate : nodes) {
    const model::StringMap& labels = candidate->node->labels();
    out.paid += candidate->price;
    out.all_spot &= model::lookup(labels, model::kLabelCapacityType) == model::kCapacitySpot;
    const std::string type(model::lookup(labels, model::kLabelInstanceType));
    const auto [at, first] = out.cheapest_of_type.emplace(type, candidate->price);
    if (!first) at->second = std::min(at->second, candidate->price);
  }
  return out;
}

std::shared_ptr<const scheduling::TypeIndex> index_of(const scheduling::PoolView& pool) {
  const bool known = pool.index && pool.index->types == pool.types;
  return known ? pool.index : std::make_shared<const scheduling::TypeIndex>(pool.types);
}

// Selects the available offerings that satisfy the requirements.
struct Open {
  explicit Open(const model::Requirements& requirements)
      : zones(requirements.get(model::kLabelZone)), capacity_types(requirements.get(model::kLabelCapacityType)) {}
  bool has(const model::Offering& o) const {
    return o.available && capacity_types.allows(o.capacity_type) && zones.allows(o.zone);
  }
  model::Requirement zones, capacity_types;
};

std::optional<Price> worst_launch_price(const InstanceType& type, const Open& open) {
  for (const std::string_view kind : {std::string_view("reserved"), model::kCapacitySpot, model::kCapacityOnDemand}) {
    std::optional<Price> worst;
    for (const model::Offering& o : type.offerings) {
      if (o.capacity_type == kind && open.has(o) && (!worst || o.price > *worst)) worst = o.price;
    }
    if (worst) return worst;
  }
  return std::nullopt;
}

// One planned node and the types that it may have, narrowed step by step.
class Choice {
 public:
  Choice(const scheduling::PoolView& pool, PlannedNode& node) : node_(node) {
    const auto index = index_of(pool);
    const std::vector<const InstanceType*>& all = index->usable;  // by name
    for (const std::string& name : node.instance_types) {
      const auto at = std::lower_bound(all.begin(), all.end(), name,
                                       [](const InstanceType* type, const std::string& n) { return type->name < n; });
      if (at != all.end() && (*at)->name == name) types_.push_back(*at);
    }
  }

  bool may_be(std::string_view capacity_type) const {
    return node_.requirements.get(model::kLabelCapacityType).allows(capacity_type);
  }
  void only_spot() {
    node_.requirements.add(model::Requirement::in(model::kLabelCapacityType, {std::string(model::kCapacitySpot)}));
    const Open open(node_.requirements);
    std::erase_if(types_, [&](const InstanceType* type) { return !worst_launch_price(*type, open); });
  }
  void only_below(Price price) {
    const Open open(node_.requirements);
    std::erase_if(types_, [&](const InstanceType* type) {
      const auto worst = worst_launch_price(*type, open);
      return !worst || *worst >= price;
    });
  }
  // If a removed node has one of the types, keeps only what is cheaper than the cheapest such node. Otherwise the move
  // might launch a node that it removes.
  // parity: multinodeconsolidation.go filterOutSameInstanceType
  void not_the_same(const Going& nodes) {
    std::optional<Price> least;
    for (const InstanceType* type : types_) {
      const auto at = nodes.cheapest_of_type.find(type->name);
      if (at != nodes.cheapest_of_type.end()) least = std::min(least.value_or(at->second), at->second);
    }
    if (least) only_below(*least);
  }
  void sort() {
    const Open open(node_.requirements);
    std::vector<std::tuple<Price, std::string_view, const InstanceType*>> priced;
    for (const InstanceType* type : types_) priced.emplace_back(cheapest(*type, open)->price, type->name, type);
    std::sort(priced.begin(), priced.end());
    for (size_t i = 0; i < priced.size(); ++i) types_[i] = std::get<2>(priced[i]);
  }
  // Keeps the first `count` types, and as many more as minValues requires.
  void keep(size_t count) {
    while (count < types_.size() && !unmet(count).empty()) ++count;
    types_.resize(std::min(count, types_.size()));
  }
  // Returns the labels whose minValues the first `count` types do not reach.
  std::vector<std::string> unmet(size_t count) const {
    std::vector<std::string> labels;
    for (const auto& [key, requirement] : node_.requirements.by_key()) {
      if (!requirement.min_values()) continue;
      std::set<std::string> seen;
      for (size_t i = 0; i < count; ++i) {
        const auto values = types_[i]->labels.find(key);
        if (values == types_[i]->labels.end()) continue;
        for (const std::string& value : values->second) {
          if (requirement.allows(value)) seen.insert(value);
        }
      }
      if (static_cast<int>(seen.size()) < *requirement.min_values()) labels.push_back(key);
    }
    return labels;
  }
  size_t size() const { return types_.size(); }

  // Writes the types and their cheapest offering into the node.
  void settle() {
    sort();
    std::vector<std::string> names;
    for (const InstanceType* type : types_) names.push_back(type->name);
    node_.instance_types = std::move(names);
    const model::Offering& o = *cheapest(*types_.front(), Open(node_.requirements));
    node_.launch = {types_.front()->name, o.zone, o.zone_id, o.capacity_type, o.reservation_id, o.price};
  }
  // Drops the types without an allowed offering.
  void drop_unavailable() {
    const Open open(node_.requirements);
    std::erase_if(types_, [&](const InstanceType* type) { return cheapest(*type, open) == nullptr; });
  }

 private:
  static const model::Offering* cheapest(const InstanceType& type, const Open& open) {
    const model::Offering* best = nullptr;
    for (const model::Offering& o : type.offerings) {
      if (!open.has(o)) continue;
      if (!best || std::tie(o.price, o.zone) < std::tie(best->price, best->zone)) best = &o;
    }
    return best;
  }

  PlannedNode& node_;
  std::vector<const InstanceType*> types_;
};

// `count`: of removed nodes; `alone`: this is their only replacement; `below`: its price limit, exclusive.
std::string narrow(const Options& options, const Going& nodes, size_t count, bool alone, Price below, Choice& choice) {
  const bool spot = choice.may_be(model::kCapacitySpot);
  const bool spot_to_spot = nodes.all_spot && spot;
  if (spot_to_spot && !options.spot_to_spot) return std::string(kSpotDisabled);
  if (spot_to_spot) choice.only_spot();
  choice.only_below(below);
  if (choice.size() == 0) return std::string(kNoCheaper);
  if (const auto unmet = choice.unmet(choice.size()); !unmet.empty()) {
    return "Filtering by price: minValues requirement is not met for label(s) (label(s)=[" + join(unmet, " ") + "])";
  }
  if (!spot_to_spot && spot && choice.may_be(model::kCapacityOnDemand)) {
    choice.only_spot();
    choice.only_below(below);  // the price before may have been that of a reservation
  }
  if (count > 1 && alone) choice.not_the_same(nodes);
  if (choice.size() == 0) return std::string(kNoCheaper);
  if (!spot_to_spot || count > 1) return "";
  if (choice.size() < kSpotToSpotTypes) {
    return "SpotToSpotConsolidation requires " + std::to_string(kSpotToSpotTypes) +
           " cheaper instance type options than the current candidate to consolidate, got " +
           std::to_string(choice.size());
  }
  choice.sort();
  choice.keep(kSpotToSpotTypes);
  return "";
}

}  // namespace

std::optional<Price> worst_launch_price(const InstanceType& type, const model::Requirements& requirements) {
  return worst_launch_price(type, Open(requirements));
}

std::string make_cheaper(const Snapshot& snapshot, const Options& options, const std::vector<const Candidate*>& nodes,
                         std::vector<PlannedNode>& replacements) {
  const Going paid_for = going(nodes);
  // The limit of the price of all new instances: the price of the old ones, plus node_price for each node fewer.
  const auto fewer = static_cast<int64_t>(nodes.size()) - static_cast<int64_t>(replacements.size());
  const Price left = paid_for.paid + Price(fewer * options.solve.node_price.value());
  Price sum;
  for (const PlannedNode& node : replacements) sum += node.launch.price;
  std::vector<Choice> choices;
  for (PlannedNode& node : replacements) {
    const scheduling::PoolView* pool = snapshot.pool(node.pool);
    if (!pool || !pool->types) return std::string(kNoCheaper);
    Choice& choice = choices.emplace_back(*pool, node);
    Price below = left;
    if (replacements.size() > 1 && sum > Price()) {
      const int64_t price = node.launch.price.value();
      const Wide part = Wide{below.value()} * price / sum.value();
      below = Price(std::max(static_cast<int64_t>(part), price + 1));  // the price of a reservation may be 0
    }
    if (std::string why = narrow(options, paid_for, nodes.size(), replacements.size() == 1, below, choice);
        !why.empty())
      return why;
  }
  for (Choice& choice : choices) choice.settle();
  return "";
}

std::optional<PlannedNode> like_the_template(const scheduling::PoolView& pool) {
  const model::NodeTemplate& wanted = pool.pool->node_template;
  auto requirements = model::Requirements::make(wanted.requirements);
  if (!requirements || !pool.types) return std::nullopt;
  requirements->add(model::Requirements::from_labels(wanted.labels));
  PlannedNode node;
  node.pool = pool.pool->meta.name;
  node.labels = Shared<model::StringMap>(wanted.labels);
  node.taints = wanted.taints;
  node.startup_taints = wanted.startup_taints;
  node.requirements = *std::move(requirements);
  std::vector<std::string> names;
  for (const InstanceType& type : *pool.types) {
    if (type.requirements().intersects(node.requirements)) names.push_back(type.name);
  }
  node.instance_types = std::move(names);
  Choice choice(pool, node);
  choice.drop_unavailable();
  if (choice.size() == 0) return std::nullopt;
  choice.settle();
  return node;
}

}  // namespace tenon::disruption

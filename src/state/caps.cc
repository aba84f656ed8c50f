// SPDX-License-Identifier: Apache-2.0
#include "state/caps.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/labels.h"

namespace tenon::state {
namespace {

using scheduling::NodeView;
using scheduling::PoolView;

// The labels that decide an instance's price.
struct Kind {
  std::string_view type, zone, capacity_type, reservation;
};

Kind kind_of(const NodeView& node) {
  const model::StringMap& labels = node.labels();
  return {model::lookup(labels, model::kLabelInstanceType), model::lookup(labels, model::kLabelZone),
          model::lookup(labels, model::kLabelCapacityType), model::lookup(labels, model::kLabelReservationId)};
}

const model::InstanceType* type_in(const PoolView& pool, std::string_view name) {
  if (!pool.types) return nullptr;
  const auto at =
      std::find_if(pool.types->begin(), pool.types->end(), [&](const auto& type) { return type.name == name; });
  return at == pool.types->end() ? nullptr : &*at;
}

// Returns the price of the very offering, in the node's own pool or in another one.
std::optional<model::Price> listed_price(const std::vector<PoolView>& pools, std::string_view own, const Kind& kind) {
  std::optional<model::Price> elsewhere;
  for (const PoolView& pool : pools) {
    const model::InstanceType* type = type_in(pool, kind.type);
    if (!type) continue;
    for (const model::Offering& offering : type->offerings) {
      const bool same = offering.zone == kind.zone && offering.capacity_type == kind.capacity_type &&
                        offering.reservation_id == kind.reservation && !offering.only_lacks_price;
      if (!same) continue;
      if (pool.pool->meta.name == own) return offering.price;
      elsewhere = offering.price;
    }
  }
  return elsewhere;
}

// Returns the highest price of the type: that of a node whose offering is not listed any more, such as one in a
// reservation that has ended.
std::optional<model::Price> highest_price(const std::vector<PoolView>& pools, std::string_view name) {
  std::optional<model::Price> highest;
  for (const PoolView& pool : pools) {
    const model::InstanceType* type = type_in(pool, name);
    if (!type) continue;
    for (const model::Offering& offering : type->offerings) {
      if (!offering.only_lacks_price && (!highest || *highest < offering.price)) highest = offering.price;
    }
  }
  return highest;
}

Result<model::Price> price_of_instance(const NodeView& node, const std::vector<PoolView>& pools) {
  const Kind kind = kind_of(node);
  auto price = listed_price(pools, node.pool(), kind);
  if (!price) price = highest_price(pools, kind.type);
  if (price) return *price;
  return fail(Code::kUnavailable, "no price of instance type \"" + std::string(kind.type) + "\" is listed");
}

bool younger(const model::NodeClaim& a, const model::NodeClaim& b) {
  return std::tie(a.meta.created_at, a.meta.name) > std::tie(b.meta.created_at, b.meta.name);
}

std::string held_by(std::string_view cap) { return "launches are held back by --" + std::string(cap) + ": "; }

}  // namespace

LaunchTimes launch_times(const std::vector<NodeView>& nodes, bool open) {
  LaunchTimes times;
  for (const NodeView& node : nodes) {
    if (!node.claim || node.claim->meta.annotations.contains(model::kAnnotationInstance)) continue;
    const model::NodeClaim& claim = *node.claim;
    std::optional<Instant> at;
    if (open) at = claim.meta.created_at;
    const model::Condition* launched = model::find_condition(claim.conditions, model::kLaunched);
    if (launched && launched->status == "True") at = std::max(at.value_or(Instant()), launched->last_transition);
    if (at) times[claim.meta.name] = *at + kTimestampError;
  }
  return times;
}

std::optional<Hold> over_rate(int64_t limit, const LaunchTimes& launches, size_t wanted, Instant now) {
  std::vector<Instant> recent;
  for (const auto& [name, at] : launches) {
    if (at + kLaunchWindow > now) recent.push_back(at);
  }
  const auto over = static_cast<int64_t>(recent.size() + wanted) - limit;
  if (over <= 0) return std::nullopt;
  const std::string_view cap = "max-launches-per-minute";
  Hold hold{std::string(cap), std::string(kLaunchCapReached),
            held_by(cap) + std::to_string(recent.size()) + " in the last minute" +
                (wanted > 1 ? " and " + std::to_string(wanted) + " more at once" : "") + ", limit " +
                std::to_string(limit)};
  // Launches that exceed the limit by themselves are tried again as well: the plan may change.
  const auto leaving = std::min(static_cast<size_t>(over), recent.size());
  std::sort(recent.begin(), recent.end());
  hold.until = leaving > 0 ? recent[leaving - 1] + kLaunchWindow : now + kLaunchWindow;
  return hold;
}

void HourlyPrice::add(const std::string& what, const Result<model::Price>& one) {
  if (one) {
    price += *one;
  } else if (unknown.empty()) {
    unknown = "the price of " + what + " is unknown: " + one.error().message;
  }
}

HourlyPrice hourly_price(const std::vector<NodeView>& nodes, const std::vector<PoolView>& pools,
                         const PriceOfLaunch& price_of_launch, const model::NodeClaim* launched) {
  HourlyPrice total;
  for (const NodeView& node : nodes) {
    if (!node.claim) continue;
    const model::NodeClaim& claim = *node.claim;
    const std::string what = "nodeclaim/" + claim.meta.name;
    if (!claim.provider_id.empty()) {
      total.add(what, price_of_instance(node, pools));
    } else if (!launched || !younger(claim, *launched)) {
      total.add(what, price_of_launch(claim));
    }
  }
  return total;
}

std::optional<Hold> over_price(model::Price limit, const HourlyPrice& total, Instant now) {
  if (total.unknown.empty() && total.price <= limit) return std::nullopt;
  const std::string_view cap = "max-hourly-price";
  const std::string figure = total.unknown.empty()
                                 ? "with this launch all nodes cost up to $" + model::format_usd(total.price) + "/h"
                                 : total.unknown;
  return Hold{std::string(cap), std::string(kLaunchCapReached),
              held_by(cap) + figure + ", limit $" + model::format_usd(limit) + "/h", now + kPriceRetry};
}

}  // namespace tenon::state

// Caps on launches: how many NodeClaims are launched within a minute, and what all nodes cost per hour. A cap fails
// closed: what cannot be counted holds launches back. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node_claim.h"
#include "model/price.h"
#include "scheduling/input/snapshot.h"

namespace tenon::state {

struct Caps {
  std::optional<int64_t> launches_per_minute;  // --max-launches-per-minute; std::nullopt: no cap
  std::optional<model::Price> hourly_price;    // --max-hourly-price, USD per hour; std::nullopt: no cap
  bool any() const { return launches_per_minute || hourly_price; }
};

// The reason why a launch, or the start of a disruption command, is not performed now.
struct Hold {
  std::string by;                     // label of the metric: "freeze", "max-launches-per-minute" or "max-hourly-price"
  std::string reason;                 // of the event and of the claim's condition
  std::string message;                // names the cap, the figure and the limit, or the ConfigMap
  std::optional<Instant> until = {};  // when to try again; std::nullopt: when the freeze ends
};
inline constexpr std::string_view kLaunchesFrozen = "LaunchesFrozen", kLaunchCapReached = "LaunchCapReached";

inline constexpr Duration kLaunchWindow = 1min;
// The API server cuts the fraction of a second off its timestamps: a launch is up to this much later than its
// timestamp.
inline constexpr Duration kTimestampError = 1s;
// The time between two attempts while the hourly price holds launches back. The price falls when another node ends, or
// is launched at less than its highest price.
inline constexpr Duration kPriceRetry = 10s;

using LaunchTimes = std::map<std::string, Instant>;  // by the NodeClaim's name
// Returns the latest time at which each claim can have been launched, as its timestamps show it: a process that has
// just started counts the launches of the one before. With `open`, claims without an instance count from their
// creation. Claims that adopted an instance are left out.
LaunchTimes launch_times(const std::vector<scheduling::NodeView>& nodes, bool open);

// Returns the hold if `wanted` launches together with those of the last minute exceed the limit.
std::optional<Hold> over_rate(int64_t limit, const LaunchTimes& launches, size_t wanted, Instant now);

// Returns the highest price of the instances that a launch of the claim may request. Errors: it is unknown.
using PriceOfLaunch = std::function<Result<model::Price>(const model::NodeClaim&)>;

// The price of nodes per hour, or the reason why it is unknown.
struct HourlyPrice {
  model::Price price{};
  std::string unknown;  // "the price of node/a is unknown: …"; empty: the price is known
  void add(const std::string& what, const Result<model::Price>& one);
};
// Returns the price of all nodes with a NodeClaim, those that are being deleted included: the price of the instance, or
// of the launch while there is no instance. With `launched`, claims without an instance that are younger than this one
// are left out; it counts itself.
HourlyPrice hourly_price(const std::vector<scheduling::NodeView>& nodes, const std::vector<scheduling::PoolView>& pools,
                         const PriceOfLaunch& price_of_launch, const model::NodeClaim* launched = nullptr);

// Returns the hold if `total`, which includes the launch, exceeds the limit or is unknown.
std::optional<Hold> over_price(model::Price limit, const HourlyPrice& total, Instant now);

}  // namespace tenon::state

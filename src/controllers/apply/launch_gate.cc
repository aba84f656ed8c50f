// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/launch_gate.h"

#include <utility>

#include "model/labels.h"

namespace tenon::controllers {
namespace {

using state::Hold;
using state::LaunchTimes;

// Adds the entries of `more`; the later time of each claim counts.
void add_times(const LaunchTimes& more, LaunchTimes& times) {
  for (const auto& [name, at] : more) {
    Instant& kept = times[name];
    kept = std::max(kept, at);
  }
}

void drop_old(LaunchTimes& times, Instant now) {
  std::erase_if(times, [now](const auto& entry) { return entry.second + state::kLaunchWindow <= now; });
}

bool overlaid(const model::NodeClaim& claim) {
  const model::StringMap& annotations = claim.meta.annotations;
  return annotations.contains(model::kAnnotationPriceOverlay) ||
         annotations.contains(model::kAnnotationCapacityOverlay);
}

}  // namespace

std::optional<Hold> LaunchGate::frozen(bool state::Frozen::* what, const std::string& whats) const {
  const state::Frozen now = services_.freeze.frozen();
  if (!(now.*what)) return std::nullopt;
  Hold hold{"freeze", std::string(state::kLaunchesFrozen), whats + " frozen " + now.by};
  if (now.unknown) hold.until = services_.runtime.now() + kFreezeRetry;
  return hold;
}

std::optional<Hold> LaunchGate::judge_disruption() const {
  return frozen(&state::Frozen::disruption, "voluntary disruption is");
}

// Returns the highest price at which the claim may be launched: from the types of its pool if overlays changed them for
// this claim, as its launch does.
Result<model::Price> LaunchGate::price_of(const model::NodeClaim& claim,
                                          const std::vector<scheduling::PoolView>& pools) const {
  for (const scheduling::PoolView& pool : pools) {
    if (overlaid(claim) && pool.pool->meta.name == claim.pool() && pool.types)
      return services_.launches.highest_price(claim, *pool.types);
  }
  const auto node_class = services_.cluster.node_class_of(claim);
  if (!node_class) return fail(Code::kUnavailable, "its node class does not exist");
  const cloud::InstanceTypes types = TRY(services_.types.known_types(*node_class));
  return services_.launches.highest_price(claim, *types);
}

std::vector<std::optional<Hold>> LaunchGate::judge_creates(const std::vector<Group>& groups) const {
  std::vector<std::optional<Hold>> holds(groups.size(), frozen(&state::Frozen::launches, "launches are"));
  if (!caps_.any() || groups.empty() || holds.front()) return holds;
  const Instant now = services_.runtime.now();
  const auto nodes = services_.cluster.node_views();
  LaunchTimes times = state::launch_times(nodes, true);
  {
    const std::lock_guard lock(mutex_);
    add_times(created_, times);
    add_times(launched_, times);
  }
  std::map<std::string, std::string> refused;
  std::vector<scheduling::PoolView> pools;
  state::HourlyPrice total;
  const auto price = [&](const model::NodeClaim& claim) { return price_of(claim, pools); };
  if (caps_.hourly_price) {
    pools = services_.cluster.pool_views(refused);
    total = state::hourly_price(nodes, pools, price);
  }
  size_t admitted = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    state::HourlyPrice after = total;
    if (caps_.launches_per_minute)
      holds[i] = state::over_rate(*caps_.launches_per_minute, times, groups[i].size(), now);
    if (caps_.hourly_price && !holds[i]) {
      for (const model::NodeClaim* claim : groups[i])
        after.add("a launch of nodepool/" + std::string(claim->pool()), price(*claim));
      holds[i] = state::over_price(*caps_.hourly_price, after, now);
    }
    if (holds[i]) continue;
    total = after;
    for (size_t n = 0; n < groups[i].size(); ++n) times["#" + std::to_string(admitted++)] = now;  // no claim's name
  }
  return holds;
}

void LaunchGate::creating(const std::string& claim) {
  const Instant now = services_.runtime.now();
  const std::lock_guard lock(mutex_);
  drop_old(created_, now);
  created_[claim] = now;
}

void LaunchGate::not_created(const std::string& claim) {
  const std::lock_guard lock(mutex_);
  created_.erase(claim);
}

// Counts the launch if nothing holds it back. A claim whose launch is repeated does not count twice.
std::optional<Hold> LaunchGate::over_rate(const std::string& claim, const std::vector<scheduling::NodeView>& nodes) {
  const Instant now = services_.runtime.now();
  LaunchTimes times = state::launch_times(nodes, false);
  const std::lock_guard lock(mutex_);
  drop_old(launched_, now);
  add_times(launched_, times);
  times.erase(claim);
  auto hold = state::over_rate(*caps_.launches_per_minute, times, 1, now);
  if (!hold) launched_[claim] = now;
  return hold;
}

Result<std::optional<Hold>> LaunchGate::judge_launch(const plan::LaunchInstance& launch) {
  if (auto freeze = frozen(&state::Frozen::launches, "launches are")) return freeze;
  if (!caps_.any()) return std::optional<Hold>();
  const auto nodes = services_.cluster.node_views();
  if (caps_.hourly_price) {
    std::map<std::string, std::string> refused;
    const auto pools = services_.cluster.pool_views(refused);
    const auto price = [&](const model::NodeClaim& claim) { return price_of(claim, pools); };
    if (const auto own = price(launch.claim); !own && own.error().code == Code::kInsufficientCapacity) {
      return fail(own.error());
    }
    const auto total = state::hourly_price(nodes, pools, price, &launch.claim);
    if (auto hold = state::over_price(*caps_.hourly_price, total, services_.runtime.now())) return hold;
  }
  if (!caps_.launches_per_minute) return std::optional<Hold>();
  return over_rate(launch.claim.meta.name, nodes);
}

}  // namespace tenon::controllers

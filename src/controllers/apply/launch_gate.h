// LaunchGate: judges launches and the start of disruption commands at the moment at which the Applier performs them, by
// the ConfigMap tenon-freeze (state/freeze_watch.h) and the caps (state/caps.h). Every launch passes it twice: when its
// NodeClaim is created, and before the cloud is called, since a NodeClaim may be older than the freeze or created by a
// user.
// Thread rule: every call may come from any thread; none blocks. Creates are judged by a plan that holds the turn, so
// that each one counts those of the plan before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud/launch_reader.h"
#include "cloud/type_reader.h"
#include "plan/plan.h"
#include "runtime/runtime.h"
#include "state/caps.h"
#include "state/cluster.h"
#include "state/freeze_watch.h"

namespace tenon::controllers {

// The pause after which a launch is tried again while the ConfigMap is not known.
inline constexpr Duration kFreezeRetry = 5s;

class LaunchGate {
 public:
  // Borrowed.
  struct Services {
    runtime::Runtime& runtime;
    const state::Cluster& cluster;
    const state::FreezeWatch& freeze;
    const cloud::LaunchReader& launches;
    cloud::TypeReader& types;
  };
  LaunchGate(Services services, state::Caps caps) : services_(services), caps_(caps) {}

  // NodeClaims that are created together or not at all.
  using Group = std::vector<const model::NodeClaim*>;
  // Returns for each group what holds it back; std::nullopt: nothing. The groups that are not held back count for the
  // later ones.
  std::vector<std::optional<state::Hold>> judge_creates(const std::vector<Group>& groups) const;
  // Returns what holds back the start of a disruption command.
  std::optional<state::Hold> judge_disruption() const;
  // A NodeClaim of this name is about to be created; the request failed, and it was not.
  void creating(const std::string& claim);
  void not_created(const std::string& claim);
  // Judges the call of the cloud for a claim that exists. std::nullopt: it is about to be made, and counts. Errors:
  // kInsufficientCapacity: the claim allows no offering that is available now.
  Result<std::optional<state::Hold>> judge_launch(const plan::LaunchInstance& launch);

 private:
  std::optional<state::Hold> frozen(bool state::Frozen::* what, const std::string& whats) const;
  Result<model::Price> price_of(const model::NodeClaim& claim, const std::vector<scheduling::PoolView>& pools) const;
  std::optional<state::Hold> over_rate(const std::string& claim, const std::vector<scheduling::NodeView>& nodes);

  const Services services_;
  const state::Caps caps_;
  mutable std::mutex mutex_;
  // The creations and launches that this process made within the last minute. They count although the NodeClaim is
  // already deleted, or its timestamps are not in the cache yet.
  state::LaunchTimes created_, launched_;
};

}  // namespace tenon::controllers

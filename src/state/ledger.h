// Ledger: the decisions of this process that the cluster does not show yet. It holds the turn to launch and remove
// nodes, nominations, marks, promised room, held drains, and the NodeClaims that were created a moment ago. In memory
// only: a new process begins with an empty ledger, and what it needs after a crash is on the objects (open_launches.h,
// the disrupted taint).
//
// Invariants. violation() checks a plan against them before any of its actions is performed:
//   turn        One caller holds the turn at most. NodeClaims are created, nodes are nominated or marked, and room is
//               promised only by a plan that holds the turn (plan::Plan::turn), so each of these decisions has read the
//               results of the previous one.
//   nomination  No node is both nominated and marked: pods would be bound to a node that is about to be removed.
//   promise     Room is promised on nodes that are not marked, and for pods only once in a plan.
//   hold        A drain is held for at most kLongestHold, so no error keeps a node from draining.
// These hold by construction: a pod has one promise at most, the latest; a NodeClaim is expected until its informer has
// delivered it, for at most kExpectFor; the deletion of a NodeClaim ends its mark and its hold.
//
// Only the executor of plans makes entries: controllers hold a const reference. Const members drop entries that have no
// effect any more.
// Thread rule: every call may come from any thread; none blocks. Handlers run on the thread whose call caused them,
// without a lock of the ledger.
// parity: karpenter pkg/controllers/state/cluster.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/node_claim.h"
#include "plan/plan.h"
#include "runtime/runtime.h"
#include "scheduling/input/snapshot.h"
#include "state/obstacle.h"
#include "state/promised_room.h"

namespace tenon::state {

// Without this limit, a claim that is created and deleted before its informer observes it would be expected forever.
// parity: karpenter state.nodeclaimgc
inline constexpr Duration kExpectFor = 15s;
// EC2 announces a reclaim two minutes ahead; the drain itself needs most of them.
inline constexpr Duration kLongestHold = 20s;

class Ledger;

// The exclusive right to launch and remove nodes. Ends with the object; the Ledger must outlive it.
class Turn {
 public:
  explicit Turn(Ledger& ledger) : ledger_(&ledger) {}
  Turn(Turn&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)) {}
  Turn& operator=(Turn&& other) noexcept {
    std::swap(ledger_, other.ledger_);
    return *this;
  }
  ~Turn();

 private:
  Ledger* ledger_;  // null: moved from
};

// An action that would break an invariant.
struct Violation {
  std::string invariant;  // its name in the list above
  size_t action = 0;      // the index in the plan
  std::string what;       // "Nominate n1: the node is marked for deletion"
};

class Ledger {
 public:
  explicit Ledger(runtime::Runtime& runtime, Duration nomination_window = 20s);  // twice the batch window, min. 10 s

  // Serializes decisions: each must observe the launches and removals of the previous one. Read turns(), take the
  // snapshot and decide. take_turn() then returns std::nullopt if another caller took a turn since turns() was read, or
  // holds one now: decide again.
  uint64_t turns() const;
  std::optional<Turn> take_turn(uint64_t seen);

  // Records that pods are to be bound to this node (by Node or NodeClaim name). For the nomination window it is no
  // disruption candidate.
  void nominate(const std::string& name);
  // A disruption command chose this node. `node`: the name of its Node; empty: none has joined.
  void mark(const std::string& claim, const std::string& node);
  void unmark(const std::string& claim);
  std::vector<std::string> marked() const;  // names of NodeClaims
  // Sets `nominated` and `marked_for_deletion` of each view.
  void annotate(std::vector<scheduling::NodeView>& views, Instant now) const;

  // Room that is reserved for the pods of marked nodes; see promised_room.h.
  void promise(const std::string& node, const std::vector<std::string>& pods) { promised_room_.promise(node, pods); }
  std::set<std::string> keep_promises(scheduling::Snapshot& snapshot) const { return promised_room_.keep(snapshot); }

  // Delays the eviction of a removed claim's pods until the provisioner has launched nodes for them (release_drain), or
  // until `until`.
  void hold_drain(const std::string& claim, Instant until);
  // Ends the hold as soon as the launches that are open now have succeeded or failed. No effect without a hold.
  void release_drain(const std::string& claim);
  // Returns when the claim's hold ends at the latest; std::nullopt: it is not held.
  std::optional<Instant> drain_held_until(const std::string& claim) const;
  std::set<std::string> held_drains() const;  // NodeClaim names
  // The handler is called when a hold ends by its release. It is not called when the time of a hold is up. Register it
  // before the first hold.
  void on_drain_released(std::function<void(const std::string& claim)> handler) const;

  // Adds a claim that the API server has accepted to the state before its informer delivers it.
  void expect(model::NodeClaim claim);
  std::vector<std::shared_ptr<const model::NodeClaim>> expected() const;
  // A change of the cached NodeClaim; `after` null: it is deleted.
  void claim_changed(const std::string& name, const model::NodeClaim* after);

  // No caller holds the turn, and no claim is expected.
  bool settled() const;
  // Returns why settled() is false.
  std::vector<Obstacle> obstacles() const;
  // Notified when settled() may have become true. Without a notification it becomes true at next_expiry() at the
  // latest, unless a caller holds the turn.
  runtime::Event& changes() { return *changes_; }
  Instant next_expiry() const;

  // Returns the first action that would break an invariant, considering the actions before it.
  std::optional<Violation> violation(const plan::Plan& plan) const;

 private:
  friend class Turn;
  friend class PlanCheck;  // ledger_check.cc
  struct Held {
    Instant until{};
    std::optional<std::set<std::string>> awaited;  // after the release: claims whose launch was open at that time
  };
  struct Expected {
    std::shared_ptr<const model::NodeClaim> claim;
    Instant until{};
  };
  void end_turn();
  // All need mutex_.
  bool nominated(const std::string& name, Instant now) const;
  void drop_stale() const;
  // Removes the claim from what holds await. Returns the claims whose hold has ended.
  std::vector<std::string> launch_ended(const std::string& claim);
  // Does not need mutex_.
  void tell_released(const std::vector<std::string>& claims) const;

  runtime::Runtime& runtime_;
  const Duration nomination_window_;
  const std::unique_ptr<runtime::Event> changes_;
  mutable std::vector<std::function<void(const std::string&)>> on_released_;
  mutable PromisedRoom promised_room_;
  mutable std::mutex mutex_;
  uint64_t turns_ = 0;  // that were taken
  bool in_turn_ = false;
  Instant turn_since_{};
  mutable std::map<std::string, Instant> nominated_until_;  // by Node or NodeClaim name
  std::map<std::string, std::string> marked_;               // NodeClaim name → Node name
  std::map<std::string, Held> held_;                        // by NodeClaim name
  std::set<std::string> cached_, open_;               // NodeClaims that the informer has delivered; with an open launch
  mutable std::map<std::string, Expected> expected_;  // by NodeClaim name
};

}  // namespace tenon::state

// The pods that wait for a node: ready (by priority, then arrival), backing off, or waiting for a change.
// parity: pkg/scheduler/backend/queue. Owned by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "kubesim/actors/timers.h"
#include "kubesim/scheduler/pod_info.h"

namespace tenon::kubesim {

class SchedulingQueue {
 public:
  using Pod = std::shared_ptr<const PodInfo>;
  // Adds a new pod or an update of a waiting one: it becomes ready, unless it still backs off or is gated.
  void add(const Pod& pod, Instant now);
  // Updates a pod of which only the status changed. Causes no attempt.
  void refresh(const Object& pod);
  void remove(const ObjectKey& key);
  // Returns the next ready pod, or std::nullopt. It stays in the queue as in flight until add, failed or remove.
  std::optional<Pod> pop();
  // Reports a failed attempt: the pod waits for wake() or the flush time.
  void failed(const Pod& pod, Instant now);
  // Makes the waiting pods for which `worth_it` holds ready once their back-off is over.
  void wake(Instant now, const std::function<bool(const PodInfo&)>& worth_it);
  // Moves the pods whose time has come; next_due() is the time for the next call.
  void tick(Instant now);
  Instant next_due() const;
  bool has_ready() const { return !ready_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  enum class State { kReady, kBackingOff, kWaiting, kInFlight };
  struct Entry {
    Pod pod;
    State state = State::kReady;
    uint64_t arrival = 0;
    int attempts = 0;
    Instant failed_at;
    uint64_t turn = 0;  // a timer with another turn is stale
  };
  struct Timer {
    ObjectKey key;
    uint64_t turn;
  };
  using Rank = std::tuple<int64_t, uint64_t, ObjectKey>;  // priority (highest first), arrival
  static Rank rank(const Entry& entry) { return {-int64_t{entry.pod->priority}, entry.arrival, entry.pod->key}; }
  void move(Entry& entry, State state);
  void retry(Entry& entry, Instant now);
  static Instant retry_at(const Entry& entry);

  std::map<ObjectKey, Entry> entries_;
  std::set<Rank> ready_;
  Timers<Timer> timers_;
  uint64_t arrivals_ = 0;
};

}  // namespace tenon::kubesim

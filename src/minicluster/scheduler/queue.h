// The pods that wait for a node: ready to try (by priority, then arrival), backing off, or waiting for something to
// change. parity: pkg/scheduler/backend/queue. Owned by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "minicluster/actors/timers.h"
#include "minicluster/scheduler/pod_info.h"

namespace tenon::minicluster {

class SchedulingQueue {
 public:
  using Pod = std::shared_ptr<const PodInfo>;
  // A new pod, or a change of one that waits: it becomes ready to try, unless it still backs off.
  void add(const Pod& pod, Instant now);
  // Only its status changed: nothing that is worth an attempt.
  void refresh(const Object& pod);
  void remove(const ObjectKey& key);
  // The next pod to try; it stays known (as in flight) until add, failed or remove.
  std::optional<Pod> pop();
  // The attempt failed: the pod waits for wake().
  void failed(const Pod& pod, Instant now);
  // Waiting pods for which `worth_it` holds may try again once their back-off is over.
  void wake(Instant now, const std::function<bool(const PodInfo&)>& worth_it);
  // Moves what is due; next_due says when to call again.
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
    uint64_t turn = 0;  // outdates timers
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

}  // namespace tenon::minicluster

// A queue of keys for reconcilers: a key waits at most once, no two workers process it at once, and it is queued again
// if it is added while being processed. As client-go's rate-limited work queue. Bounded: the keys do not outnumber the
// objects. A key wakes one waiting worker, regardless of their number.
//
//   while (auto key = queue.get(stop)) {
//     if (reconcile(*key)) queue.forget(*key); else queue.add_rate_limited(*key);
//     queue.done(*key);
//   }
//
// Thread rule: every call may come from any thread; only get() blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace tenon::runtime {

class WorkQueue {
 public:
  struct Options {
    Duration base_delay = 5ms;  // of the first retry of a key; doubles with each
    Duration max_delay = 1000s;
  };

  explicit WorkQueue(Runtime& runtime) : WorkQueue(runtime, Options()) {}
  WorkQueue(Runtime& runtime, Options options);

  void add(const std::string& key);
  // Queues the key no earlier than `delay` from now; the earliest of several calls counts.
  void add_after(const std::string& key, Duration delay);
  // Queues the key after its own back-off, which doubles until forget().
  void add_rate_limited(const std::string& key);
  void add_rate_limited(const std::string& key, Duration base_delay);  // for a failure with another base delay
  void forget(const std::string& key);
  // Returns the next due key, in order of due time, then name; std::nullopt once stop is requested.
  std::optional<std::string> get(const std::stop_token& stop);
  // The same; sets `due` to the time since which the key could be processed.
  std::optional<std::string> get(const std::stop_token& stop, Instant& due);
  // Must follow each get(); queues the key again if it was added in the meantime.
  void done(const std::string& key);
  // Due or delayed keys, without those being processed.
  size_t size() const;
  // Keys that wait for a worker now.
  size_t due() const;

 private:
  using Worker = std::shared_ptr<Event>;  // the event that a worker waits on
  // All need mutex_.
  void put(const std::string& key, Instant due);
  std::optional<std::string> take_due(Instant now, Instant& due);
  void leave(const Worker& me);
  Worker whom_to_wake();
  // Does not need mutex_.
  static void wake(const Worker& worker) {
    if (worker) worker->notify();
  }

  Runtime& runtime_;
  const Options options_;
  mutable std::mutex mutex_;
  // One waiting worker (the keeper) waits for the first due key; the others wait until they are woken.
  Worker keeper_;
  Instant kept_ = kNever;                            // the keeper's wake-up time
  std::vector<Worker> waiting_;                      // the other waiting workers; the last is woken first
  std::map<std::string, Instant> due_;               // key → due time
  std::set<std::pair<Instant, std::string>> order_;  // the same, by time
  std::set<std::string> working_;
  std::map<std::string, Instant> again_;  // added while being processed
  std::map<std::string, int> failures_;
};

}  // namespace tenon::runtime

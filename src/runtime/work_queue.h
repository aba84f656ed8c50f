// A queue of keys for reconcilers: a key waits at most once, is never worked on by two workers, and comes back if it
// was added while being worked on. As client-go's rate-limited work queue. Bounded: a set of keys cannot outgrow the
// objects. A key wakes one of the workers that wait, whatever their number.
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
  // No earlier than `delay` from now; the earliest of several wins.
  void add_after(const std::string& key, Duration delay);
  // After this key's own back-off, which doubles until forget().
  void add_rate_limited(const std::string& key);
  void add_rate_limited(const std::string& key, Duration base_delay);  // which another kind of failure may have
  void forget(const std::string& key);
  // The next due key, in order of due time, then name; nothing once stop is requested.
  std::optional<std::string> get(const std::stop_token& stop);
  // Must follow each get(); hands the key on if it was added meanwhile.
  void done(const std::string& key);
  // Due or waiting for their time; without those being worked on.
  size_t size() const;

 private:
  using Worker = std::shared_ptr<Event>;  // who waits on it
  // All under mutex_.
  void put(const std::string& key, Instant due);
  std::optional<std::string> take_due(Instant now);
  void leave(const Worker& me);
  Worker whom_to_wake();
  // Without mutex_.
  static void wake(const Worker& worker) {
    if (worker) worker->notify();
  }

  Runtime& runtime_;
  const Options options_;
  mutable std::mutex mutex_;
  // Of the workers that wait, one keeps the time of the first key; the others wait until they are called.
  Worker keeper_;
  Instant kept_ = kNever;                            // until when it sleeps
  std::vector<Worker> waiting_;                      // the others; the last is called first
  std::map<std::string, Instant> due_;               // key → when
  std::set<std::pair<Instant, std::string>> order_;  // the same, by time
  std::set<std::string> working_;
  std::map<std::string, Instant> again_;  // added while being worked on
  std::map<std::string, int> failures_;
};

}  // namespace tenon::runtime

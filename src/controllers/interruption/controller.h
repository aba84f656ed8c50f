// Hears what the cloud says of its instances, by a queue (if there is one) and by asking for their status, and lets go
// of those that will not stay; see decide.h.
// parity: provider-aws pkg/controllers/interruption
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "controllers/context.h"
#include "controllers/interruption/dispatcher.h"

namespace tenon::controllers::interruption {

inline constexpr Duration kPollWait = 20s;   // for the first message
inline constexpr Duration kFirstRetry = 1s;  // after the queue could not be read; doubles
inline constexpr Duration kLastRetry = 1min;
inline constexpr Duration kUntilSeen = 1min;       // that a claim which we deleted is being deleted
inline constexpr Duration kStatusInterval = 1min;  // between looks at the instances' statuses

class Controller {
 public:
  // `queue` may be null; it is borrowed.
  Controller(Context& context, cloud::InterruptionQueue* queue);
  void start();
  void stop();

 private:
  void read_queue(const std::stop_token& stop);
  void watch_statuses(const std::stop_token& stop);
  Status look_at_statuses(const std::stop_token& stop);
  Result<Handled> handle(const std::string& instance_id, const cloud::Interruption& what, const std::stop_token& stop);

  void note_told(const std::string& uid, Instant now);
  bool was_told(const std::string& uid);

  Context& context_;
  cloud::InterruptionQueue* const queue_;
  std::mutex mutex_;
  std::map<std::string, Instant> told_;       // claims that we deleted, by uid, until the cache shows it; by mutex_
  std::set<cloud::SickInstance> known_sick_;  // of ours, at the last look
  std::unique_ptr<runtime::Task> reader_, watcher_;
};

}  // namespace tenon::controllers::interruption

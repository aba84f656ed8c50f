// Receives the cloud's notices about instances, from a queue (if configured) and by polling instance statuses, and
// deletes the NodeClaims of instances that are about to end; see decide.h.
// parity: provider-aws pkg/controllers/interruption
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cloud/health_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/interruption/dispatcher.h"

namespace tenon::controllers::interruption {

inline constexpr Duration kPollWait = 20s;   // for the first message of a round
inline constexpr Duration kFirstRetry = 1s;  // after a failed read of the queue; doubles
inline constexpr Duration kLastRetry = 1min;
inline constexpr Duration kUntilSeen = 1min;       // until the cache shows that a claim we deleted is being deleted
inline constexpr Duration kStatusInterval = 1min;  // between reads of the instances' statuses

class Controller final : public controllers::Controller {
 public:
  // `queue` may be null; it is borrowed.
  Controller(Context& context, cloud::HealthReader& health, cloud::InterruptionQueue* queue);
  void start() override;
  void stop() override;

 private:
  void read_queue(const std::stop_token& stop);
  void watch_statuses(const std::stop_token& stop);
  Status poll_statuses(const std::stop_token& stop);
  Result<Handled> handle(const std::string& instance_id, const cloud::Interruption& what, const std::stop_token& stop);

  void record_deletion(const std::string& uid, Instant now);
  bool recently_deleted(const std::string& uid);

  Context& context_;
  cloud::HealthReader& health_;
  cloud::InterruptionQueue* const queue_;
  std::mutex mutex_;
  std::map<std::string, Instant> deleted_at_;  // claims that we deleted: uid → time; for kUntilSeen; by mutex_
  std::set<cloud::SickInstance> known_sick_;   // unhealthy instances of ours at the last read
  std::unique_ptr<runtime::Task> reader_, watcher_;
};

}  // namespace tenon::controllers::interruption

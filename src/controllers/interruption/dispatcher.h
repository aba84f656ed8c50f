// Dispatcher: empties a queue of interruptions. The queue returns its messages in any order, ten at a time. Urgent
// messages are handled as soon as they are read; the others when the end of the queue, kMaxBacklog or kReadFor is
// reached. Messages that could not be handled stay in the queue and are delivered again.
// parity: provider-aws pkg/controllers/interruption/controller.go, which handles ten messages before it reads on
// Thread rule: round() from one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "cloud/interruption.h"
#include "controllers/metrics.h"
#include "log/log.h"
#include "runtime/runtime.h"

namespace tenon::controllers::interruption {

inline constexpr size_t kWidth = 10;           // parallel calls of the queue, or instances handled in parallel
inline constexpr size_t kMaxBacklog = 20'000;  // messages read before the non-urgent ones are handled
// Limit of the time spent on reading: messages must be handled before they become visible again.
inline constexpr Duration kReadFor = cloud::kInterruptionVisibility / 2;

enum class Handled { kDone, kForeign, kDuplicate };  // kForeign: no NodeClaim of ours has the instance

class Dispatcher {
 public:
  // Called from up to kWidth threads, never concurrently for one instance.
  using Handle = std::function<Result<Handled>(const std::string& instance_id, const cloud::Interruption& what,
                                               const std::stop_token& stop)>;
  struct Services {
    runtime::Runtime& runtime;
    cloud::InterruptionQueue& queue;
    Metrics& metrics;
    tenon::log::Logger log;
  };
  Dispatcher(Services services, Handle handle) : services_(std::move(services)), handle_(std::move(handle)) {}

  // Waits at most `wait` for a message and handles all that the queue holds. Errors: those of the first read. An error
  // of a later read is logged and ends only that reader.
  Status round(Duration wait, const std::stop_token& stop);

 private:
  using Message = cloud::QueuedInterruption;
  using Messages = std::vector<Message>;
  static constexpr size_t kLanes = 4;  // by urgency

  void sort_in(Messages messages);
  bool read_more(const std::stop_token& stop);  // false if nothing more came
  void handle(Messages messages, const std::stop_token& stop);
  void remove(const std::vector<std::string>& receipts, const std::stop_token& stop);
  size_t backlog() const;

  Services services_;
  const Handle handle_;
  std::array<Messages, kLanes> lanes_;
};

}  // namespace tenon::controllers::interruption

// Dispatcher: empties a queue of interruptions. The queue gives its messages in any order, ten at a time; however deep
// it is, what is urgent is handled as soon as it is seen and the rest when the queue has been read to its end.
// Messages that could not be handled stay in the queue and come again.
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
#include "runtime/runtime.h"

namespace tenon::controllers::interruption {

inline constexpr size_t kWidth = 10;           // calls of the queue, or instances handled, at once
inline constexpr size_t kMaxBacklog = 20'000;  // messages read before those that are not urgent are handled
// And the time spent on reading them: they must be handled before they become visible again.
inline constexpr Duration kReadFor = cloud::kInterruptionVisibility / 2;

enum class Handled { kDone, kForeign, kDuplicate };  // foreign: an instance that no NodeClaim of ours has

class Dispatcher {
 public:
  // From up to kWidth threads, never twice at once for one instance.
  using Handle = std::function<Result<Handled>(const std::string& instance_id, const cloud::Interruption& what,
                                               const std::stop_token& stop)>;
  struct Services {
    runtime::Runtime& runtime;
    cloud::InterruptionQueue& queue;
    Metrics& metrics;
    std::function<void(const std::string& key, const Error& error)> failed;
  };
  Dispatcher(Services services, Handle handle) : services_(std::move(services)), handle_(std::move(handle)) {}

  // Waits for a message, at most this long, and handles all that the queue holds. Errors: of the first read; later ones
  // end the reading, not the handling.
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

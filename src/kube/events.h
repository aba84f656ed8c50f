// Writes core/v1 Events about objects, with Karpenter's deduplication: an equal reason about the same object is not
// written again within its window. record() only queues; one thread writes the queue in order, so that no event delays
// a decision. An event is dropped, and counted by reason in tenon_events_dropped_total, if the queue is full, if the
// rate limit of its object or its reason is exceeded, or after stop(). A dropped event may be recorded again at once.
// While the API server does not respond, the queue waits; an event that the server rejects is not sent again.
// parity: karpenter pkg/events/recorder.go (source component "karpenter"); client-go tools/record
// Thread rule: record() from any thread, never blocks; start() and stop() from the owner's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kube/client.h"
#include "kube/expiries.h"
#include "metrics/registry.h"
#include "runtime/rate_limiter.h"

namespace tenon::kube {

struct EventSubject {
  std::string api_version, kind, ns, name, uid;
};

class EventRecorder {
 public:
  struct Event {
    EventSubject about;
    std::string type, reason, message;
    Duration dedupe = 2min;
  };
  // Called on the writing thread with an error that lost an event, at most once in kEventFailureReport.
  using OnFailure = std::function<void(const Error& error)>;

  // Borrows all arguments; they must outlive it. `on_failure` may be empty.
  EventRecorder(runtime::Runtime& runtime, Client& client, metrics::Registry& registry, OnFailure on_failure = {});
  ~EventRecorder();  // stops

  // Returns false for a repetition or a dropped event. Before start(), events are only queued; after stop(), they are
  // dropped.
  bool record(Event event);
  void start();
  // Writes the queued events, for at most kEventDrain.
  void stop();

 private:
  struct Queued {
    Event event;
    Instant at;
    uint64_t number = 0;
  };
  std::string_view why_dropped(const Event& event, const std::string& key, Instant now);  // needs mutex_; empty: kept
  void work(const std::stop_token& stop);
  std::optional<Queued> next(const std::stop_token& stop);
  void write(const Queued& queued, const std::stop_token& stop);
  void report(const Error& error);

  runtime::Runtime& runtime_;
  Client& client_;
  metrics::Counter& written_;
  metrics::Counter& failed_;
  metrics::Counter& dropped_;
  const OnFailure on_failure_;
  runtime::RateLimiter writes_, nominations_;
  const std::unique_ptr<runtime::Event> changed_, finished_;
  std::mutex mutex_;
  std::deque<Queued> queue_;
  bool stopping_ = false;
  uint64_t number_ = 0;           // of the last queued event
  Expiries silent_until_;         // by object and reason
  Expiries bucket_full_at_;       // by object and reason: when the full burst is available again
  runtime::TokenBucket reports_;  // used by the writing thread only
  std::unique_ptr<runtime::Task> writer_;
};

}  // namespace tenon::kube

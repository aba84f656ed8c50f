// Writes core/v1 Events about objects, with Karpenter's deduplication: an equal reason about the same object is not
// written again within its window. Never fails its caller: an event that cannot be written is logged and dropped.
// parity: karpenter pkg/events/recorder.go (source component "karpenter")
// Thread rule: record() from any thread; it may block on the API server until `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "kube/client.h"

namespace tenon::kube {

struct EventSubject {
  std::string api_version, kind, ns, name, uid;
};

class EventRecorder {
 public:
  EventRecorder(runtime::Runtime& runtime, Client& client) : runtime_(runtime), client_(client) {}

  struct Event {
    EventSubject about;
    std::string type, reason, message;
    Duration dedupe = 2min;
  };
  // False if it was a repetition or could not be written.
  bool record(const Event& event, const std::stop_token& stop);

 private:
  runtime::Runtime& runtime_;
  Client& client_;
  std::mutex mutex_;
  std::map<std::string, Instant> silent_until_;  // by uid and reason; swept when it grows
};

}  // namespace tenon::kube

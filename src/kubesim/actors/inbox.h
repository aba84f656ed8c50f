// Combines several watches behind one Event, so that one actor follows several resources.
//
//   Inbox inbox(runtime, api, {kPods, kNodes});
//   while (true) {
//     const uint64_t seen = inbox.version();
//     for (const WatchEvent& e : inbox.take(0)) …             // kPods: includes this actor's own writes
//     if (inbox.wait(seen, next_deadline, stop) == runtime::Wake::kStopped) return;
//   }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kubesim/api.h"

namespace tenon::kubesim {

// Owned and used by one actor's thread (constructed before it starts).
class Inbox {
 public:
  Inbox(runtime::Runtime& runtime, Api& api, const std::vector<Resource>& resources);
  uint64_t version() const { return event_->version(); }
  std::vector<WatchEvent> take(size_t index) { return watches_[index]->take(); }
  runtime::Wake wait(uint64_t seen, Instant deadline, const std::stop_token& stop) {
    return event_->wait(seen, deadline, stop);
  }
  const std::shared_ptr<runtime::Event>& event() const { return event_; }

 private:
  std::shared_ptr<runtime::Event> event_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace tenon::kubesim

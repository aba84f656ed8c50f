// Several watches behind one Event, so that one actor follows several resources.
//
//   Inbox inbox(runtime, api, waker, {kPods, kNodes});
//   while (true) {
//     const uint64_t seen = inbox.version();
//     for (const WatchEvent& e : inbox.take(0)) …             // kPods: includes this actor's own writes
//     if (inbox.wait(seen, next_deadline, stop) == runtime::Wake::kStopped) return;
//   }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "minicluster/api.h"

namespace tenon::minicluster {

// One thread per resource, shared by all actors: it only says that something changed. Thread-safe. Outlives its
// subscribers' last subscribe(); the destructor stops and joins the threads.
class Waker {
 public:
  Waker(runtime::Runtime& runtime, Api& api);
  ~Waker();
  void subscribe(const Resource& resource, std::shared_ptr<runtime::Event> event);
  // Notifies `event` whenever `source` is; `source` must outlive the Waker.
  void forward(runtime::Event& source, std::shared_ptr<runtime::Event> event);

 private:
  struct Subscribers;
  void notify(Subscribers& subscribers);

  runtime::Runtime& runtime_;
  Api& api_;
  std::mutex mutex_;
  std::map<Resource, std::shared_ptr<Subscribers>> subscribers_;
  std::vector<std::unique_ptr<runtime::Task>> tasks_;
};

// Owned and used by one actor's thread (constructed before it starts).
class Inbox {
 public:
  Inbox(runtime::Runtime& runtime, Api& api, Waker& waker, const std::vector<Resource>& resources);
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

}  // namespace tenon::minicluster

// SPDX-License-Identifier: Apache-2.0
#include "minicluster/actors/inbox.h"

#include <string>

namespace tenon::minicluster {

struct Waker::Subscribers {
  std::vector<std::shared_ptr<runtime::Event>> events;
};

Waker::Waker(runtime::Runtime& runtime, Api& api) : runtime_(runtime), api_(api) {}

Waker::~Waker() {
  for (const auto& task : tasks_) task->request_stop();
  tasks_.clear();
}

void Waker::notify(Subscribers& subscribers) {
  std::vector<std::shared_ptr<runtime::Event>> events;
  {
    const std::lock_guard lock(mutex_);
    events = subscribers.events;
  }
  for (const auto& event : events) event->notify();
}

void Waker::subscribe(const Resource& resource, std::shared_ptr<runtime::Event> event) {
  {
    const std::lock_guard lock(mutex_);
    auto& slot = subscribers_[resource];
    if (slot != nullptr) {
      slot->events.push_back(std::move(event));
      return;
    }
    slot = std::make_shared<Subscribers>();
    slot->events.push_back(std::move(event));
  }
  auto task = runtime_.spawn("wake-" + resource.plural, [this, resource](const std::stop_token& stop) {
    const auto watch = api_.watch(resource);
    std::shared_ptr<Subscribers> subscribers;
    {
      const std::lock_guard lock(mutex_);
      subscribers = subscribers_.at(resource);
    }
    while (watch->wait(kNever, stop) == runtime::Wake::kNotified) {
      watch->take();  // each subscriber has its own cursor
      notify(*subscribers);
    }
  });
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
}

void Waker::forward(runtime::Event& source, std::shared_ptr<runtime::Event> event) {
  auto task = runtime_.spawn("wake-instances", [&source, event](const std::stop_token& stop) {
    uint64_t seen = source.version();
    event->notify();
    while (source.wait(seen, kNever, stop) == runtime::Wake::kNotified) {
      seen = source.version();
      event->notify();
    }
  });
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
}

Inbox::Inbox(runtime::Runtime& runtime, Api& api, Waker& waker, const std::vector<Resource>& resources)
    : event_(runtime.make_event()) {
  for (const Resource& resource : resources) {
    watches_.push_back(api.watch(resource));
    waker.subscribe(resource, event_);
  }
}

}  // namespace tenon::minicluster

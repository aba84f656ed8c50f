// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "json/json.h"
#include "kubesim/store/store.h"

namespace tenon::kubesim {
namespace {

StoreKey key_of(const Object& object) {
  return {std::string(json::string_at(*object, {"metadata", "namespace"})),
          std::string(json::string_at(*object, {"metadata", "name"}))};
}

uint64_t revision_of(const Object& object) {
  return std::strtoull(std::string(json::string_at(*object, {"metadata", "resourceVersion"})).c_str(), nullptr, 10);
}

// Stores the objects that it has returned, so that it can compute the differences after the log was compacted past it.
class StoreWatch : public Watch {
 public:
  StoreWatch(Store& store, Resource resource)
      : store_(store), resource_(std::move(resource)), changed_(store_.changed(resource_)) {}

  runtime::Wake wait(Instant deadline, const std::stop_token& stop) override {
    while (true) {
      const uint64_t seen = changed_.version();
      if (!listed_ || behind()) return stop.stop_requested() ? runtime::Wake::kStopped : runtime::Wake::kNotified;
      const runtime::Wake wake = changed_.wait(seen, deadline, stop);
      if (wake != runtime::Wake::kNotified) return wake;
    }
  }

  std::vector<WatchEvent> take() override {
    if (!listed_) return relist();
    auto changes = store_.changes_since(resource_, revision_);
    if (!changes) return relist();
    revision_ = changes->revision;
    for (const WatchEvent& event : changes->events) {
      if (event.type == WatchEvent::Type::kDeleted)
        known_.erase(key_of(event.object));
      else
        known_[key_of(event.object)] = event.object;
    }
    return std::move(changes->events);
  }

 private:
  bool behind() const {
    const auto changes = store_.changes_since(resource_, revision_, 1);
    return !changes || !changes->events.empty();
  }

  std::vector<WatchEvent> relist() {
    const ObjectList list = store_.list(resource_, "");
    std::vector<WatchEvent> events;
    std::map<StoreKey, Object> now;
    for (const Object& object : list.items) now.emplace(key_of(object), object);
    for (const auto& [key, object] : known_) {
      const auto found = now.find(key);
      const bool same = found != now.end() && json::string_at(*found->second, {"metadata", "uid"}) ==
                                                  json::string_at(*object, {"metadata", "uid"});
      if (!same) events.push_back({WatchEvent::Type::kDeleted, list.resource_version, object, object});
    }
    for (const auto& [key, object] : now) {
      const auto found = known_.find(key);
      const bool same = found != known_.end() && json::string_at(*found->second, {"metadata", "uid"}) ==
                                                     json::string_at(*object, {"metadata", "uid"});
      if (!same) {
        events.push_back({WatchEvent::Type::kAdded, revision_of(object), object, nullptr});
      } else if (found->second != object) {
        events.push_back({WatchEvent::Type::kModified, revision_of(object), object, found->second});
      }
    }
    known_ = std::move(now);
    revision_ = list.resource_version;
    listed_ = true;
    return events;
  }

  Store& store_;
  const Resource resource_;
  runtime::Event& changed_;
  bool listed_ = false;
  uint64_t revision_ = 0;
  std::map<StoreKey, Object> known_;
};

}  // namespace

std::unique_ptr<Watch> make_store_watch(Store& store, Resource resource) {
  return std::make_unique<StoreWatch>(store, std::move(resource));
}

}  // namespace tenon::kubesim

// Joined<T>: several caches as one, because one engine serves two generations of an API. Objects of the current
// generation have their name as key, those of the earlier one a prefix before it ("provisioner/default").
//
// `adapt` changes an object of the earlier generation each time it is read, for settings that are kept elsewhere;
// refresh() tells all handlers that its result may have changed.
// Thread rule: as Informer. Handlers run on the threads of all caches, and on the caller's of refresh().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/informer.h"

namespace tenon::kube {

template <class T>
class Joined {
 public:
  using Ptr = typename Informer<T>::Ptr;
  using Change = typename Informer<T>::Change;
  using Adapt = std::function<T(const T&)>;
  struct Earlier {
    Informer<T>& cache;
    std::string prefix;  // of the keys of its objects
  };

  // Borrows the caches.
  Joined(Informer<T>& current, std::vector<Earlier> earlier, Adapt adapt)
      : current_(current), earlier_(std::move(earlier)), adapt_(std::move(adapt)) {
    for (const Earlier& source : earlier_) {
      source.cache.on_change([this, prefix = source.prefix](const Change& change) {
        const std::lock_guard lock(mutex_);
        if (change.after) {
          seen_[prefix + change.key] = adapted(change.after);
        } else {
          seen_.erase(prefix + change.key);
        }
      });
    }
  }

  Ptr get(const std::string& key) const {
    for (const Earlier& source : earlier_) {
      if (key.starts_with(source.prefix)) return adapted(source.cache.get(key.substr(source.prefix.size())));
    }
    return current_.get(key);
  }
  // By key within each cache, the current generation first.
  std::vector<Ptr> list() const {
    std::vector<Ptr> all = current_.list();
    for (const Ptr& one : earlier_objects()) all.push_back(adapted(one));
    return all;
  }
  size_t size() const { return current_.size() + earlier_objects().size(); }

  // Set it before start().
  void on_change(std::function<void(const Change&)> handler) {
    current_.on_change(handler);
    for (const Earlier& source : earlier_) {
      source.cache.on_change([this, handler, prefix = source.prefix](const Change& change) {
        handler({prefix + change.key, adapted(change.before), adapted(change.after)});
      });
    }
    handlers_.push_back(std::move(handler));
  }
  // The handlers get the object as refresh() last saw it, and as it is now.
  void refresh() {
    for (const Ptr& one : earlier_objects()) {
      const Ptr now = adapted(one);
      Ptr before;
      {
        const std::lock_guard lock(mutex_);
        before = std::exchange(seen_[now->meta.name], now);
      }
      if (before && *before == *now) continue;
      for (const auto& handler : handlers_) handler({now->meta.name, before ? before : now, now});
    }
  }

 private:
  Ptr adapted(const Ptr& object) const { return object ? std::make_shared<const T>(adapt_(*object)) : object; }
  std::vector<Ptr> earlier_objects() const {
    std::vector<Ptr> all;
    for (const Earlier& source : earlier_) {
      for (Ptr& one : source.cache.list()) all.push_back(std::move(one));
    }
    return all;
  }

  Informer<T>& current_;
  const std::vector<Earlier> earlier_;
  const Adapt adapt_;
  std::vector<std::function<void(const Change&)>> handlers_;
  std::mutex mutex_;
  std::map<std::string, Ptr> seen_;  // of the earlier generation, by key: for refresh()
};

}  // namespace tenon::kube

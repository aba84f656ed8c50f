// A value that is reloaded when it has expired: one caller loads it, the others get the old value or wait for the
// first.
//
//   Refreshed<Prices> prices(runtime, {.good_for = 12h});
//   auto book = TRY(prices.get([&] { return load(stop); }, stop));
//
// Thread rule: any thread. No lock is held while `load` runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

struct RefreshPolicy {
  Duration good_for = 1min;
  Duration retry_after = 30s;  // minimum time between a failed refresh and the next one while there is an old value
};

template <class T>
class Refreshed {
 public:
  using Value = std::shared_ptr<const T>;
  Refreshed(runtime::Runtime& runtime, RefreshPolicy policy)
      : runtime_(runtime), policy_(policy), loaded_(runtime.make_event()) {}

  // Errors: those of `load` if there is no old value; kCancelled.
  Result<Value> get(const std::function<Result<T>()>& load, const std::stop_token& stop) {
    while (true) {
      const uint64_t seen = loaded_->version();
      {
        const std::scoped_lock lock(mutex_);
        if (value_ && (runtime_.now() < good_until_ || loading_)) return value_;
        if (!loading_) {
          loading_ = true;
          break;
        }
      }
      if (loaded_->wait(seen, kNever, stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "stopped");
    }
    Result<T> fresh = load();
    Result<Value> answer = settle(std::move(fresh));
    loaded_->notify();
    return answer;
  }

  // Returns the value without loading, of any age; null before the first load. Never blocks.
  Value known() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

  // Makes the next get() load.
  void expire() {
    const std::scoped_lock lock(mutex_);
    good_until_ = Instant{};
  }

 private:
  Result<Value> settle(Result<T> fresh) {
    const std::scoped_lock lock(mutex_);
    loading_ = false;
    if (fresh) {
      value_ = std::make_shared<const T>(std::move(*fresh));
      good_until_ = runtime_.now() + policy_.good_for;
    } else if (value_) {
      good_until_ = runtime_.now() + policy_.retry_after;
    } else {
      return fail(std::move(fresh).error());
    }
    return value_;
  }

  runtime::Runtime& runtime_;
  const RefreshPolicy policy_;
  const std::unique_ptr<runtime::Event> loaded_;
  mutable std::mutex mutex_;
  Value value_;
  Instant good_until_{};
  bool loading_ = false;
};

// Values by key, each dropped a fixed time after put(). Thread rule: any thread.
template <class Key, class T>
class TtlMap {
 public:
  TtlMap(runtime::Runtime& runtime, Duration ttl) : runtime_(runtime), ttl_(ttl) {}

  std::optional<T> find(const Key& key) const {
    const std::scoped_lock lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end() || runtime_.now() >= it->second.until) return std::nullopt;
    return it->second.value;
  }
  void put(const Key& key, T value) {
    const Instant now = runtime_.now();
    const std::scoped_lock lock(mutex_);
    if (now >= next_sweep_) {  // rarely, so that many puts stay fast
      std::erase_if(entries_, [now](const auto& entry) { return now >= entry.second.until; });
      next_sweep_ = now + ttl_;
    }
    entries_[key] = {std::move(value), now + ttl_};
  }
  void erase(const Key& key) {
    const std::scoped_lock lock(mutex_);
    entries_.erase(key);
  }

 private:
  struct Entry {
    T value;
    Instant until;
  };
  runtime::Runtime& runtime_;
  const Duration ttl_;
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  Instant next_sweep_{};
};

}  // namespace tenon::cloud

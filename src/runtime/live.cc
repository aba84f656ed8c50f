// SPDX-License-Identifier: Apache-2.0
#include "runtime/live.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "base/check.h"
#include "base/prng.h"
#include "runtime/task_name.h"

namespace tenon::runtime {
namespace {

// The longest wait on the monotonic clock before now() is checked again: the wall clock may have been set, or the
// machine suspended, in the meantime.
constexpr Duration kLongestNap = 1min;
constexpr size_t kMaxThreadName = 15;  // bytes, Linux

Instant wall_now() {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

class Live;

class LiveEvent : public Event {
 public:
  explicit LiveEvent(Live& runtime);
  ~LiveEvent() override;

  uint64_t version() const override { return version_.load(std::memory_order_acquire); }
  void notify() override {
    {
      std::lock_guard lock(mutex_);
      version_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
  }
  Wake wait(uint64_t seen, Instant deadline, const std::stop_token& stop) override;

  // Makes the waiters check the clock and their stop token again.
  void poke() {
    {
      std::lock_guard lock(mutex_);
    }
    changed_.notify_all();
  }

 private:
  Live& runtime_;
  std::atomic<uint64_t> version_{0};  // changes under mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
};

class LiveTask : public Task {
 public:
  LiveTask(std::string name, std::function<void(const std::stop_token&)> body)
      : thread_([name = std::move(name), body = std::move(body)](const std::stop_token& stop) {
          pthread_setname_np(pthread_self(), name.substr(0, kMaxThreadName).c_str());
          set_task_name(name);
          body(stop);
        }) {}
  ~LiveTask() override {
    request_stop();
    join();
  }
  void request_stop() override { thread_.request_stop(); }
  void join() override {
    if (!thread_.joinable()) return;
    CHECK(thread_.get_id() != std::this_thread::get_id(), "a task joins itself");
    thread_.join();
  }

 private:
  std::jthread thread_;
};

class Live : public LiveRuntime {
 public:
  explicit Live(double speed) : speed_(speed), start_(wall_now()), steady_start_(std::chrono::steady_clock::now()) {
    CHECK(speed > 0, "the speed of a clock must be positive");
  }
  ~Live() override { CHECK(events_.empty(), "an event outlives its runtime"); }

  Instant now() const override {
    const Duration jumped(jumped_.load(std::memory_order_acquire));
    if (speed_ == 1.0) return wall_now() + jumped;
    const Duration real = std::chrono::steady_clock::now() - steady_start_;
    return start_ + Duration(static_cast<int64_t>(static_cast<double>(real.count()) * speed_)) + jumped;
  }

  std::unique_ptr<Event> make_event() override { return std::make_unique<LiveEvent>(*this); }

  std::unique_ptr<Task> spawn(std::string name, std::function<void(const std::stop_token&)> body) override {
    return std::make_unique<LiveTask>(std::move(name), std::move(body));
  }

  Wake sleep_until(Instant when, const std::stop_token& stop) override {
    LiveEvent never_notified(*this);
    return never_notified.wait(0, when, stop);
  }

  uint64_t random() override {
    std::lock_guard lock(random_mutex_);
    return random_.next();
  }

  void advance(Duration span) override {
    CHECK(span >= Duration::zero(), "a clock does not run backwards");
    jumped_.fetch_add(span.count(), std::memory_order_acq_rel);
    std::lock_guard lock(events_mutex_);
    for (LiveEvent* event : events_) event->poke();
  }

  // Returns the real time until `when`, at most kLongestNap.
  Duration nap_until(Instant when) const {
    const double real = static_cast<double>((when - now()).count()) / speed_;
    return Duration(static_cast<int64_t>(std::min(real, static_cast<double>(kLongestNap.count()))) + 1);
  }

  void add(LiveEvent* event) {
    std::lock_guard lock(events_mutex_);
    events_.insert(event);
  }
  void remove(LiveEvent* event) {
    std::lock_guard lock(events_mutex_);
    events_.erase(event);
  }

 private:
  const double speed_;
  const Instant start_;
  const std::chrono::steady_clock::time_point steady_start_;
  std::atomic<int64_t> jumped_{0};  // ns
  std::mutex events_mutex_;
  std::set<LiveEvent*> events_;
  std::mutex random_mutex_;
  Prng random_{(uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
};

LiveEvent::LiveEvent(Live& runtime) : runtime_(runtime) { runtime_.add(this); }
LiveEvent::~LiveEvent() { runtime_.remove(this); }

Wake LiveEvent::wait(uint64_t seen, Instant deadline, const std::stop_token& stop) {
  // Declared before the lock, so that it is destroyed after the lock is released: the destructor waits for a running
  // callback, and the callback takes the lock.
  const std::stop_callback on_stop(stop, [this] { poke(); });
  std::unique_lock lock(mutex_);
  while (true) {
    if (stop.stop_requested()) return Wake::kStopped;
    if (version_.load(std::memory_order_relaxed) != seen) return Wake::kNotified;
    if (deadline == kNever) {
      changed_.wait(lock);
    } else if (runtime_.now() >= deadline) {
      return Wake::kTimeout;
    } else {
      changed_.wait_for(lock, runtime_.nap_until(deadline));
    }
  }
}

}  // namespace

std::unique_ptr<LiveRuntime> make_live_runtime(double speed) { return std::make_unique<Live>(speed); }

}  // namespace tenon::runtime

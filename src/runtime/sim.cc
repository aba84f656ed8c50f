// SPDX-License-Identifier: Apache-2.0
//
// Every actor is a fiber of the thread that is in run(). A blocking actor gives way to run(), which picks the next one.
#include "runtime/sim.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "runtime/fiber.h"
#include "runtime/task_name.h"
#include "runtime/watchdog.h"

namespace tenon::runtime {
namespace {

// Steps at one virtual instant after which the simulation counts as spinning.
constexpr uint64_t kMaxStepsAtOneInstant = 2'000'000;
// Virtual time that join() on the owner thread grants an actor to end.
constexpr Duration kJoinPatience = 168h;

class Sim;
class SimEvent;

struct Actor {
  enum class State { kRunnable, kRunning, kBlocked, kFinished };
  Sim* sim = nullptr;
  uint64_t id = 0;
  std::string name;
  uint64_t name_hash = 0;
  std::stop_source stop;
  std::unique_ptr<Fiber> fiber;
  // All below: under Sim::mutex_.
  State state = State::kRunnable;
  Instant deadline = kNever;       // while blocked
  SimEvent* waiting_on = nullptr;  // while blocked
  std::vector<Actor*> joiners;     // blocked until this one has finished
};

thread_local Actor* current_actor = nullptr;

uint64_t mix(uint64_t hash, uint64_t value) { return Prng(hash ^ value).next(); }

uint64_t hash_name(std::string_view name) {
  uint64_t hash = name.size();
  for (const char c : name) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

class SimEvent : public Event {
 public:
  explicit SimEvent(Sim& sim) : sim_(sim) {}
  ~SimEvent() override;
  uint64_t version() const override { return version_.load(std::memory_order_acquire); }
  void notify() override;
  Wake wait(uint64_t seen, Instant deadline, const std::stop_token& stop) override;

 private:
  friend class Sim;
  Sim& sim_;
  std::atomic<uint64_t> version_{0};
  std::vector<Actor*> waiters_;  // under Sim::mutex_
};

class Sim : public SimRuntime {
 public:
  explicit Sim(const Options& options)
      : now_(options.start.time_since_epoch().count()),
        pick_(options.seed),
        watchdog_(options.watchdog, [this] { return sample_running(); }) {}
  ~Sim() override { CHECK(actors_.empty(), "a task outlives its SimRuntime"); }

  Instant now() const override { return Instant(Duration(now_.load(std::memory_order_acquire))); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<SimEvent>(*this); }
  std::unique_ptr<Task> spawn(std::string name, std::function<void(const std::stop_token&)> body) override;
  Wake sleep_until(Instant when, const std::stop_token& stop) override {
    SimEvent never_notified(*this);
    return never_notified.wait(0, when, stop);
  }
  uint64_t random() override {
    std::lock_guard lock(mutex_);
    return random_.next();
  }

  void run_for(Duration span) override { run(nullptr, now() + span); }
  bool run_until(const std::function<bool()>& done, Duration at_most) override { return run(done, now() + at_most); }
  uint64_t trace_hash() const override {
    std::lock_guard lock(mutex_);
    return trace_;
  }
  uint64_t switches() const override {
    std::lock_guard lock(mutex_);
    return switches_;
  }

  Actor* current() const { return current_actor != nullptr && current_actor->sim == this ? current_actor : nullptr; }
  // Blocks the calling actor until wake(). `event` may be null. May return early; the caller checks its condition
  // again.
  void suspend(Actor& self, SimEvent* event, Instant deadline, std::unique_lock<std::mutex>& lock);
  void wake(Actor& actor);  // needs mutex_
  bool run(const std::function<bool()>& done, Instant horizon);
  void join(Actor& actor);
  void forget(Actor& actor) {
    std::lock_guard lock(mutex_);
    actors_.erase({actor.id, &actor});
  }

  mutable std::mutex mutex_;

 private:
  Actor* pick();  // needs mutex_; the next actor to run, or null
  bool move_clock();
  void finish(Actor& self);
  Watchdog::Sample sample_running();

  std::atomic<int64_t> now_;  // ns; changes under mutex_
  // All below: under mutex_.
  Prng pick_;
  Prng random_{pick_.next()};
  uint64_t next_id_ = 1;
  Actor* running_ = nullptr;  // null: the owner's own code runs
  Instant horizon_{};
  std::vector<Actor*> runnable_;
  std::set<std::tuple<Instant, uint64_t, Actor*>> timers_;
  std::set<std::pair<uint64_t, Actor*>> actors_;  // all, by id
  uint64_t switches_ = 0, steps_at_this_instant_ = 0, trace_ = 0;
  Watchdog watchdog_;  // last: it reads the members above
};

class SimTask : public Task {
 public:
  SimTask(Sim& sim, std::unique_ptr<Actor> actor) : sim_(sim), actor_(std::move(actor)) {}
  ~SimTask() override {
    request_stop();
    join();
  }
  void request_stop() override { actor_->stop.request_stop(); }
  void join() override {
    if (joined_) return;
    sim_.join(*actor_);
    sim_.forget(*actor_);
    joined_ = true;
  }

 private:
  Sim& sim_;
  std::unique_ptr<Actor> actor_;
  bool joined_ = false;
};

std::unique_ptr<Task> Sim::spawn(std::string name, std::function<void(const std::stop_token&)> body) {
  auto actor = std::make_unique<Actor>();
  Actor& self = *actor;
  self.sim = this;
  self.name = std::move(name);
  self.name_hash = hash_name(self.name);
  self.fiber = std::make_unique<Fiber>([this, &self, body = std::move(body)]() mutable {
    body(self.stop.get_token());
    body = nullptr;  // destroys its captures while it is still an actor
    finish(self);
  });
  std::lock_guard lock(mutex_);
  self.id = next_id_++;
  actors_.insert({self.id, &self});
  runnable_.push_back(&self);
  return std::make_unique<SimTask>(*this, std::move(actor));
}

void Sim::finish(Actor& self) {
  std::lock_guard lock(mutex_);
  self.state = Actor::State::kFinished;
  for (Actor* joiner : self.joiners) wake(*joiner);
}

void Sim::wake(Actor& actor) {
  if (actor.state != Actor::State::kBlocked) return;
  if (actor.deadline != kNever) timers_.erase({actor.deadline, actor.id, &actor});
  if (actor.waiting_on != nullptr) std::erase(actor.waiting_on->waiters_, &actor);
  actor.waiting_on = nullptr;
  actor.deadline = kNever;
  actor.state = Actor::State::kRunnable;
  runnable_.push_back(&actor);
}

bool Sim::move_clock() {
  if (timers_.empty() || std::get<Instant>(*timers_.begin()) > horizon_) return false;
  const Instant next = std::get<Instant>(*timers_.begin());
  now_.store(next.time_since_epoch().count(), std::memory_order_release);
  steps_at_this_instant_ = 0;
  while (!timers_.empty() && std::get<Instant>(*timers_.begin()) <= next) wake(*std::get<Actor*>(*timers_.begin()));
  return true;
}

Actor* Sim::pick() {
  running_ = nullptr;
  if (runnable_.empty() && !move_clock()) return nullptr;
  const size_t index = pick_.below(runnable_.size());
  Actor* next = runnable_[index];
  runnable_.erase(runnable_.begin() + static_cast<ptrdiff_t>(index));
  next->state = Actor::State::kRunning;
  running_ = next;
  ++switches_;
  trace_ = mix(mix(trace_, next->name_hash), static_cast<uint64_t>(now_.load(std::memory_order_relaxed)));
  CHECK(++steps_at_this_instant_ < kMaxStepsAtOneInstant,
        "the simulation spins without its clock moving; actor '" + next->name + "' is one of those that never sleep");
  return next;
}

void Sim::suspend(Actor& self, SimEvent* event, Instant deadline, std::unique_lock<std::mutex>& lock) {
  CHECK(running_ == &self, "an actor that does not hold the baton called the runtime");
  if (deadline <= now()) {  // lets the others run, at the same instant
    self.state = Actor::State::kRunnable;
    runnable_.push_back(&self);
  } else {
    self.state = Actor::State::kBlocked;
    self.deadline = deadline;
    self.waiting_on = event;
    if (deadline != kNever) timers_.insert({deadline, self.id, &self});
    if (event != nullptr) event->waiters_.push_back(&self);
  }
  lock.unlock();
  self.fiber->give_way();
  lock.lock();
}

bool Sim::run(const std::function<bool()>& done, Instant horizon) {
  CHECK(current() == nullptr, "run_for and run_until are for the thread that owns the simulation, not for actors");
  const Watchdog::Shift shift = watchdog_.watch_me();
  Actor* const outer = current_actor;  // of another simulation that runs this one
  while (true) {
    if (done && done()) return true;
    Actor* next = nullptr;
    {
      std::lock_guard lock(mutex_);
      CHECK(running_ == nullptr, "the simulation is driven from inside it");
      horizon_ = horizon;
      next = pick();
      if (next == nullptr && horizon != kNever && horizon > now()) {
        // No actor runs before the horizon: the clock advances to it.
        now_.store(horizon.time_since_epoch().count(), std::memory_order_release);
        steps_at_this_instant_ = 0;
      }
    }
    if (next == nullptr) return done && done();
    current_actor = next;
    set_task_name(next->name);
    next->fiber->resume();
    current_actor = outer;
    set_task_name(outer == nullptr ? std::string_view() : outer->name);
    std::lock_guard lock(mutex_);
    running_ = nullptr;
  }
}

Watchdog::Sample Sim::sample_running() {
  std::lock_guard lock(mutex_);
  if (running_ == nullptr) return {switches_, ""};
  std::string waiting;
  for (const auto& [id, actor] : actors_) {
    const bool waits = actor->state == Actor::State::kBlocked || actor->state == Actor::State::kRunnable;
    if (waits) waiting += (waiting.empty() ? "'" : ", '") + actor->name + "'";
  }
  return {switches_, "actor '" + running_->name +
                         "' holds the baton but sleeps outside the runtime: it waits for a lock that was held across a "
                         "wait, or calls something that blocks. Waiting meanwhile: " +
                         (waiting.empty() ? "nobody" : waiting)};
}

void Sim::join(Actor& actor) {
  if (Actor* self = current()) {
    CHECK(self != &actor, "actor '" + actor.name + "' joins itself");
    std::unique_lock lock(mutex_);
    while (actor.state != Actor::State::kFinished) {
      if (std::find(actor.joiners.begin(), actor.joiners.end(), self) == actor.joiners.end())
        actor.joiners.push_back(self);
      suspend(*self, nullptr, kNever, lock);
    }
    return;
  }
  const auto finished = [&] {
    std::lock_guard lock(mutex_);
    return actor.state == Actor::State::kFinished;
  };
  CHECK(run(finished, now() + kJoinPatience), "actor '" + actor.name + "' is joined but does not end");
}

SimEvent::~SimEvent() {
  std::lock_guard lock(sim_.mutex_);
  CHECK(waiters_.empty(), "an event is destroyed while actor '" + waiters_.front()->name + "' waits for it");
}

void SimEvent::notify() {
  std::lock_guard lock(sim_.mutex_);
  version_.fetch_add(1, std::memory_order_acq_rel);
  while (!waiters_.empty()) sim_.wake(*waiters_.front());
}

Wake SimEvent::wait(uint64_t seen, Instant deadline, const std::stop_token& stop) {
  const auto over = [&] { return stop.stop_requested() || version() != seen; };
  if (Actor* self = sim_.current()) {
    const std::stop_callback on_stop(stop, [&] {
      std::lock_guard lock(sim_.mutex_);
      sim_.wake(*self);
    });
    std::unique_lock lock(sim_.mutex_);
    bool turned = false;
    while (!over() && !(turned && sim_.now() >= deadline)) {
      sim_.suspend(*self, this, deadline, lock);
      turned = true;
    }
  } else if (!over()) {
    // The owner thread waits by running the simulation.
    const bool in_time = sim_.run(over, deadline);
    CHECK(in_time || deadline != kNever, "the owner thread waits for what no actor will ever do");
  }
  if (stop.stop_requested()) return Wake::kStopped;
  return version() != seen ? Wake::kNotified : Wake::kTimeout;
}

}  // namespace

std::unique_ptr<SimRuntime> make_sim_runtime(SimRuntime::Options options) { return std::make_unique<Sim>(options); }

}  // namespace tenon::runtime

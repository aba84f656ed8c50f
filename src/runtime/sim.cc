// SPDX-License-Identifier: Apache-2.0
//
// Every actor is a thread that sleeps on its own Baton. Whoever blocks picks the next actor under mutex_, passes it the
// baton and goes to sleep; when nothing may run before the horizon, the baton goes back to the owner thread, which sits
// in run(). While run() has a predicate to look at, the baton goes back to the owner after every step.
#include "runtime/sim.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/prng.h"

namespace tenon::runtime {
namespace {

// Steps at one virtual instant before the simulation is declared to be spinning.
constexpr uint64_t kMaxStepsAtOneInstant = 2'000'000;
// Virtual time that the owner thread grants an actor to end in join().
constexpr Duration kJoinPatience = 168h;
constexpr size_t kMaxThreadName = 15;  // bytes, Linux

class Baton {
 public:
  void pass() {
    {
      std::lock_guard lock(mutex_);
      here_ = true;
    }
    arrived_.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return here_; });
    here_ = false;
  }
  bool take_within(Duration wall_time) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, wall_time, [this] { return here_; })) return false;
    here_ = false;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  bool here_ = false;
};

class Sim;
class SimEvent;

struct Actor {
  enum class State { kRunnable, kRunning, kBlocked, kFinished };
  Sim* sim = nullptr;
  uint64_t id = 0;
  std::string name;
  uint64_t name_hash = 0;
  // Shared: pass() still touches it when the receiver already runs, and may even be gone.
  std::shared_ptr<Baton> baton = std::make_shared<Baton>();
  std::stop_source stop;
  std::thread thread;
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
      : watchdog_(options.watchdog), now_(options.start.time_since_epoch().count()), pick_(options.seed) {}
  ~Sim() override { CHECK(actors_ == 0, "a task outlives its SimRuntime"); }

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
  // Blocks the calling actor until it is woken. `event` may be null. May return early; the caller looks again.
  void suspend(Actor& self, SimEvent* event, Instant deadline, std::unique_lock<std::mutex>& lock);
  void wake(Actor& actor);  // needs mutex_
  bool run(const std::function<bool()>& done, Instant horizon);
  void join(Actor& actor);
  void forget() {
    std::lock_guard lock(mutex_);
    --actors_;
  }

  mutable std::mutex mutex_;

 private:
  void actor_main(Actor& self, std::function<void(const std::stop_token&)> body);
  Actor* pick();  // needs mutex_; the next to run, or null
  bool move_clock();
  // The baton of whoever runs next. Needs mutex_.
  std::shared_ptr<Baton> next_baton();
  void owner_wait_for_baton();
  std::string describe_blocked() const;

  const Duration watchdog_;
  std::atomic<int64_t> now_;  // ns; changes under mutex_
  const std::shared_ptr<Baton> owner_ = std::make_shared<Baton>();
  // All below: under mutex_.
  Prng pick_;
  Prng random_{pick_.next()};
  uint64_t next_id_ = 1;
  size_t actors_ = 0;
  Actor* running_ = nullptr;  // null: the owner thread has the baton
  bool stepping_ = false;
  Instant horizon_{};
  std::vector<Actor*> runnable_;
  std::set<std::tuple<Instant, uint64_t, Actor*>> timers_;
  std::set<std::tuple<uint64_t, Actor*>> blocked_;  // by id, for messages
  uint64_t switches_ = 0, steps_at_this_instant_ = 0, trace_ = 0;
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
    if (!actor_->thread.joinable()) return;
    sim_.join(*actor_);
    actor_->thread.join();  // it has given the baton away and is about to end
    sim_.forget();
  }

 private:
  Sim& sim_;
  std::unique_ptr<Actor> actor_;
};

std::unique_ptr<Task> Sim::spawn(std::string name, std::function<void(const std::stop_token&)> body) {
  auto actor = std::make_unique<Actor>();
  Actor& self = *actor;
  self.sim = this;
  self.name = std::move(name);
  self.name_hash = hash_name(self.name);
  self.thread = std::thread([this, &self, body = std::move(body)]() mutable {
    pthread_setname_np(pthread_self(), self.name.substr(0, kMaxThreadName).c_str());
    actor_main(self, std::move(body));
  });
  std::lock_guard lock(mutex_);
  self.id = next_id_++;
  ++actors_;
  runnable_.push_back(&self);
  return std::make_unique<SimTask>(*this, std::move(actor));
}

void Sim::actor_main(Actor& self, std::function<void(const std::stop_token&)> body) {
  current_actor = &self;
  self.baton->take();
  body(self.stop.get_token());
  body = nullptr;  // what it captured goes while we hold the baton
  std::shared_ptr<Baton> next;
  {
    std::lock_guard lock(mutex_);
    self.state = Actor::State::kFinished;
    for (Actor* joiner : self.joiners) wake(*joiner);
    next = next_baton();
  }
  next->pass();
}

void Sim::wake(Actor& actor) {
  if (actor.state != Actor::State::kBlocked) return;
  if (actor.deadline != kNever) timers_.erase({actor.deadline, actor.id, &actor});
  if (actor.waiting_on != nullptr) std::erase(actor.waiting_on->waiters_, &actor);
  blocked_.erase({actor.id, &actor});
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

std::shared_ptr<Baton> Sim::next_baton() {
  running_ = nullptr;
  if (stepping_) return owner_;
  Actor* next = pick();
  return next == nullptr ? owner_ : next->baton;
}

void Sim::suspend(Actor& self, SimEvent* event, Instant deadline, std::unique_lock<std::mutex>& lock) {
  CHECK(running_ == &self, "an actor that does not hold the baton called the runtime");
  if (deadline <= now()) {  // gives the others a turn, at the same instant
    self.state = Actor::State::kRunnable;
    runnable_.push_back(&self);
  } else {
    self.state = Actor::State::kBlocked;
    self.deadline = deadline;
    self.waiting_on = event;
    blocked_.insert({self.id, &self});
    if (deadline != kNever) timers_.insert({deadline, self.id, &self});
    if (event != nullptr) event->waiters_.push_back(&self);
  }
  const std::shared_ptr<Baton> next = next_baton();
  if (next == self.baton) return;
  lock.unlock();
  next->pass();
  self.baton->take();
  lock.lock();
}

bool Sim::run(const std::function<bool()>& done, Instant horizon) {
  CHECK(current() == nullptr, "run_for and run_until are for the thread that owns the simulation, not for actors");
  while (true) {
    if (done && done()) return true;
    std::shared_ptr<Baton> next;
    {
      std::lock_guard lock(mutex_);
      CHECK(running_ == nullptr, "a second thread drives the simulation");
      horizon_ = horizon;
      stepping_ = done != nullptr;
      if (Actor* actor = pick()) {
        next = actor->baton;
      } else {
        // Nothing left to do before the horizon: time passes without anybody noticing.
        if (horizon != kNever && horizon > now()) {
          now_.store(horizon.time_since_epoch().count(), std::memory_order_release);
          steps_at_this_instant_ = 0;
        }
      }
    }
    if (!next) return done && done();
    next->pass();
    owner_wait_for_baton();
  }
}

void Sim::owner_wait_for_baton() {
  uint64_t seen_switches = 0;
  int64_t seen_cpu = -1;  // ns
  while (!owner_->take_within(watchdog_)) {
    std::lock_guard lock(mutex_);
    if (running_ == nullptr) continue;
    clockid_t clock{};
    timespec cpu{};
    // Fails when the thread is just ending.
    if (pthread_getcpuclockid(running_->thread.native_handle(), &clock) != 0 || clock_gettime(clock, &cpu) != 0)
      continue;
    const int64_t used = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec;
    CHECK(switches_ != seen_switches || used != seen_cpu,
          "actor '" + running_->name +
              "' holds the baton but sleeps outside the runtime: it waits for a lock that was " +
              "held across a wait, or calls something that blocks. Waiting meanwhile: " + describe_blocked());
    seen_switches = switches_;
    seen_cpu = used;
  }
}

std::string Sim::describe_blocked() const {
  std::string text;
  for (const auto& [id, actor] : blocked_) text += (text.empty() ? "'" : ", '") + actor->name + "'";
  for (const Actor* actor : runnable_) text += (text.empty() ? "'" : ", '") + actor->name + "'";
  return text.empty() ? "nobody" : text;
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

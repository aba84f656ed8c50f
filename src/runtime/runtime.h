// Time, threads and waiting, behind one interface. Two implementations run the same code: runtime/live (threads, the
// real clock) and runtime/sim (one thread at a time, with a virtual clock and a seed, so that a run repeats byte for
// byte).
//
// Event is the only blocking primitive. Read version() BEFORE the state that you wait for:
//
//   while (true) {
//     const uint64_t seen = event->version();
//     if (take_item(&item)) break;                                  // under a mutex, released before waiting
//     if (event->wait(seen, kNever, stop) == Wake::kStopped) return;
//   }
//
// Thread rule: everything here may be called from any thread of its Runtime. Hold no lock across wait, sleep_until or
// join; in simulation that deadlocks, and the watchdog names the actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/instant.h"

namespace tenon::runtime {

enum class Wake { kNotified, kTimeout, kStopped };

class Event {
 public:
  virtual ~Event() = default;
  // Returns the number of notifications.
  virtual uint64_t version() const = 0;
  virtual void notify() = 0;
  // Blocks until version() != seen, the deadline passes, or stop is requested; stop takes precedence.
  virtual Wake wait(uint64_t seen, Instant deadline, const std::stop_token& stop) = 0;
};

// A running thread ("actor" in simulation). The destructor requests its stop and joins it.
class Task {
 public:
  virtual ~Task() = default;
  virtual void request_stop() = 0;
  // Returns when the function has returned. May be called repeatedly, from one thread.
  virtual void join() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Instant now() const = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  virtual std::unique_ptr<Task> spawn(std::string name, std::function<void(const std::stop_token&)> body) = 0;
  // Returns kTimeout at `when`, kStopped if stop is requested first.
  virtual Wake sleep_until(Instant when, const std::stop_token& stop) = 0;
  // For jitter and names; seeded in simulation, from the system's entropy when live. Not for secrets.
  virtual uint64_t random() = 0;

  Wake sleep_for(Duration span, const std::stop_token& stop) { return sleep_until(now() + span, stop); }
};

}  // namespace tenon::runtime

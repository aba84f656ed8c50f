// The interface of every controller. A controller registers its handlers with the caches in its constructor, before
// Cluster::start(), and works from start() to stop(). The list of all controllers is in list.h.
// Thread rule: from the owner's thread, except where a method says otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/instant.h"

namespace tenon::controllers {

class Controller {
 public:
  virtual ~Controller() = default;
  // Starts the threads; returns at once.
  virtual void start() = 0;
  // Stops the threads and joins them. No effect if none runs.
  virtual void stop() = 0;

  // True for a controller that also runs while the replica does not lead, and before the caches are full.
  virtual bool runs_on_standby() const { return false; }
  // The process is about to end: nothing starts any more whose result would have to be awaited. Any thread.
  virtual void wind_down() {}
  // Blocks until what is in flight after wind_down() is recorded. Returns false if `deadline` or `stop` came first.
  virtual bool await_recorded(Instant /*deadline*/, const std::stop_token& /*stop*/) { return true; }
};

}  // namespace tenon::controllers

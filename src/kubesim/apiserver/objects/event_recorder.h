// Writes core/v1 Events for the simulated components. An equal Event increments the count of the existing one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

class EventRecorder {
 public:
  explicit EventRecorder(Objects& objects) : objects_(objects) {}
  struct What {
    std::string_view type, reason, message, component;
  };
  // Also removes the Events older than kEventLifetime, every kEventSweep.
  void record(const boost::json::value& about, const What& what);

 private:
  void expire();
  using Series = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  bool count_up(const Target& target);

  Objects& objects_;
  std::mutex mutex_;
  Instant next_sweep_{};
  std::map<Series, StoreKey> known_;
  std::deque<Series> order_;
};

}  // namespace tenon::kubesim::apiserver

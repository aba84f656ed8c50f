// Wrong or late answers of the API server, each for a limited time: lists that are absent or truncated after a watch
// expired, objects with a field of the wrong type, evictions that a webhook denies, slow writes of events, and a server
// that does not answer one replica.
// Thread rule: the running actor (one at a time in simulation).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "http/message.h"
#include "storm/call.h"
#include "storm/fault_points.h"

namespace tenon::storm {

// Returns a response with a metav1.Status of this failure.
http::Response failure(int code, const std::string& reason, const std::string& message);

class ApiFaults {
 public:
  // Planted bugs of a client in how it handles a wrong answer.
  struct Bugs {
    bool believe_lists = false, drop_unreadable = false;
  };
  ApiFaults(FaultPoints& faults, uint64_t seed, Bugs bugs) : faults_(faults), prng_(seed), bugs_(bugs) {}

  // An object that is unreadable on the wire.
  struct Unreadable {
    std::string resource, ns, name;
    std::optional<Instant> shown;  // when the controllers received it so
  };

  // Each of these lasts until end().
  void make_unreadable(std::string resource, std::string ns, std::string name);
  void refuse_evictions(const std::string& pod) { refused_[pod] = static_cast<int>(prng_.below(3)); }  // ns/name
  void hang(std::string replica, Instant until) { hangs_ = {std::move(replica), until}; }
  // Until when a replica's requests are not answered.
  Instant hangs_until(std::string_view replica) const { return replica == hangs_.first ? hangs_.second : Instant{}; }
  // Returns how long EC2's answer to a launch takes.
  Duration launch_delay() { return std::chrono::milliseconds(prng_.between(100, 3000)); }
  void slow_events_until(Instant end) { slow_until_ = end; }
  void end();

  // Returns the wrong answer that replaces the server's; std::nullopt: the server answers.
  std::optional<http::Response> instead_of(const Call& call, Instant now);
  // Changes the body of the server's answer to a read.
  void corrupt(const Call& call, Instant now, std::string& body);
  // Changes the events of a watch; true: the watch ends with 410.
  bool corrupt_watch(const Call& call, Instant now, std::string& lines);
  // Returns how long the server takes for a request.
  Duration delay(const Call& call, Instant now);

  const std::vector<Unreadable>& unreadable() const { return unreadable_; }
  bool unreadable(std::string_view resource, std::string_view name) const;
  bool refused(const std::string& pod) const { return refused_.contains(pod); }
  bool refuses() const { return !refused_.empty(); }
  int64_t wrong_lists() const { return wrong_lists_; }  // NodeClaims with a wrong field

 private:
  struct ListFault {
    bool absent = false;  // else truncated, once
    Instant until{};
  };
  // Returns true if the object is unreadable.
  bool corrupt_object(std::string_view resource, Instant now, boost::json::value& object);

  FaultPoints& faults_;
  Prng prng_;
  const Bugs bugs_;
  std::map<std::string, ListFault, std::less<>> list_faults_;  // by path of the list
  std::vector<Unreadable> unreadable_;
  std::map<std::string, int> refused_;  // pod → answer
  Instant slow_until_{};
  std::pair<std::string, Instant> hangs_;
  int64_t wrong_lists_ = 0;
};

}  // namespace tenon::storm

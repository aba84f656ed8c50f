// Wrong or late answers of the API server, each for a limited time: lists that are absent or truncated after a watch
// expired, objects with a field of the wrong type, evictions that a webhook denies, events that take long to write, and
// a server that does not answer one replica.
// Thread rule: of the actor that runs (one at a time in simulation).
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

// A response with a metav1.Status of this failure.
http::Response failure(int code, const std::string& reason, const std::string& message);

class ApiFaults {
 public:
  // Planted bugs of a client that show in how it takes a wrong answer.
  struct Bugs {
    bool believe_lists = false, drop_unreadable = false;
  };
  ApiFaults(FaultPoints& faults, uint64_t seed, Bugs bugs) : faults_(faults), prng_(seed), bugs_(bugs) {}

  // An object that is unreadable on the wire.
  struct Unreadable {
    std::string resource, ns, name;
    std::optional<Instant> shown;  // when the controllers were shown it so
  };

  // Each of these lasts until end().
  void make_unreadable(std::string resource, std::string ns, std::string name);
  void refuse_evictions(const std::string& pod) { refused_[pod] = static_cast<int>(prng_.below(3)); }  // ns/name
  void hang(std::string replica, Instant until) { hangs_ = {std::move(replica), until}; }
  // Until when a replica's requests are not answered.
  Instant hangs_until(std::string_view replica) const { return replica == hangs_.first ? hangs_.second : Instant{}; }
  // How long EC2's answer to a launch takes.
  Duration launch_delay() { return std::chrono::milliseconds(prng_.between(100, 3000)); }
  void slow_events_until(Instant end) { slow_until_ = end; }
  void end();

  // The wrong answer that replaces the server's; nothing: the server answers.
  std::optional<http::Response> instead_of(const Call& call, Instant now);
  // Changes the body of the server's answer to a read.
  void corrupt(const Call& call, Instant now, std::string& body);
  // Changes what a watch delivers; true: it ends with 410.
  bool corrupt_watch(const Call& call, Instant now, std::string& lines);
  // How long the server takes for a request.
  Duration delay(const Call& call, Instant now);

  const std::vector<Unreadable>& unreadable() const { return unreadable_; }
  bool unreadable(std::string_view resource, std::string_view name) const;
  bool refused(const std::string& pod) const { return refused_.contains(pod); }
  bool refuses() const { return !refused_.empty(); }
  int64_t wrong_lists() const { return wrong_lists_; }  // of NodeClaims that were wrong

 private:
  struct ListFault {
    bool absent = false;  // else truncated, once
    Instant until{};
  };
  // Whether it is one that cannot be read.
  bool corrupt_object(std::string_view resource, Instant now, boost::json::value& object);

  FaultPoints& faults_;
  Prng prng_;
  const Bugs bugs_;
  std::map<std::string, ListFault, std::less<>> list_faults_;  // by path of the list
  std::vector<Unreadable> unreadable_;
  std::map<std::string, int> refused_;  // pod → which answer
  Instant slow_until_{};
  std::pair<std::string, Instant> hangs_;
  int64_t wrong_lists_ = 0;
};

}  // namespace tenon::storm

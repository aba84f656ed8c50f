// The wire between the controllers and one server: reports every request before it is performed, and loses, rejects or
// cuts some. Bugs of a client are planted here, too. Thread rule: that of http::Transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/transport.h"
#include "runtime/runtime.h"
#include "storm/api_faults.h"
#include "storm/call.h"
#include "storm/fault_points.h"

namespace tenon::storm {

// Bugs of a client that a checker must report.
struct ClientBugs {
  bool evict_by_delete = false;      // a pod is deleted instead of evicted
  bool forget_client_token = false;  // every CreateFleet has a token of its own, and is sent twice
  bool write_foreign = false;        // patches of NodeClaims are sent to a NodeClaim of another provider
  bool believe_lists = false;        // lists stay truncated, and a GET confirms what they lack
  bool drop_unreadable = false;      // unreadable objects count as deleted
  bool stop_at_refusal = false;      // no eviction is sent while a webhook denies one
  bool repeat_events = false;        // an event is written by two actors at once
  bool believe_lease = false;        // a leader counts renewals that it never sent
  bool crash_for_stop = false;       // SIGTERM ends the process at once
  bool mislabel = false;             // NodeClaims are created with the label instance-cpu: default
};

struct WireOptions {
  bool aws = false;
  FaultPoints* faults = nullptr;
  ApiFaults* api_faults = nullptr;
  std::shared_ptr<std::string> replica;        // shared by the wires of one replica: its identity; null: no election
  std::function<runtime::Runtime*()> runtime;  // null while the world is constructed
  std::function<void(const Call&)> on_call, on_done;
  ClientBugs bugs;
};
std::unique_ptr<http::Transport> make_wire(std::unique_ptr<http::Transport> inner, WireOptions options);

}  // namespace tenon::storm

// The wire between the controllers and one server: tells of every request before it is performed, and loses, refuses or
// cuts some. Also where bugs of a client are planted. Thread rule: of http::Transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/transport.h"
#include "storm/fault_points.h"

namespace tenon::storm {

// A request of the controllers. Views last as long as the call that tells of it.
struct Call {
  bool aws = false;
  std::string_view method, path, body;
  std::string_view action;              // of AWS: "CreateFleet"
  std::vector<std::string_view> parts;  // of the path: {"api", "v1", "nodes", "n1"}

  bool reads() const { return method == "GET"; }
  // "pods" and the like with the object's name: {"api","v1","namespaces","default","pods","p","eviction"}.
  bool is(std::string_view verb, std::string_view resource, std::string_view subresource = {}) const;
  std::string_view ns() const;
  std::string_view name() const;  // of the object; empty for a create
};

// Bugs of a client that a checker must notice.
struct ClientBugs {
  bool evict_by_delete = false;      // a pod is deleted where it should be evicted
  bool forget_client_token = false;  // every CreateFleet has a token of its own, and is sent twice
};

struct WireOptions {
  bool aws = false;
  FaultPoints* faults = nullptr;
  std::function<void(const Call&)> on_call;
  ClientBugs bugs;
};
std::unique_ptr<http::Transport> make_wire(std::unique_ptr<http::Transport> inner, WireOptions options);

}  // namespace tenon::storm

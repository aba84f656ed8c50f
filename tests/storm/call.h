// A request of the controllers in the terms of checkers and faults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace tenon::storm {

// Views are valid during the callback that receives them.
struct Call {
  bool aws = false;
  std::string_view replica;  // identity of the replica in the election; empty: not known
  std::string_view method, path, body;
  std::string_view action;              // of AWS: "CreateFleet"
  std::vector<std::string_view> parts;  // of the path: {"api", "v1", "nodes", "n1"}

  bool reads() const { return method == "GET"; }
  bool launches() const { return action == "CreateFleet" && body.find("DryRun=true") == std::string_view::npos; }
  // "pods" and the like with the object's name: {"api","v1","namespaces","default","pods","p","eviction"}.
  bool is(std::string_view verb, std::string_view resource, std::string_view subresource = {}) const;
  bool lists() const;  // a collection of the API server
  std::string_view resource() const;
  std::string_view ns() const;
  std::string_view name() const;  // of the object; empty for a create
};

}  // namespace tenon::storm

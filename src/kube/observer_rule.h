// The requests that an observer (`tenon controller --observe`) sends to the API server: reads, its own lease, and
// events in its own namespace. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "http/message.h"

namespace tenon::kube {

struct ObserverScope {
  std::string server;  // URL of the API server, which may have a path; as ClientOptions::server
  std::string ns;      // of the lease and of the events
  std::string lease;   // its name
};

// Returns ok for
//   - GET of objects, lists and watches; not of subresources that reach into a container or a node (exec, proxy, …);
//   - POST of a Lease of this name and namespace; PUT and PATCH of it;
//   - POST of Events in the namespace.
// Errors: kForbidden, with method and path. Fails closed: another server, a path that is not plain, a body that cannot
// be parsed.
Status observer_may_send(const http::Request& request, const ObserverScope& scope);

}  // namespace tenon::kube

// Counts and times the requests to the API server, under the names of client-go and of Karpenter.
// parity: client-go tools/metrics (rest_client_*), operatorpkg and karpenter pkg/metrics (client_go_*)
// Thread rule: as Transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/transport.h"
#include "metrics/registry.h"
#include "runtime/runtime.h"

namespace tenon::kube {

// Borrows its arguments. A streamed watch is timed until its head arrives.
std::unique_ptr<http::Transport> measure_requests(http::Transport& inner, runtime::Runtime& runtime,
                                                  metrics::Registry& registry);

// The subject of a request, read from its path: "/apis/karpenter.sh/v1/nodeclaims/x/status" has group karpenter.sh,
// version v1, resource nodeclaims, subresource status. Names of objects and namespaces are left out.
struct RequestSubject {
  std::string group, version, resource, subresource;
};
RequestSubject subject_of(std::string_view path);

}  // namespace tenon::kube

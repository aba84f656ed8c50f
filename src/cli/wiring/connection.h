// The connection of a process to the API server, as kubectl and pods find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/environment.h"
#include "base/result.h"
#include "http/transport.h"
#include "kube/access/kubeconfig.h"
#include "kube/client.h"

namespace tenon::cli {

// `flag`: --kubeconfig, one file; if it is empty KUBECONFIG, which may name several, then the pod's service account.
// `context`: --context; empty: the current one. Errors: kInvalid, there is none of them, or a context for a service
// account; those of the kubeconfig.
Result<kube::Connection> find_connection(const std::string& flag, const std::string& context,
                                         const aws::Environment& environment);
kube::ClientOptions client_options(const kube::Connection& connection);
// Borrows the runtime.
std::unique_ptr<http::Transport> make_kube_transport(runtime::Runtime& runtime, const kube::Connection& connection);

}  // namespace tenon::cli

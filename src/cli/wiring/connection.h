// The connection of a process to the API server, as kubectl and pods find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "aws/environment.h"
#include "base/result.h"
#include "http/transport.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace tenon::cli {

// `flag`: --kubeconfig; if it is empty KUBECONFIG, then the pod's service account. Errors: kInvalid, there is none of
// them; those of the kubeconfig.
Result<kube::Connection> find_connection(const std::string& flag, const aws::Environment& environment);
kube::ClientOptions client_options(const kube::Connection& connection);
std::unique_ptr<http::Transport> make_kube_transport(const kube::Connection& connection);

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/wiring/connection.h"

#include "kube/access/access.h"

namespace tenon::cli {

Result<kube::Connection> find_connection(const std::string& flag, const std::string& context,
                                         const aws::Environment& environment) {
  if (!flag.empty()) return TRY_IN("--kubeconfig", kube::load_kubeconfig(flag, context));
  if (const auto paths = kube::kubeconfig_paths(environment("KUBECONFIG")); !paths.empty()) {
    return TRY_IN("KUBECONFIG", kube::load_kubeconfigs(paths, context));
  }
  auto in_cluster = kube::in_cluster_connection();
  if (in_cluster && !context.empty()) {
    return fail(Code::kInvalid, "--context " + context + ": a pod's service account has no contexts");
  }
  if (in_cluster || in_cluster.error().code != Code::kNotFound) return in_cluster;
  return fail(Code::kInvalid, "no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod");
}

kube::ClientOptions client_options(const kube::Connection& connection) { return {.server = connection.server}; }

std::unique_ptr<http::Transport> make_kube_transport(runtime::Runtime& runtime, const kube::Connection& connection) {
  return kube::make_access_transport(runtime, connection);
}

}  // namespace tenon::cli

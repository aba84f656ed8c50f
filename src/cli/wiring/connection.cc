// SPDX-License-Identifier: Apache-2.0
#include "cli/wiring/connection.h"

#include "http/curl_transport.h"

namespace tenon::cli {

Result<kube::Connection> find_connection(const std::string& flag, const aws::Environment& environment) {
  const std::string path = flag.empty() ? environment("KUBECONFIG") : flag;
  if (!path.empty()) return kube::load_kubeconfig(path);
  auto in_cluster = kube::in_cluster_connection();
  if (in_cluster || in_cluster.error().code != Code::kNotFound) return in_cluster;
  return fail(Code::kInvalid, "no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod");
}

kube::ClientOptions client_options(const kube::Connection& connection) {
  return {.server = connection.server, .bearer_token = connection.bearer_token, .token_file = connection.token_file};
}

std::unique_ptr<http::Transport> make_kube_transport(const kube::Connection& connection) {
  return http::make_curl_transport({.ca_pem = connection.ca_pem,
                                    .client_cert_pem = connection.client_cert_pem,
                                    .client_key_pem = connection.client_key_pem,
                                    .server_name = connection.tls_server_name,
                                    .insecure_skip_verify = connection.insecure_skip_verify,
                                    .proxy_url = connection.proxy_url});
}

}  // namespace tenon::cli

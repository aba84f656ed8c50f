// Connection settings of the API server: from a kubeconfig file, or from the service-account files of a pod.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::kube {

struct Connection {
  std::string server;  // https://host:port
  std::string ca_pem, client_cert_pem, client_key_pem;
  std::string bearer_token, token_file;
  std::string proxy_url, tls_server_name;
  bool insecure_skip_verify = false;
  std::string ns = "default";  // of the context
};

// `context` empty: current-context. Relative file names are relative to the kubeconfig. Errors: kInvalid, with file,
// entry and field; kNotFound if the file does not exist.
Result<Connection> load_kubeconfig(const std::string& path, std::string_view context = {});
// Reads KUBERNETES_SERVICE_HOST/PORT and the service-account files. kNotFound outside a pod.
Result<Connection> in_cluster_connection();

}  // namespace tenon::kube

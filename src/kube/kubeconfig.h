// Where the API server is and how to speak to it: a kubeconfig file, or the files that a pod finds in itself.
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

// `context` empty: current-context. Relative file names are relative to the file. Errors: kInvalid, naming file, entry
// and field; kNotFound, the file is not there.
Result<Connection> load_kubeconfig(const std::string& path, std::string_view context = {});
// KUBERNETES_SERVICE_HOST/PORT and the service-account files. kNotFound when not in a pod.
Result<Connection> in_cluster_connection();

}  // namespace tenon::kube

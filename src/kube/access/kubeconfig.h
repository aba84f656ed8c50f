// Connection settings of the API server: from kubeconfig files, or from the service-account files of a pod.
// kube/access/access.h makes a transport of them. No message contains a secret.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tenon::kube {

// A text and the file it comes from. An empty `file`: the text is not read again.
struct FromFile {
  std::string text, file;
};

// A command that prints credentials. parity: client.authentication.k8s.io/v1 and v1beta1
// (kube/access/exec_credential.h)
struct ExecPlugin {
  std::string command;  // a path, or a name that is found in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;   // client.authentication.k8s.io/v1
  std::string info;          // JSON, the variable KUBERNETES_EXEC_INFO
  std::string install_hint;  // from the author of the kubeconfig; empty: none
  std::string where;         // `FILE: users "NAME": exec`, for messages
};

// The user that the API server checks permissions for instead of the one that authenticates.
struct Impersonation {
  std::string user, uid;  // empty: none
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

struct Connection {
  std::string server;  // https://host:port
  FromFile ca;         // PEM; empty: the system's trust store
  FromFile client_cert, client_key;
  std::string bearer_token;
  std::string token_file;  // takes precedence over bearer_token, which is used until the file is readable
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;
  std::string proxy_url;  // empty: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment
  std::string tls_server_name;
  bool insecure_skip_verify = false;
  bool compression = true;            // the client accepts gzip
  std::string ns = "default";         // of the context
  std::vector<std::string> warnings;  // for the user: insecure-skip-tls-verify
};

// Loads one file, which must exist. `context` empty: current-context. Relative file names are relative to the
// kubeconfig. Errors: kInvalid, with file, entry, field and cause; kNotFound if the file does not exist.
Result<Connection> load_kubeconfig(const std::string& path, std::string_view context = {});
// Merges several files as kubectl does: the first file with an entry of a name, or with a current-context, wins. Files
// that do not exist are left out. Errors: as above; kNotFound if none exists.
// parity: client-go tools/clientcmd/loader.go
Result<Connection> load_kubeconfigs(const std::vector<std::string>& paths, std::string_view context = {});
// Splits the variable KUBECONFIG at ':' and leaves out empty names.
std::vector<std::string> kubeconfig_paths(std::string_view variable);

// The location of every pod's credentials. parity: client-go rest.InClusterConfig
inline constexpr std::string_view kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
// Reads KUBERNETES_SERVICE_HOST/PORT and the service-account files. kNotFound outside a pod.
Result<Connection> in_cluster_connection(const std::string& folder = std::string(kServiceAccountFolder));

// Reads a file. Errors: kNotFound (it does not exist), kInvalid; both name the file.
Result<std::string> read_text_file(const std::string& path);

}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::kube {
namespace {

using json::value;

// The location of every pod's credentials. parity: client-go rest.InClusterConfig
constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount/";

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(errno == ENOENT ? Code::kNotFound : Code::kInvalid, path + ": " + std::strerror(errno));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return fail(Code::kInvalid, path + ": cannot be read");
  return text;
}

// One kubeconfig file and lookups in it. Messages name file, entry and field, never a secret.
class Loader {
 public:
  Loader(std::string path, value document) : path_(std::move(path)), document_(std::move(document)) {}

  Result<Connection> load(std::string_view wanted) const {
    const std::string context_name(wanted.empty() ? json::string_at(document_, {"current-context"}) : wanted);
    if (context_name.empty()) return wrong("current-context is not set: name a context");
    const value* context = TRY(entry("contexts", context_name, "context"));
    Connection out;
    out.ns = json::string_at(*context, {"namespace"}, "default");
    const std::string where = "contexts \"" + context_name + "\": ";
    const std::string_view cluster = json::string_at(*context, {"cluster"});
    if (cluster.empty()) return wrong(where + "no cluster");
    TRY(read_cluster(std::string(cluster), out));
    const std::string_view user = json::string_at(*context, {"user"});
    if (!user.empty()) TRY(read_user(std::string(user), out));
    return out;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const { return fail(Code::kInvalid, path_ + ": " + what); }

  // clusters, users and contexts are lists of {name: …, cluster: {…}}.
  Result<const value*> entry(std::string_view list, const std::string& name, std::string_view content) const {
    for (const value& item : json::array_at(document_, {list})) {
      if (json::string_at(item, {"name"}) != name) continue;
      const value* found = json::find(item, {content});
      if (!found || !found->is_object()) {
        return wrong(std::string(list) + " \"" + name + "\": no " + std::string(content));
      }
      return found;
    }
    return wrong("no entry \"" + name + "\" in " + std::string(list));
  }

  // "<field>-data" (base64) takes precedence over the file that "<field>" names.
  Result<std::string> data_or_file(const value& in, const std::string& field, const std::string& where) const {
    if (const std::string_view data = json::string_at(in, {field + "-data"}); !data.empty()) {
      std::string bytes;
      if (!base64_decode(data, bytes)) return wrong(where + field + "-data: not base64");
      return bytes;
    }
    const std::string_view name = json::string_at(in, {field});
    if (name.empty()) return std::string();
    const Result<std::string> text = read_file(resolve(name));
    if (!text) return wrong(where + field + ": " + text.error().message);
    return *text;
  }

  std::string resolve(std::string_view name) const {
    const std::filesystem::path file(name);
    return file.is_absolute() ? file.string() : (std::filesystem::path(path_).parent_path() / file).string();
  }

  Status read_cluster(const std::string& name, Connection& out) const {
    const value* cluster = TRY(entry("clusters", name, "cluster"));
    const std::string where = "clusters \"" + name + "\": ";
    out.server = json::string_at(*cluster, {"server"});
    while (out.server.ends_with('/')) out.server.pop_back();
    if (!out.server.starts_with("https://") && !out.server.starts_with("http://")) {
      return wrong(where + "server: must be an http or https URL, not \"" + out.server + "\"");
    }
    out.insecure_skip_verify = json::bool_at(*cluster, {"insecure-skip-tls-verify"});
    out.tls_server_name = json::string_at(*cluster, {"tls-server-name"});
    out.proxy_url = json::string_at(*cluster, {"proxy-url"});
    out.ca_pem = TRY(data_or_file(*cluster, "certificate-authority", where));
    if (out.insecure_skip_verify && !out.ca_pem.empty()) {
      return wrong(where + "insecure-skip-tls-verify and certificate-authority exclude each other");
    }
    return ok();
  }

  Status read_user(const std::string& name, Connection& out) const {
    const value* user = TRY(entry("users", name, "user"));
    const std::string where = "users \"" + name + "\": ";
    for (const std::string_view field : {"exec", "auth-provider"}) {
      if (!json::find(*user, {field})) continue;
      return wrong(where + std::string(field) + ": credential plugins are not supported; give a token, tokenFile or " +
                   "client certificate (for EKS: kubectl create token, or run in the cluster)");
    }
    if (!json::string_at(*user, {"username"}).empty()) {
      return wrong(where + "username: basic authentication is not supported by API servers any more; give a token");
    }
    out.client_cert_pem = TRY(data_or_file(*user, "client-certificate", where));
    out.client_key_pem = TRY(data_or_file(*user, "client-key", where));
    if (out.client_cert_pem.empty() != out.client_key_pem.empty()) {
      return wrong(where + "client-certificate and client-key must both be given");
    }
    out.bearer_token = json::string_at(*user, {"token"});
    if (const std::string_view file = json::string_at(*user, {"tokenFile"}); !file.empty()) {
      out.token_file = resolve(file);
    }
    return ok();
  }

  const std::string path_;
  const value document_;
};

}  // namespace

Result<Connection> load_kubeconfig(const std::string& path, std::string_view context) {
  const std::string text = TRY_IN("reading the kubeconfig", read_file(path));
  std::vector<value> documents = TRY_IN(path, json::parse_yaml(text));
  if (documents.size() != 1 || !documents[0].is_object()) {
    return fail(Code::kInvalid, path + ": is not a kubeconfig (one YAML mapping with clusters, users and contexts)");
  }
  return Loader(path, std::move(documents[0])).load(context);
}

Result<Connection> in_cluster_connection() {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (!host || !port || !*host || !*port) {
    return fail(Code::kNotFound, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const std::string folder = kServiceAccountFolder;
  const bool ipv6 = std::strchr(host, ':') != nullptr;
  Connection out;
  out.server = "https://" + (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
  out.ca_pem = TRY_IN("the service account", read_file(folder + "ca.crt"));
  out.token_file = folder + "token";
  TRY_IN("the service account", read_file(out.token_file));
  if (const Result<std::string> ns = read_file(folder + "namespace")) out.ns = std::string(trim(*ns));
  return out;
}

}  // namespace tenon::kube

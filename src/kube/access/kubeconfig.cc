// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "http/message.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/access/kubeconfig_entry.h"

namespace tenon::kube {
namespace {

using json::value;

struct File {
  std::string path;
  value document;
};

std::string quoted(std::string_view list, std::string_view name) {
  return std::string(list) + " \"" + std::string(name) + "\"";
}

// Line breaks would end the header that the text goes into.
bool fits_in_header(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

// The merged files, and lookups in them. parity: client-go tools/clientcmd
class Loader {
 public:
  explicit Loader(std::vector<File> files) : files_(std::move(files)) {}

  Result<Connection> load(std::string_view wanted) const {
    const std::string context_name = wanted.empty() ? current_context() : std::string(wanted);
    if (context_name.empty()) return fail(Code::kInvalid, paths() + ": current-context is not set: name a context");
    const KubeconfigEntry context = TRY(entry("contexts", context_name, "context"));
    Connection out;
    if (const std::string ns = TRY(context.text("namespace")); !ns.empty()) out.ns = ns;
    const std::string cluster_name = TRY(context.text("cluster"));
    if (cluster_name.empty()) return context.wrong("cluster", "must be set");
    const KubeconfigEntry cluster = TRY(entry("clusters", cluster_name, "cluster"));
    TRY(read_cluster(cluster, out));
    const std::string user_name = TRY(context.text("user"));
    if (user_name.empty()) return out;
    const KubeconfigEntry user = TRY(entry("users", user_name, "user"));
    TRY(read_user(user, cluster, out));
    return out;
  }

 private:
  std::string paths() const {
    std::string all;
    for (const File& file : files_) all += (all.empty() ? "" : ":") + file.path;
    return all;
  }

  std::string current_context() const {
    for (const File& file : files_) {
      const std::string_view name = json::string_at(file.document, {"current-context"});
      if (!name.empty()) return std::string(name);
    }
    return {};
  }

  // clusters, users and contexts are lists of {name: ..., cluster: {...}}.
  Result<KubeconfigEntry> entry(std::string_view list, const std::string& name, std::string_view content) const {
    for (const File& file : files_) {
      const value* found = nullptr;
      for (const value& item : json::array_at(file.document, {list})) {
        if (json::string_at(item, {"name"}) != name) continue;
        if (found) return fail(Code::kInvalid, file.path + ": " + quoted(list, name) + ": the name is there twice");
        found = &item;
      }
      if (!found) continue;
      const std::string where = file.path + ": " + quoted(list, name);
      const value* inner = json::find(*found, {content});
      if (!inner || !inner->is_object()) return fail(Code::kInvalid, where + ": no " + std::string(content));
      return KubeconfigEntry(*inner, file.path, where);
    }
    return fail(Code::kInvalid, paths() + ": no entry \"" + name + "\" in " + std::string(list));
  }

  static Status read_cluster(const KubeconfigEntry& cluster, Connection& out) {
    out.server = TRY(cluster.text("server"));
    while (out.server.ends_with('/')) out.server.pop_back();
    const auto url = http::parse_url(out.server);
    if (!url || (url->scheme != "https" && url->scheme != "http")) {
      return cluster.wrong("server", "must be an http or https URL, not \"" + out.server + "\"");
    }
    out.insecure_skip_verify = TRY(cluster.flag("insecure-skip-tls-verify"));
    out.compression = !TRY(cluster.flag("disable-compression"));
    out.tls_server_name = TRY(cluster.text("tls-server-name"));
    out.proxy_url = TRY(read_proxy(cluster));
    out.ca = TRY(cluster.data_or_file("certificate-authority"));
    if (!out.insecure_skip_verify) return ok();
    if (!out.ca.text.empty()) {
      return cluster.wrong("insecure-skip-tls-verify", "excludes certificate-authority");
    }
    out.warnings.push_back(cluster.where() + ": insecure-skip-tls-verify: the certificate of " + out.server +
                           " is not verified; anyone on the way can read the credentials");
    return ok();
  }

  // The URL may contain a password, so that no message quotes it.
  static Result<std::string> read_proxy(const KubeconfigEntry& cluster) {
    std::string proxy = TRY(cluster.text("proxy-url"));
    if (proxy.empty()) return proxy;
    const auto url = http::parse_url(proxy);
    if (!url || (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5")) {
      return cluster.wrong("proxy-url", "must be an http, https or socks5 URL");
    }
    // As Go does, the proxy resolves the name of the API server.
    if (url->scheme == "socks5") proxy.replace(0, url->scheme.size(), "socks5h");
    return proxy;
  }

  static Status read_user(const KubeconfigEntry& user, const KubeconfigEntry& cluster, Connection& out) {
    if (user.has("auth-provider")) {
      return user.wrong("auth-provider", "kubectl has removed auth providers; use an exec plugin (exec)");
    }
    if (!TRY(user.text("username")).empty()) {
      return user.wrong("username", "basic authentication is not supported by API servers any more; give a token");
    }
    out.client_cert = TRY(user.data_or_file("client-certificate"));
    out.client_key = TRY(user.data_or_file("client-key"));
    if (out.client_cert.text.empty() != out.client_key.text.empty()) {
      return user.wrong("client-certificate", "client-certificate and client-key must both be given");
    }
    out.bearer_token = TRY(user.text("token"));
    if (!fits_in_header(out.bearer_token)) return user.wrong("token", "contains a line break or control character");
    out.token_file = TRY(user.path("tokenFile"));
    if (user.has("exec")) {
      const KubeconfigEntry exec = TRY(user.within("exec"));
      out.exec = TRY(read_exec_plugin(exec, cluster, out));
    }
    return read_impersonation(user, out.impersonate);
  }

  static Status read_impersonation(const KubeconfigEntry& user, Impersonation& out) {
    out.user = TRY(user.text("as"));
    out.uid = TRY(user.text("as-uid"));
    out.groups = TRY(user.texts("as-groups"));
    if (user.has("as-user-extra")) {
      const KubeconfigEntry extra = TRY(user.within("as-user-extra"));
      for (const auto& [key, values] : extra.content().get_object()) {
        const std::string name(key);
        if (name != to_lower(name)) return extra.wrong(name, "must be in lower case");
        std::vector<std::string> texts = TRY(extra.texts(name));
        out.extra.emplace_back(name, std::move(texts));
      }
    }
    if (out.user.empty() && (!out.uid.empty() || !out.groups.empty() || !out.extra.empty())) {
      return user.wrong("as", "must be set with as-uid, as-groups or as-user-extra");
    }
    bool fits = fits_in_header(out.user) && fits_in_header(out.uid);
    for (const std::string& group : out.groups) fits = fits && fits_in_header(group);
    for (const auto& [key, values] : out.extra) {
      for (const std::string& text : values) fits = fits && fits_in_header(text);
    }
    if (!fits) return user.wrong("as", "as, as-uid, as-groups and as-user-extra must not contain control characters");
    return ok();
  }

  const std::vector<File> files_;
};

Result<File> read_kubeconfig(const std::string& path) {
  const std::string text = TRY_IN("reading the kubeconfig", read_text_file(path));
  std::vector<value> documents = TRY_IN(path, json::parse_yaml(text));
  if (documents.empty() || (documents.size() == 1 && documents[0].is_null())) return File{path, json::object()};
  if (documents.size() != 1 || !documents[0].is_object()) {
    return fail(Code::kInvalid, path + ": is not a kubeconfig (one YAML mapping with clusters, users and contexts)");
  }
  return File{path, std::move(documents[0])};
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(errno == ENOENT ? Code::kNotFound : Code::kInvalid, path + ": " + std::strerror(errno));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return fail(Code::kInvalid, path + ": cannot be read");
  return text;
}

std::vector<std::string> kubeconfig_paths(std::string_view variable) {
  std::vector<std::string> paths;
  for (const std::string_view path : split(variable, ':')) {
    if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

Result<Connection> load_kubeconfig(const std::string& path, std::string_view context) {
  std::vector<File> files;
  files.push_back(TRY(read_kubeconfig(path)));
  return Loader(std::move(files)).load(context);
}

Result<Connection> load_kubeconfigs(const std::vector<std::string>& paths, std::string_view context) {
  std::vector<File> files;
  std::string missing;
  for (const std::string& path : paths) {
    Result<File> file = read_kubeconfig(path);
    if (file) {
      files.push_back(*std::move(file));
    } else if (file.error().code == Code::kNotFound) {
      missing += (missing.empty() ? "" : "; ") + file.error().message;
    } else {
      return fail(file.error());
    }
  }
  if (files.empty()) return fail(Code::kNotFound, missing.empty() ? "no kubeconfig is named" : missing);
  return Loader(std::move(files)).load(context);
}

Result<Connection> in_cluster_connection(const std::string& folder) {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (!host || !port || !*host || !*port) {
    return fail(Code::kNotFound, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const bool ipv6 = std::strchr(host, ':') != nullptr;
  Connection out;
  out.server = "https://" + (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
  out.ca.file = folder + "/ca.crt";
  out.ca.text = TRY_IN("the service account", read_text_file(out.ca.file));
  out.token_file = folder + "/token";
  TRY_IN("the service account", read_text_file(out.token_file));
  if (const Result<std::string> ns = read_text_file(folder + "/namespace")) out.ns = std::string(trim(*ns));
  return out;
}

}  // namespace tenon::kube

// Reads the exec plugins of a kubeconfig. parity: client-go tools/clientcmd, plugin/pkg/client/auth/exec
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "json/json.h"
#include "kube/access/exec_credential.h"
#include "kube/access/kubeconfig_entry.h"

namespace tenon::kube {
namespace {

using json::value;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// Returns the part of the cluster that a plugin may ask for.
Result<value> cluster_info(const KubeconfigEntry& cluster, const Connection& connection) {
  const std::string server = TRY(cluster.text("server"));
  json::object info{{"server", server}};
  if (!connection.tls_server_name.empty()) info["tls-server-name"] = connection.tls_server_name;
  if (connection.insecure_skip_verify) info["insecure-skip-tls-verify"] = true;
  if (!connection.ca.text.empty()) info["certificate-authority-data"] = base64_encode(connection.ca.text);
  if (!connection.proxy_url.empty()) info["proxy-url"] = TRY(cluster.text("proxy-url"));
  if (!connection.compression) info["disable-compression"] = true;
  for (const KubeconfigEntry& extension : TRY(cluster.entries("extensions"))) {
    if (TRY(extension.text("name")) != kExecExtension) continue;
    if (const value* config = json::find(extension.content(), {"extension"})) info["config"] = *config;
  }
  return value(std::move(info));
}

// The controller has no terminal, and a command that waits for one would hang.
Status check_interactive_mode(const KubeconfigEntry& exec, const std::string& api_version) {
  const std::string mode = TRY(exec.text("interactiveMode"));
  if (mode.empty() && api_version == kExecV1beta1) return ok();
  if (mode == "Never" || mode == "IfAvailable") return ok();
  if (mode.empty()) return exec.wrong("interactiveMode", "must be set for " + api_version + " (Never or IfAvailable)");
  if (mode == "Always") return exec.wrong("interactiveMode", "Always requires a terminal, which this process lacks");
  return exec.wrong("interactiveMode", "must be Never, IfAvailable or Always, not \"" + mode + "\"");
}

}  // namespace

Result<ExecPlugin> read_exec_plugin(const KubeconfigEntry& exec, const KubeconfigEntry& cluster,
                                    const Connection& connection) {
  ExecPlugin plugin;
  plugin.where = exec.where();
  plugin.api_version = TRY(exec.text("apiVersion"));
  if (plugin.api_version != kExecV1 && plugin.api_version != kExecV1beta1) {
    return exec.wrong("apiVersion", "must be " + std::string(kExecV1) + " or " + std::string(kExecV1beta1) +
                                        ", not \"" + plugin.api_version + "\"");
  }
  plugin.command = TRY(exec.text("command"));
  if (plugin.command.empty()) return exec.wrong("command", "must name a program");
  if (plugin.command.find('/') != std::string::npos) plugin.command = exec.resolve(plugin.command);
  plugin.args = TRY(exec.texts("args"));
  for (const KubeconfigEntry& variable : TRY(exec.entries("env"))) {
    const std::string name = TRY(variable.text("name"));
    if (name.empty() || name.find('=') != std::string::npos) return variable.wrong("name", "must name a variable");
    const std::string text = TRY(variable.text("value"));
    plugin.env.emplace_back(name, text);
  }
  plugin.install_hint = TRY(exec.text("installHint"));
  TRY(check_interactive_mode(exec, plugin.api_version));
  json::object spec{{"interactive", false}};
  if (TRY(exec.flag("provideClusterInfo"))) spec["cluster"] = TRY(cluster_info(cluster, connection));
  plugin.info = json::to_string(
      json::object{{"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
  return plugin;
}

}  // namespace tenon::kube

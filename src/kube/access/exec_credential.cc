// SPDX-License-Identifier: Apache-2.0
#include "kube/access/exec_credential.h"

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "kube/limits.h"

namespace tenon::kube {

Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin) {
  const auto wrong = [&plugin](const std::string& what) {
    return fail(Code::kForbidden, plugin.where + ": " + plugin.command + ": " + what);
  };
  const Result<json::value> document = json::parse(text);
  if (!document || !document->is_object()) return wrong("what it prints is not JSON");
  if (json::string_at(*document, {"kind"}) != "ExecCredential") return wrong("it prints no ExecCredential");
  if (const std::string_view version = json::string_at(*document, {"apiVersion"}); version != plugin.api_version) {
    const std::string shown(version.substr(0, kExecV1beta1.size()));
    return wrong("it prints the apiVersion \"" + shown + "\", and the kubeconfig names " + plugin.api_version);
  }
  const auto at = [&](std::string_view field) { return std::string(json::string_at(*document, {"status", field})); };
  ExecCredential out{
      .token = at("token"), .client_cert_pem = at("clientCertificateData"), .client_key_pem = at("clientKeyData")};
  if (out.client_cert_pem.empty() != out.client_key_pem.empty()) {
    return wrong("it prints only one of clientCertificateData and clientKeyData");
  }
  if (out.token.empty() && out.client_cert_pem.empty()) return wrong("it prints neither a token nor a certificate");
  const auto breaks_header = [](unsigned char c) { return c < ' ' || c == 127; };
  if (std::any_of(out.token.begin(), out.token.end(), breaks_header)) {
    return wrong("its token contains a line break or control character");
  }
  if (const std::string expiration = at("expirationTimestamp"); !expiration.empty()) {
    const auto expires = parse_rfc3339(expiration);
    if (!expires) return wrong("its expirationTimestamp is not a time such as 2026-09-01T12:00:00Z");
    out.expires = *expires;
  }
  return out;
}

Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const RunProgram& run, const std::stop_token& stop) {
  runtime::Program program{.words = {plugin.command}, .environment = plugin.env, .quotes_errors = true};
  program.words.insert(program.words.end(), plugin.args.begin(), plugin.args.end());
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", plugin.info);
  const Result<std::string> printed = run(program, kExecTimeout, stop);
  if (printed) return parse_exec_credential(*printed, plugin);
  Error error = printed.error().in(plugin.where);
  if (!plugin.install_hint.empty() && error.code == Code::kNotFound) {
    error.message += "; how to install it: " + std::string(trim(plugin.install_hint));
  }
  return fail(std::move(error));
}

}  // namespace tenon::kube

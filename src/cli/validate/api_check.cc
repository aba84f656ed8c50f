// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/api_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/server.h"
#include "runtime/sim.h"
#include "schema/builtin_crds.h"

namespace tenon::cli {
namespace {

using json::value;

constexpr const char* kHost = "validate";
constexpr std::string_view kUnknownField = "unknown field \"", kUnknown = "unknown field";

struct Endpoint {
  std::string path;  // "/apis/apps/v1"
  std::string plural;
  bool namespaced = false;
};

// Splits the message of strict decoding: `strict decoding error: unknown field "spec.a", unknown field "spec.b"`.
Findings unknown_fields(std::string_view message) {
  Findings found;
  for (size_t at = message.find(kUnknownField); at != message.npos; at = message.find(kUnknownField, at)) {
    at += kUnknownField.size();
    found.push_back(
        {Finding::Kind::kError, std::string(message.substr(at, message.find('"', at) - at)), std::string(kUnknown)});
  }
  return found;
}

}  // namespace

struct ApiCheck::Parts {
  std::unique_ptr<runtime::SimRuntime> runtime = runtime::make_sim_runtime({.seed = 1});
  std::unique_ptr<kubesim::ApiServer> server = kubesim::make_api_server(*runtime);
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{kHost, server.get()}});
  std::map<std::string, std::map<std::string, Endpoint>> endpoints;  // by apiVersion, kind
  std::set<std::string> namespaces;

  Result<value> call(const std::string& method, const std::string& path, const std::string& body = {}) {
    http::Request request;
    request.method = method;
    request.url = std::string("http://") + kHost + path;
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
    request.body = body;
    const http::Response answer = TRY(transport->send(request, {}));
    return json::parse(answer.body);
  }

  const std::map<std::string, Endpoint>& kinds_of(const std::string& api) {
    const auto known = endpoints.find(api);
    if (known != endpoints.end()) return known->second;
    auto& kinds = endpoints[api];
    const std::string path = (api.find('/') == std::string::npos ? "/api/" : "/apis/") + api;
    const auto answer = call("GET", path);
    if (!answer) return kinds;
    for (const value& resource : json::array_at(*answer, {"resources"})) {
      const std::string name(json::string_at(resource, {"name"}));
      if (name.find('/') != std::string::npos) continue;  // a subresource
      kinds[std::string(json::string_at(resource, {"kind"}))] = {path, name, json::bool_at(resource, {"namespaced"})};
    }
    return kinds;
  }

  // Returns why the server refuses the creation; empty if it accepts it.
  Findings refusals(const std::string& path, const std::string& body) {
    const auto answer = call("POST", path, body);
    if (!answer) return {{Finding::Kind::kError, "", answer.error().message}};
    if (json::string_at(*answer, {"kind"}) != "Status" || json::string_at(*answer, {"status"}) == "Success") return {};
    const std::string_view message = json::string_at(*answer, {"message"});
    if (json::string_at(*answer, {"reason"}) == "AlreadyExists") return {};
    Findings out = unknown_fields(message);
    for (const value& cause : json::array_at(*answer, {"details", "causes"})) {
      const std::string field(json::string_at(cause, {"field"}));
      out.push_back(
          {Finding::Kind::kError, field == "<nil>" ? "" : field, std::string(json::string_at(cause, {"message"}))});
    }
    if (out.empty()) out.push_back({Finding::Kind::kError, "", std::string(message)});
    return out;
  }

  // Namespaces need not be among the documents.
  void ensure_namespace(const std::string& ns) {
    if (!namespaces.insert(ns).second) return;
    const value object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}};
    (void)server->create({"", "namespaces"}, "", object);  // `default` exists
  }
};

ApiCheck::ApiCheck() : parts_(std::make_unique<Parts>()) {}
ApiCheck::~ApiCheck() = default;

Result<std::unique_ptr<ApiCheck>> ApiCheck::make() {
  std::unique_ptr<ApiCheck> check(new ApiCheck());
  for (const auto& files : {schema::builtin_crds(), schema::optional_crds(), schema::legacy_crds()}) {
    for (const auto& [name, yaml] : files) {
      for (value& crd : TRY_IN(std::string(name), json::parse_yaml(yaml)))
        TRY(check->parts_->server->create({"apiextensions.k8s.io", "customresourcedefinitions"}, "", std::move(crd)));
    }
  }
  return check;
}

Findings ApiCheck::check(const value& document) {
  using Kind = Finding::Kind;
  const std::string api(json::string_at(document, {"apiVersion"})), kind(json::string_at(document, {"kind"}));
  const auto& kinds = parts_->kinds_of(api);
  const auto found = kinds.find(kind);
  if (found == kinds.end()) {
    return {
        {Kind::kNote, "kind", "no schema of " + kind + " in " + api + " is known here: its fields are not validated"}};
  }
  const Endpoint& endpoint = found->second;
  std::string path = endpoint.path;
  if (endpoint.namespaced) {
    const std::string ns(json::string_at(document, {"metadata", "namespace"}, "default"));
    parts_->ensure_namespace(ns);
    path += "/namespaces/" + ns;
  }
  path += "/" + endpoint.plural + "?dryRun=All&fieldValidation=";
  const std::string body = json::to_string(document);
  Findings out = parts_->refusals(path + "Strict", body);
  const bool unknown = std::any_of(out.begin(), out.end(), [](const auto& f) { return f.text == kUnknown; });
  if (!unknown) return out;
  // Unknown fields end the decoding: without them, the server goes on to the values.
  const Findings more = parts_->refusals(path + "Ignore", body);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace tenon::cli

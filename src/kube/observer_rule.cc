// SPDX-License-Identifier: Apache-2.0
#include "kube/observer_rule.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "json/json.h"

namespace tenon::kube {
namespace {

// Subresources whose GET connects to a container, to a node or to a service. parity: k8s.io/api core/v1 "connect" verbs
constexpr std::array<std::string_view, 4> kConnecting{"attach", "exec", "portforward", "proxy"};

// Returns the path below that of the server; std::nullopt: the URL is of another server.
std::optional<std::string_view> path_below(std::string_view url, std::string_view server) {
  const auto at = http::parse_url(url), base = http::parse_url(server);
  if (!at || !base || at->scheme != base->scheme || at->host != base->host) return std::nullopt;
  std::string_view prefix = base->path;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!at->path.starts_with(prefix)) return std::nullopt;
  return at->path.substr(prefix.size());
}

// A path that a server might resolve to another one.
bool is_plain(std::string_view path) {
  return path.starts_with('/') && path.find("..") == std::string_view::npos &&
         path.find("//") == std::string_view::npos && path.find('\\') == std::string_view::npos;
}

bool connects(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    if (std::find(kConnecting.begin(), kConnecting.end(), segment) != kConnecting.end()) return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

bool names(const std::string& body, const std::string& name) {
  const auto object = json::parse(body);
  return object && json::string_at(*object, {"metadata", "name"}) == name;
}

bool admits(const http::Request& request, std::string_view path, const ObserverScope& scope) {
  if (request.method == "GET") return !connects(path);
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/" + scope.ns + "/leases";
  const std::string lease = leases + "/" + scope.lease, events = "/api/v1/namespaces/" + scope.ns + "/events";
  if (request.method == "POST") return path == events || (path == leases && names(request.body, scope.lease));
  return (request.method == "PUT" || request.method == "PATCH") && path == lease;
}

}  // namespace

Status observer_may_send(const http::Request& request, const ObserverScope& scope) {
  const auto path = path_below(request.url, scope.server);
  if (path && is_plain(*path) && admits(request, *path, scope)) return ok();
  return fail(Code::kForbidden, request.method + " " + std::string(path.value_or(request.url)) +
                                    ": an observer (--observe) writes its lease " + scope.ns + "/" + scope.lease +
                                    " and events in namespace " + scope.ns + " only");
}

}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/webhooks/caller.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "kubesim/apiserver/base/conditions.h"
#include "kubesim/apiserver/kinds/selectors.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::string_at;

constexpr int64_t kHttps = 443;

// A Service without a selector selects no pod.
bool selected(const value& service, const value& pod) {
  const auto& labels = json::object_at(service, {"spec", "selector"});
  const value selector = boost::json::object{{"matchLabels", labels}};
  return !labels.empty() && Labels::of_selector(&selector).matches(pod);
}

// Returns the port of the pod behind a port of its Service; 0: there is none.
int64_t target_port(const value& port, const value& pod) {
  const value* target = json::find(port, {"targetPort"});
  if (target == nullptr) return json::int_at(port, {"port"});
  if (target->is_int64()) return target->get_int64();
  for (const value& container : json::array_at(pod, {"spec", "containers"})) {
    for (const value& named : json::array_at(container, {"ports"})) {
      if (target->is_string() && string_at(named, {"name"}) == std::string_view(target->get_string()))
        return json::int_at(named, {"containerPort"});
    }
  }
  return 0;
}

}  // namespace

Result<WebhookCaller::Address> WebhookCaller::address_of(const value& client_config, const std::string& query) const {
  if (const std::string url(string_at(client_config, {"url"})); !url.empty())
    return Address{url + query, url + query, ""};
  const std::string name(string_at(client_config, {"service", "name"})),
      ns(string_at(client_config, {"service", "namespace"})), path(string_at(client_config, {"service", "path"}, "/"));
  const int64_t wanted = json::int_at(client_config, {"service", "port"}, kHttps);
  const std::string host = name + "." + ns + ".svc";
  const std::string shown = "https://" + host + ":" + std::to_string(wanted) + path + query;
  const Object service = store_.get({"", "services"}, {ns, name});
  if (!service) return fail(Code::kUnavailable, "Post \"" + shown + "\": service \"" + name + "\" not found");
  const auto& ports = json::array_at(*service, {"spec", "ports"});
  const auto port =
      std::find_if(ports.begin(), ports.end(), [&](const value& p) { return json::int_at(p, {"port"}) == wanted; });
  if (port == ports.end()) {
    return fail(Code::kUnavailable, "Post \"" + shown + "\": no service port " + std::to_string(wanted) +
                                        " found for service \"" + name + "\"");
  }
  const bool unready_too = json::bool_at(*service, {"spec", "publishNotReadyAddresses"});
  for (const Object& pod : store_.list({"", "pods"}, ns).items) {
    const std::string ip(string_at(*pod, {"status", "podIP"}));
    const int64_t target = target_port(*port, *pod);
    if (ip.empty() || target == 0 || !selected(*service, *pod) || (!unready_too && !condition_true(*pod, "Ready")))
      continue;
    return Address{shown, "https://" + ip + ":" + std::to_string(target) + path + query, host};
  }
  return fail(Code::kUnavailable, "Post \"" + shown + "\": no endpoints available for service \"" + name + "\"");
}

std::shared_ptr<http::Transport> WebhookCaller::transport(const std::string& ca_pem, const std::string& server_name) {
  const std::lock_guard lock(mutex_);
  auto& kept = transports_[{ca_pem, server_name}];
  if (!kept) kept = transport_(ca_pem, server_name);
  return kept;
}

Result<value> WebhookCaller::call(const value& client_config, const value& review, std::chrono::seconds timeout) {
  const Address address = TRY(address_of(client_config, "?timeout=" + std::to_string(timeout.count()) + "s"));
  const std::string what = "Post \"" + address.shown + "\"";
  if (!transport_) return fail(Code::kUnavailable, what + ": this API server calls no webhooks");
  std::string ca_pem;
  (void)base64_decode(string_at(client_config, {"caBundle"}), ca_pem);
  const auto answer = transport(ca_pem, address.server_name)
                          ->send({.method = "POST",
                                  .url = address.url,
                                  .headers = {{"Content-Type", "application/json"}},
                                  .body = json::to_string(review),
                                  .timeout = timeout},
                                 {});
  if (!answer) return fail(Code::kUnavailable, what + ": " + answer.error().message);
  if (answer->status != 200)
    return fail(Code::kUnavailable, what + ": HTTP " + std::to_string(answer->status) + ": " + answer->body);
  return TRY_IN(what, json::parse(answer->body));
}

}  // namespace tenon::kubesim::apiserver

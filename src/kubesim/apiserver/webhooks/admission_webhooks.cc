// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/webhooks/admission_webhooks.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/json.h"
#include "json/patch.h"
#include "kubesim/apiserver/base/uid.h"
#include "kubesim/apiserver/kinds/selectors.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

const Resource kMutating{"admissionregistration.k8s.io", "mutatingwebhookconfigurations"},
    kValidating{"admissionregistration.k8s.io", "validatingwebhookconfigurations"};
constexpr int64_t kDefaultTimeout = 10;  // seconds

bool lists(const value& rule, std::string_view field, std::string_view wanted) {
  const array& entries = json::array_at(rule, {field});
  return std::any_of(entries.begin(), entries.end(), [&](const value& entry) {
    return entry.is_string() && (entry.get_string() == "*" || std::string_view(entry.get_string()) == wanted);
  });
}

bool names_resource(const value& rule, const AdmissionWebhooks::Write& write) {
  const std::string& plural = write.info.plural;
  if (write.subresource.empty()) return lists(rule, "resources", plural) || lists(rule, "resources", "*/*");
  const std::string sub(write.subresource);
  for (const std::string& wanted : {plural + "/" + sub, plural + "/*", "*/" + sub, std::string("*/*")}) {
    const array& entries = json::array_at(rule, {"resources"});
    if (std::any_of(entries.begin(), entries.end(), [&](const value& e) { return e == value(wanted); })) return true;
  }
  return false;
}

// An absent selector selects everything.
bool selects(const value& webhook, std::string_view field, const value& object_of) {
  const value* selector = json::find(webhook, {field});
  return selector == nullptr || Labels::of_selector(selector).matches(object_of);
}

value review_of(runtime::Runtime& runtime, const AdmissionWebhooks::Write& write, const value& object_of) {
  const ResourceInfo& info = write.info;
  object request{{"uid", new_uid(runtime)},
                 {"kind", object{{"group", info.group}, {"version", info.version}, {"kind", info.kind}}},
                 {"resource", object{{"group", info.group}, {"version", info.version}, {"resource", info.plural}}},
                 {"name", string_at(object_of, {"metadata", "name"})},
                 {"namespace", string_at(object_of, {"metadata", "namespace"})},
                 {"operation", write.operation},
                 {"object", object_of},
                 {"oldObject", write.old ? *write.old : value()},
                 {"dryRun", write.dry_run}};
  if (!write.subresource.empty()) request["subResource"] = write.subresource;
  return object{{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", std::move(request)}};
}

// `admission webhook "name" denied the request: message`
ApiError denied(const std::string& name, const value& response) {
  const std::string message(string_at(response, {"status", "message"}));
  ApiError error{.code = static_cast<int>(json::int_at(response, {"status", "code"}, 403)),
                 .reason = std::string(string_at(response, {"status", "reason"})),
                 .message = "admission webhook \"" + name + "\" denied the request" +
                            (message.empty() ? " without explanation" : ": " + message)};
  if (error.code < 400 || error.code >= 600) error.code = 400;
  return error;
}

}  // namespace

bool AdmissionWebhooks::matches(const value& webhook, const Write& write, const value& object_of) const {
  const array& rules = json::array_at(webhook, {"rules"});
  const bool ruled = std::any_of(rules.begin(), rules.end(), [&](const value& rule) {
    return lists(rule, "apiGroups", write.info.group) && lists(rule, "apiVersions", write.info.version) &&
           lists(rule, "operations", write.operation) && names_resource(rule, write);
  });
  if (!ruled || !selects(webhook, "objectSelector", object_of)) return false;
  if (!write.info.namespaced) return true;
  const Object ns = store_.get({"", "namespaces"}, {"", std::string(string_at(object_of, {"metadata", "namespace"}))});
  return selects(webhook, "namespaceSelector", ns ? *ns : value(object()));
}

Done AdmissionWebhooks::call_one(const value& webhook, const Write& write, value& object_of) const {
  const std::string name(string_at(webhook, {"name"}));
  const value review = review_of(runtime_, write, object_of);
  const auto answer = caller_.call(*json::find(webhook, {"clientConfig"}), review,
                                   std::chrono::seconds(json::int_at(webhook, {"timeoutSeconds"}, kDefaultTimeout)));
  const value* response = answer ? json::find(*answer, {"response"}) : nullptr;
  const bool answered = response != nullptr && string_at(*response, {"uid"}) == string_at(review, {"request", "uid"});
  if (!answered) {
    if (string_at(webhook, {"failurePolicy"}, "Fail") == "Ignore") return {};
    return refuse(internal_error("failed calling webhook \"" + name + "\": failed to call webhook: " +
                                 (answer ? std::string("the answer has another uid") : answer.error().message)));
  }
  if (!json::bool_at(*response, {"allowed"})) return refuse(denied(name, *response));
  const std::string_view encoded = string_at(*response, {"patch"});
  if (encoded.empty()) return {};
  std::string text;
  const auto patch = base64_decode(encoded, text) ? json::parse(text) : Result<value>(fail(Code::kInvalid, "base64"));
  if (!patch || !json::apply_json_patch(object_of, *patch)) {
    return refuse(internal_error("the patch of webhook \"" + name + "\" cannot be applied"));
  }
  return {};
}

Done AdmissionWebhooks::call_all(const Resource& configurations, const Write& write, value& object_of) const {
  if (write.info.group == configurations.group) return {};  // webhooks do not guard their own configurations
  if (store_.count(configurations) == 0) return {};
  for (const Object& configuration : store_.list(configurations, "").items) {
    for (const value& webhook : json::array_at(*configuration, {"webhooks"})) {
      if (json::find(webhook, {"clientConfig"}) == nullptr || !matches(webhook, write, object_of)) continue;
      TRY_API(call_one(webhook, write, object_of));
    }
  }
  return {};
}

Done AdmissionWebhooks::mutate(const Write& write, value& object_of) const {
  return call_all(kMutating, write, object_of);
}

Done AdmissionWebhooks::validate(const Write& write, const value& object_of) const {
  if (store_.count(kValidating) == 0) return {};
  value copy = object_of;  // a validating webhook changes nothing
  return call_all(kValidating, write, copy);
}

}  // namespace tenon::kubesim::apiserver

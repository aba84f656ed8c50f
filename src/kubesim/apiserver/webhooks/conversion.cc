// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/webhooks/conversion.h"

#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "kubesim/apiserver/base/uid.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

constexpr std::chrono::seconds kTimeout{30};

tl::unexpected<ApiError> failed(std::string message) { return refuse({.code = 500, .message = std::move(message)}); }

Answer<std::vector<value>> convert_by(runtime::Runtime& runtime, WebhookCaller& caller, const value& client_config,
                                      std::vector<value> objects, const std::string& api_version) {
  if (objects.empty()) return objects;
  const std::string who = "conversion webhook for " + std::string(string_at(objects.front(), {"apiVersion"})) +
                          ", Kind=" + std::string(string_at(objects.front(), {"kind"})) + " failed: ";
  object request{{"uid", new_uid(runtime)},
                 {"desiredAPIVersion", api_version},
                 {"objects", array(objects.begin(), objects.end())}};
  const value review =
      object{{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "ConversionReview"}, {"request", std::move(request)}};
  const auto answer = caller.call(client_config, review, kTimeout);
  if (!answer) return failed(who + answer.error().message);
  if (string_at(*answer, {"response", "uid"}) != string_at(review, {"request", "uid"}))
    return failed(who + "the answer has another uid");
  if (string_at(*answer, {"response", "result", "status"}) != "Success")
    return failed(who + std::string(string_at(*answer, {"response", "result", "message"})));
  const array& converted = json::array_at(*answer, {"response", "convertedObjects"});
  return std::vector<value>(converted.begin(), converted.end());
}

}  // namespace

ConverterOf webhook_converter(runtime::Runtime& runtime, WebhookCaller& caller) {
  return [&runtime, &caller](const value& client_config) -> Convert {
    return [&runtime, &caller, client_config](std::vector<value> objects, const std::string& api_version) {
      return convert_by(runtime, caller, client_config, std::move(objects), api_version);
    };
  };
}

}  // namespace tenon::kubesim::apiserver

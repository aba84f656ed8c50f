// SPDX-License-Identifier: Apache-2.0
#include "aws/json_protocol.h"

#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

Result<json::value> send(Client& client, Operation& operation, const std::stop_token& stop) {
  operation.read_error = read_json_error;
  const http::Response response = TRY(client.call(operation, stop));
  const std::string name = std::string(operation.service.id) + " " + std::string(operation.action);
  auto parsed = json::parse(response.body);
  if (!parsed) return fail(Code::kInternal, name + ": the answer is not JSON: " + parsed.error().message);
  return std::move(*parsed);
}

// "com.amazonaws.ssm#ParameterNotFound:http://…" becomes ParameterNotFound.
std::string bare_code(std::string_view text) {
  text = cut(text, ':').first;
  if (const size_t at = text.rfind('#'); at != std::string_view::npos) text.remove_prefix(at + 1);
  return std::string(text);
}

}  // namespace

Result<json::value> call_json(Client& client, const JsonTarget& target, const json::value& input,
                              const std::stop_token& stop) {
  Operation operation{.service = target.service, .action = target.action};
  operation.headers = {{"Content-Type", "application/x-amz-json-" + std::string(target.version)},
                       {"X-Amz-Target", target.prefix + "." + target.action}};
  operation.body = json::to_string(input);
  return send(client, operation, stop);
}

Result<json::value> call_rest(Client& client, const RestTarget& target, const std::stop_token& stop) {
  Operation operation{.service = target.service,
                      .action = target.action,
                      .method = target.method,
                      .path = target.path,
                      .query = target.query,
                      .headers = target.headers,
                      .body = target.body,
                      .anonymous = target.anonymous};
  return send(client, operation, stop);
}

ServiceError read_json_error(const http::Response& response) {
  ServiceError error;
  error.code = bare_code(response.headers.get("x-amzn-errortype"));
  error.request_id = response.headers.get("x-amzn-requestid");
  const auto body = json::parse(response.body);
  if (!body) return error;
  if (error.code.empty()) error.code = bare_code(json::string_at(*body, {"__type"}));
  if (error.code.empty()) error.code = bare_code(json::string_at(*body, {"code"}));
  if (error.code.empty()) error.code = json::string_at(*body, {"error"});  // OAuth's format: SSO OIDC
  error.message = json::string_at(*body, {"message"}, json::string_at(*body, {"Message"}));
  if (error.message.empty()) error.message = json::string_at(*body, {"error_description"});
  return error;
}

}  // namespace tenon::aws

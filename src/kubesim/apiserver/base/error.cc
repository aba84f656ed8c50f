// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/error.h"

#include "json/json.h"
#include "kubesim/apiserver/base/resource_info.h"

namespace tenon::kubesim::apiserver {
namespace {

ApiError about(const ResourceInfo& info, std::string_view name, int code, std::string_view reason) {
  return {
      .code = code, .reason = std::string(reason), .name = std::string(name), .group = info.group, .kind = info.plural};
}

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

ApiError not_found(const ResourceInfo& info, std::string_view name) {
  ApiError error = about(info, name, 404, "NotFound");
  error.message = info.qualified() + " " + quoted(name) + " not found";
  return error;
}

ApiError already_exists(const ResourceInfo& info, std::string_view name) {
  ApiError error = about(info, name, 409, "AlreadyExists");
  error.message = info.qualified() + " " + quoted(name) + " already exists";
  return error;
}

ApiError conflict(const ResourceInfo& info, std::string_view name, std::string_view why) {
  ApiError error = about(info, name, 409, "Conflict");
  error.message = "Operation cannot be fulfilled on " + info.qualified() + " " + quoted(name) + ": " + std::string(why);
  return error;
}

ApiError modified_meanwhile(const ResourceInfo& info, std::string_view name) {
  return conflict(info, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

ApiError invalid(const ResourceInfo& info, std::string_view name, std::vector<Cause> causes) {
  ApiError error = about(info, name, 422, "Invalid");
  error.kind = info.kind;
  const std::string kind = info.group.empty() ? info.kind : info.kind + "." + info.group;
  error.message = kind + " " + quoted(name) + " is invalid: " + aggregate(causes);
  error.causes = std::move(causes);
  return error;
}

ApiError forbidden(const ResourceInfo& info, std::string_view name, std::string_view why) {
  ApiError error = about(info, name, 403, "Forbidden");
  error.message = info.qualified() + (name.empty() ? "" : " " + quoted(name)) + " is forbidden: " + std::string(why);
  return error;
}

ApiError bad_request(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

ApiError method_not_supported(const ResourceInfo& info, std::string_view verb) {
  ApiError error = about(info, "", 405, "MethodNotAllowed");
  error.message = std::string(verb) + " is not supported on resources of kind " + quoted(info.qualified());
  return error;
}

ApiError unsupported_media_type(std::string message) {
  return {.code = 415, .reason = "UnsupportedMediaType", .message = std::move(message)};
}

ApiError not_acceptable() {
  return {.code = 406,
          .reason = "NotAcceptable",
          .message = "only the following media types are accepted: application/json, application/yaml"};
}

ApiError expired(std::string message) { return {.code = 410, .reason = "Expired", .message = std::move(message)}; }

ApiError too_many_requests(std::string message, int retry_after_seconds) {
  return {.code = 429,
          .reason = "TooManyRequests",
          .message = std::move(message),
          .retry_after_seconds = retry_after_seconds};
}

ApiError internal_error(std::string message) {
  return {.code = 500, .reason = "InternalError", .message = "Internal error occurred: " + std::move(message)};
}

ApiError unauthorized() { return {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"}; }

ApiError no_such_path() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource",
          .empty_details = true};
}

boost::json::value to_status(const ApiError& error) {
  boost::json::object details;
  if (!error.name.empty()) details["name"] = error.name;
  if (!error.group.empty()) details["group"] = error.group;
  if (!error.kind.empty()) details["kind"] = error.kind;
  if (!error.uid.empty()) details["uid"] = error.uid;
  if (!error.causes.empty()) {
    boost::json::array causes;
    for (const Cause& cause : error.causes) {
      boost::json::object entry{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) entry["field"] = cause.field;
      causes.push_back(std::move(entry));
    }
    details["causes"] = std::move(causes);
  }
  if (error.retry_after_seconds > 0) details["retryAfterSeconds"] = error.retry_after_seconds;
  boost::json::object status{{"kind", "Status"},    {"apiVersion", "v1"},       {"metadata", boost::json::object()},
                             {"status", "Failure"}, {"message", error.message}, {"reason", error.reason}};
  if (!details.empty() || error.empty_details) status["details"] = std::move(details);
  status["code"] = error.code;
  return status;
}

Error to_error(const ApiError& error) {
  const auto code = [&] {
    if (error.reason == "AlreadyExists") return Code::kAlreadyExists;
    switch (error.code) {
      case 404: return Code::kNotFound;
      case 409: return Code::kConflict;
      case 410: return Code::kGone;
      case 401:
      case 403: return Code::kForbidden;
      case 429: return Code::kThrottled;
      case 500: return Code::kInternal;
      default: return Code::kInvalid;
    }
  }();
  Error result{code, error.message};
  if (error.retry_after_seconds > 0) result.retry_after = std::chrono::seconds(error.retry_after_seconds);
  return result;
}

}  // namespace tenon::kubesim::apiserver

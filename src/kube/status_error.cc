// SPDX-License-Identifier: Apache-2.0
#include "kube/status_error.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kube {
namespace {

constexpr size_t kMaxShownBody = 200;  // characters of a body that is not a Status object (a proxy's page)
constexpr int64_t kMaxRetryAfterSeconds = 600;

// parity: k8s.io/apimachinery pkg/api/errors reason constants and their HTTP codes
Code code_of(int status, std::string_view reason) {
  if (reason == "AlreadyExists") return Code::kAlreadyExists;
  switch (status) {
    case 401:
    case 403: return Code::kForbidden;
    case 404: return Code::kNotFound;
    case 408:
    case 504: return Code::kTimeout;
    case 409: return Code::kConflict;
    case 410: return Code::kGone;
    case 429: return Code::kThrottled;
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422: return Code::kInvalid;
    default: return Code::kUnavailable;
  }
}

std::optional<Duration> seconds(int64_t n) {
  if (n <= 0) return std::nullopt;
  return std::chrono::seconds(std::min(n, kMaxRetryAfterSeconds));
}

std::optional<Duration> retry_after(const http::Response& response, const json::value& status) {
  const std::string_view header = response.headers.get("Retry-After");
  int64_t n = 0;
  if (std::from_chars(header.data(), header.data() + header.size(), n).ec == std::errc{} && n > 0) return seconds(n);
  return seconds(json::int_at(status, {"details", "retryAfterSeconds"}));
}

}  // namespace

Error error_of(const http::Response& response, const std::string& what) {
  const Result<json::value> body = json::parse(response.body);
  const json::value status = body && json::string_at(*body, {"kind"}) == "Status" ? *body : json::value();
  std::string message(json::string_at(status, {"message"}));
  if (message.empty()) {
    message = "HTTP " + std::to_string(response.status);
    const std::string_view text = trim(response.body);
    if (!text.empty()) message += ": " + std::string(text.substr(0, kMaxShownBody));
  }
  if (response.status == 401) message += " (the credentials are missing, wrong or expired)";
  Error error{code_of(response.status, json::string_at(status, {"reason"})), what + ": " + message};
  error.retry_after = retry_after(response, status);
  return error;
}

}  // namespace tenon::kube

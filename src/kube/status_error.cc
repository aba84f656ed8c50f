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

// The reason why a budget forbids an eviction. parity: k8s.io/api policy/v1 DisruptionBudgetCause
bool budget_forbids(const http::Response& response) {
  const Result<json::value> status = json::parse(response.body);
  if (!status) return false;
  const json::array& causes = json::array_at(*status, {"details", "causes"});
  return std::any_of(causes.begin(), causes.end(),
                     [](const json::value& cause) { return json::string_at(cause, {"reason"}) == "DisruptionBudget"; });
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

std::optional<Duration> pause_before_retry(const http::Response& response) {
  if (response.status != 401 && response.status != 429 && response.status != 503) return std::nullopt;
  const std::string_view header = response.headers.get("Retry-After");
  int64_t n = 0;
  if (std::from_chars(header.data(), header.data() + header.size(), n).ec != std::errc{}) return std::nullopt;
  if (n < 0 || (n == 0 && response.status != 401)) return std::nullopt;  // no loop without a pause
  if (response.status == 429 && budget_forbids(response)) return std::nullopt;
  return std::chrono::seconds(std::min(n, kMaxRetryAfterSeconds));
}

}  // namespace tenon::kube

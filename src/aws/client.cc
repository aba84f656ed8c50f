// SPDX-License-Identifier: Apache-2.0
#include "aws/client.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "aws/sigv4.h"
#include "base/check.h"
#include "base/text.h"

namespace tenon::aws {
namespace {

// Services accept signatures within 5 minutes (EC2 and most others: 15); beyond this value the clock is wrong.
constexpr Duration kSkewThreshold = 4min;

http::Request make_request(const Operation& operation, const Endpoint& endpoint) {
  http::Request request;
  request.method = operation.method;
  request.url = endpoint.url + operation.path;
  if (!operation.query.empty()) request.url += "?" + operation.query;
  request.headers = operation.headers;
  request.body = operation.body;
  return request;
}

std::optional<Duration> retry_after(const http::Headers& headers) {
  const std::string_view text = headers.get("Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::min<Duration>(std::chrono::seconds(seconds), kMaxBackoff);
}

}  // namespace

std::optional<Instant> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr size_t kLength = 29;  // "Tue, 15 Nov 2022 12:45:26 GMT"
  if (text.size() != kLength || !text.ends_with(" GMT")) return std::nullopt;
  for (size_t month = 0; month < kMonths.size(); ++month) {
    if (text.substr(8, 3) != kMonths[month]) continue;
    const std::string number = (month < 9 ? "0" : "") + std::to_string(month + 1);
    return parse_rfc3339(std::string(text.substr(12, 4)) + "-" + number + "-" + std::string(text.substr(5, 2)) + "T" +
                         std::string(text.substr(17, 8)) + "Z");
  }
  return std::nullopt;
}

Client::Client(Context context, Options options) : context_(context), options_(std::move(options)) {
  CHECK(!options_.region.empty(), "an AWS client needs a region");
}

Endpoint Client::endpoint(const Service& service) const {
  return resolve_endpoint(service, options_.region, options_.environment);
}

std::string Client::make_token() {
  std::array<char, 40> text{};
  const uint64_t a = context_.runtime.random();
  const uint64_t b = context_.runtime.random();
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>((a >> 16) & 0xffff), static_cast<unsigned>(a & 0xfff),
                static_cast<unsigned>(0x8000 | ((b >> 48) & 0x3fff)),
                static_cast<unsigned long long>(b & 0xffffffffffff));
  return text.data();
}

bool Client::adjust_clock(std::string_view date, std::string_view aws_code) {
  const auto theirs = parse_http_date(date);
  if (!theirs || !may_be_clock_skew(aws_code)) return false;
  const Duration offset = *theirs - context_.runtime.now();
  const Duration error = offset - Duration(clock_offset_ns_.load());
  if (error < kSkewThreshold && error > -kSkewThreshold) return false;
  clock_offset_ns_.store(offset.count());
  return true;
}

Client::Outcome Client::judge(const Operation& operation, http::Response response) {
  if (response.status >= 200 && response.status < 300) return {std::move(response), {}};
  ServiceError error;
  if (operation.read_error != nullptr) error = operation.read_error(response);
  Outcome outcome{fail(Code::kInternal, ""), error.code};
  const std::string name = std::string(operation.service.id) + " " + std::string(operation.action);
  Error failure = to_error(name, error, response.status);
  failure.retry_after = retry_after(response.headers);
  outcome.repeatable = is_throttling(error.code) || is_transient(error.code, response.status) ||
                       adjust_clock(response.headers.get("Date"), error.code);
  outcome.response = fail(std::move(failure));
  return outcome;
}

Client::Outcome Client::attempt(const Operation& operation, const Credentials& credentials,
                                const std::stop_token& stop) {
  const Endpoint where = endpoint(operation.service);
  http::Request request = make_request(operation, where);
  const auto url = http::parse_url(request.url);
  if (!url || (url->scheme != "http" && url->scheme != "https")) {
    return {fail(Code::kInvalid, "the endpoint of " + std::string(operation.service.id) + " is no http(s) URL: '" +
                                     where.url + "' (AWS_ENDPOINT_URL)"),
            "InvalidEndpoint"};
  }
  request.timeout = options_.attempt_timeout;
  request.headers.set("User-Agent", options_.user_agent);
  if (!operation.anonymous) {
    const SigningScope scope{where.region, std::string(operation.service.signing_name)};
    sign(request, credentials, scope, context_.runtime.now() + Duration(clock_offset_ns_.load()));
  }
  auto response = context_.transport.send(request, stop);
  if (response) {
    const int status = response->status;
    Outcome outcome = judge(operation, std::move(*response));
    outcome.status = status;
    return outcome;
  }
  const Code code = response.error().code;
  Outcome outcome{fail(response.error().in(std::string(operation.service.id) + " " + std::string(operation.action))),
                  "TransportError"};
  outcome.repeatable = code == Code::kUnavailable || code == Code::kTimeout;
  outcome.cost = kTimeoutCost;
  return outcome;
}

AdaptiveRate* Client::rate_of(const Service& service) {
  if (options_.retry.mode != RetryMode::kAdaptive) return nullptr;
  const std::scoped_lock lock(mutex_);
  return &rates_[service.id];
}

bool Client::await_turn(const Operation& operation, const std::stop_token& stop) {
  AdaptiveRate* rate = rate_of(operation.service);
  if (rate == nullptr) return true;
  const bool launch = is_launch(operation.action);
  const Instant began = context_.runtime.now();
  bool waits = false, stopped = false;
  while (!stopped) {
    const Instant now = context_.runtime.now();
    const Duration wait = rate->admit(launch, now - began, now);
    if (wait == Duration(0)) break;
    if (launch && !waits) rate->launch_waits(true);
    waits = true;
    stopped = context_.runtime.sleep_for(wait, stop) == runtime::Wake::kStopped;
  }
  if (launch && waits) rate->launch_waits(false);
  return !stopped;
}

Result<http::Response> Client::call(const Operation& operation, const std::stop_token& stop) {
  const auto stopped = [&] {
    return fail(Code::kCancelled, std::string(operation.service.id) + " " + std::string(operation.action) +
                                      ": stopped while waiting to try again");
  };
  const int attempts = operation.max_attempts > 0 ? operation.max_attempts : options_.retry.max_attempts;
  const bool legacy = options_.retry.mode == RetryMode::kLegacy;
  const Instant began = context_.runtime.now();
  for (int number = 1;; ++number) {
    if (!await_turn(operation, stop)) return stopped();
    Credentials credentials;
    if (!operation.anonymous) credentials = TRY(context_.credentials.get(stop));
    const Instant start = context_.runtime.now();
    Outcome outcome = attempt(operation, credentials, stop);
    if (AdaptiveRate* rate = rate_of(operation.service)) {
      rate->record_outcome(is_throttling(outcome.aws_code), context_.runtime.now());
    }
    const bool again = !outcome.response && outcome.repeatable && number < attempts && !stop.stop_requested() &&
                       (legacy || budget_.take(outcome.cost, is_launch(operation.action)));
    if (options_.observer) {
      Attempt told{operation.service.id, operation.action, outcome.aws_code};
      told.status = outcome.status;
      told.number = number;
      told.took = context_.runtime.now() - start;
      told.since = context_.runtime.now() - began;
      told.last = !again;
      options_.observer(told);
    }
    if (outcome.response) {
      budget_.give(number == 1 ? kSuccessRefund : kRetryCost);
      return std::move(outcome.response);
    }
    if (!again) return std::move(outcome.response);
    const Duration asked = outcome.response.error().retry_after.value_or(Duration(0));
    const Duration pause = std::max(asked, backoff(number, context_.runtime.random()));
    if (context_.runtime.sleep_for(pause, stop) == runtime::Wake::kStopped) return stopped();
  }
}

}  // namespace tenon::aws

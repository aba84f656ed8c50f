// Test doubles: a Transport with prepared responses that records its requests, and a Runtime whose sleeps return at
// once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aws/client.h"
#include "http/transport.h"
#include "runtime/runtime.h"

namespace tenon::aws::testing {

// Responds in the given order; when no response is left, calls `fallback` or returns kUnavailable "no answer is
// prepared".
// Thread rule: one thread.
class CannedTransport final : public http::Transport {
 public:
  CannedTransport& answer(int status, std::string body, http::Headers headers = {});
  CannedTransport& fail_with(Error error);
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override;
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override;

  std::function<Result<http::Response>(const http::Request&)> fallback;
  std::vector<http::Request> requests;

  // Returns the decoded form of the n-th request's body, as "Name=value" lines in their original order.
  std::vector<std::string> form(size_t n) const;
  bool form_has(size_t n, const std::string& line) const;

 private:
  std::deque<Result<http::Response>> answers_;
};

// Sleeping advances the clock and returns; waiting for an event times out at once. Thread rule: one thread.
class ManualRuntime final : public runtime::Runtime {
 public:
  Instant now() const override { return now_; }
  std::unique_ptr<runtime::Event> make_event() override;
  std::unique_ptr<runtime::Task> spawn(std::string name, std::function<void(const std::stop_token&)> body) override;
  runtime::Wake sleep_until(Instant when, const std::stop_token& stop) override;
  uint64_t random() override;

  void advance(Duration span) { now_ += span; }
  std::vector<Duration> sleeps;

 private:
  Instant now_{Duration(1'788'264'000'000'000'000)};  // 2026-09-01T12:00:00Z
  uint64_t state_ = 0;
};

// A Client with both doubles, fixed keys, region us-east-1 and no environment.
struct CannedClient {
  CannedTransport transport;
  ManualRuntime runtime;
  std::unique_ptr<CredentialsProvider> credentials = make_static_credentials({"AKIDEXAMPLE", "secret", ""});
  Client client{{transport, runtime, *credentials},
                {.region = "us-east-1",
                 .environment = [](const std::string&) { return std::string(); },
                 .user_agent = "tenon-test",
                 .observer = {}}};
};

}  // namespace tenon::aws::testing

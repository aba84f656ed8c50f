// One call of an AWS service: endpoint, credentials, signature, retries, clock skew. The protocols (query_protocol.h,
// json_protocol.h) and the services (ec2.h, ssm.h, …) use it.
//
//   Client client({.transport = *transport, .runtime = *runtime, .credentials = *credentials},
//                 {.region = "us-east-1", .environment = process_environment()});
//   Ec2 ec2(client);
//   auto subnets = TRY(ec2.describe_subnets({.filters = {{"tag:karpenter.sh/discovery", {"demo"}}}}, stop));
//
// Thread rule: any thread; a call blocks its caller. No lock is held while it waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "aws/adaptive_rate.h"
#include "aws/credentials.h"
#include "aws/endpoints.h"
#include "aws/errors.h"
#include "aws/retry.h"
#include "base/result.h"
#include "http/transport.h"

namespace tenon::aws {

// One attempt, reported to the observer; `outcome` is the AWS error code, "" on success, or "TransportError".
struct Attempt {
  std::string_view service, action, outcome;
  int status = 0;  // 0: no response
  int number = 1;
  Duration took{};   // of this attempt
  Duration since{};  // since the start of the call, with the pauses between attempts
  bool last = true;
};
using Observer = std::function<void(const Attempt&)>;

struct Operation {
  const Service& service;
  std::string_view action;  // "CreateFleet", for errors and metrics
  std::string method = "POST";
  std::string path = "/";  // encoded
  std::string query = {};  // encoded
  http::Headers headers = {};
  std::string body = {};
  // Reads the error from a response with status >= 300.
  ServiceError (*read_error)(const http::Response&) = nullptr;
  int max_attempts = 0;    // 1: no retries; 0: the policy's limit
  bool anonymous = false;  // not signed
};

class Client {
 public:
  struct Context {
    http::Transport& transport;
    runtime::Runtime& runtime;
    CredentialsProvider& credentials;
  };
  struct Options {
    std::string region;
    Environment environment = process_environment();
    std::string user_agent = "tenon";
    Duration attempt_timeout = 60s;
    RetryPolicy retry = {};
    Observer observer;  // may be empty; called on the calling thread
  };

  Client(Context context, Options options);

  // Returns a response with status < 300.
  // Errors: the service's (aws/errors.h), kUnavailable, kTimeout, kCancelled, or the credentials'.
  Result<http::Response> call(const Operation& operation, const std::stop_token& stop);

  // Returns a 36-character ClientToken from the runtime's random numbers.
  std::string make_token();
  const std::string& region() const { return options_.region; }
  runtime::Runtime& runtime() { return context_.runtime; }
  CredentialsProvider& credentials() { return context_.credentials; }
  Endpoint endpoint(const Service& service) const;
  int retry_tokens_left() const { return budget_.left(); }

 private:
  struct Outcome {
    Result<http::Response> response;
    std::string aws_code;
    bool repeatable = false;
    int cost = kRetryCost;
    int status = 0;
  };
  Outcome attempt(const Operation& operation, const Credentials& credentials, const std::stop_token& stop);
  Outcome judge(const Operation& operation, http::Response response);
  // In retry mode adaptive, waits until the service may be called. Returns false if `stop` is requested first.
  bool await_turn(const Operation& operation, const std::stop_token& stop);
  AdaptiveRate* rate_of(const Service& service);  // null in the other modes
  bool adjust_clock(std::string_view date, std::string_view aws_code);

  Context context_;
  Options options_;
  RetryBudget budget_;
  std::mutex mutex_;
  std::map<std::string_view, AdaptiveRate> rates_;  // by the service's id
  std::atomic<int64_t> clock_offset_ns_{0};         // the service's clock minus ours
};

// Parses an HTTP date: "Tue, 15 Nov 2022 12:45:26 GMT".
std::optional<Instant> parse_http_date(std::string_view text);

}  // namespace tenon::aws

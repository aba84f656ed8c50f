// SPDX-License-Identifier: Apache-2.0
#include "storm/wire.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::storm {
namespace {

// One in so many requests. Reads fail too, but failing reads find fewer bugs.
constexpr uint64_t kUnavailableOneIn = 250, kReplyLostOneIn = 200, kConflictOneIn = 150, kThrottledOneIn = 60;
constexpr uint64_t kAwsReplyLostOneIn = 12, kWatchCutOneIn = 400;

std::string_view action_of(const http::Request& request) {
  for (const std::string_view field : split(request.body, '&')) {
    const auto [key, value] = cut(field, '=');
    if (key == "Action") return value;
  }
  return cut(request.headers.get("x-amz-target"), '.').second;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Call call_of(const http::Request& request, bool aws) {
  const auto url = http::parse_url(request.url);
  Call call{.aws = aws,
            .method = request.method,
            .path = url ? url->path : "",
            .body = request.body,
            .action = {},
            .parts = {}};
  if (aws) {
    call.action = action_of(request);
  } else {
    call.parts = parts_of(call.path);
  }
  return call;
}

class CuttingSink : public http::StreamSink {
 public:
  CuttingSink(http::StreamSink& inner, const Call& call, const WireOptions& options)
      : inner_(inner), call_(call), options_(options) {}
  bool on_head(int status, const http::Headers& headers) override { return inner_.on_head(status, headers); }
  bool on_data(std::string_view bytes) override {
    runtime::Runtime* runtime = options_.runtime();
    const bool hangs =
        runtime && !call_.replica.empty() && runtime->now() < options_.api_faults->hangs_until(call_.replica);
    cut_ = cut_ || hangs || options_.faults->strikes(Fault::kWatchCut, kWatchCutOneIn);
    if (cut_ || !runtime) return !cut_ && inner_.on_data(bytes);
    std::string lines(bytes);
    expired_ = options_.api_faults->corrupt_watch(call_, runtime->now(), lines);
    return inner_.on_data(lines) && !expired_;
  }
  bool cut() const { return cut_; }
  bool expired() const { return expired_; }

 private:
  http::StreamSink& inner_;
  const Call& call_;
  const WireOptions& options_;
  bool cut_ = false, expired_ = false;
};

class Wire : public http::Transport {
 public:
  Wire(std::unique_ptr<http::Transport> inner, WireOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const http::Request changed = with_bugs(request);
    Call call = call_of(changed, options_.aws);
    note_identity(call);
    call.replica = options_.replica ? std::string_view(*options_.replica) : std::string_view();
    if (options_.bugs.believe_lease && leads_ && call.resource() == "leases")
      return http::Response{200, {{"Content-Type", "application/json"}}, std::string(call.body)};
    if (auto refused = refusal(call)) return std::move(*refused);
    runtime::Runtime* runtime = options_.runtime();
    if (runtime && !call.aws) {
      if (auto wrong = options_.api_faults->instead_of(call, runtime->now())) return std::move(*wrong);
    }
    const bool evicts = call.is("POST", "pods", "eviction");
    if (options_.bugs.stop_at_refusal && evicts && options_.api_faults->refuses())
      return failure(429, "TooManyRequests", "one after the other");
    if (options_.on_call) options_.on_call(call);
    if (const Instant until = runtime && !call.aws ? options_.api_faults->hangs_until(call.replica) : Instant{};
        runtime && runtime->now() < until && !call.replica.empty()) {
      (void)runtime->sleep_until(std::min(until, runtime->now() + request.timeout), stop);
      if (options_.on_done) options_.on_done(call);
      return fail(Code::kTimeout, "the API server does not answer");
    }
    if (options_.bugs.repeat_events && call.resource() == "events") options_.on_call(call);
    if (runtime && !call.aws) {
      const Duration delay = options_.api_faults->delay(call, runtime->now());
      if (delay > Duration(0)) (void)runtime->sleep_for(delay, stop);
    }
    if (options_.bugs.forget_client_token && call.action == "CreateFleet") {
      TRY(inner_->send(with_token(changed), stop));
      return inner_->send(with_token(changed), stop);
    }
    Result<http::Response> answer = inner_->send(changed, stop);
    if (runtime && call.launches()) (void)runtime->sleep_for(options_.api_faults->launch_delay(), stop);
    if (options_.on_done) options_.on_done(call);
    leads_ = leads_ || (answer && answer->status < 300 && call.resource() == "leases" && !call.reads());
    if (runtime && answer && call.reads() && !call.aws)
      options_.api_faults->corrupt(call, runtime->now(), answer->body);
    if (answer && loses_reply(call)) return fail(Code::kTimeout, "the reply was lost");
    return answer;
  }

  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    Call call = call_of(request, options_.aws);
    call.replica = options_.replica ? std::string_view(*options_.replica) : std::string_view();
    CuttingSink cutting(sink, call, options_);
    const Status done = inner_->stream(request, cutting, stop);
    if (cutting.expired()) return ok();
    if (cutting.cut()) return fail(Code::kUnavailable, "the watch was cut");
    return done;
  }

 private:
  std::optional<Result<http::Response>> refusal(const Call& call) {
    FaultPoints& faults = *options_.faults;
    if (call.aws) {
      if (!faults.strikes(Fault::kAwsThrottled, kThrottledOneIn)) return std::nullopt;
      return http::Response{503,
                            {{"Content-Type", "text/xml"}},
                            "<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded."
                            "</Message></Error></Errors><RequestID>storm</RequestID></Response>"};
    }
    if (faults.strikes(Fault::kApiUnavailable, kUnavailableOneIn))
      return failure(503, "ServiceUnavailable", "asked for");
    const bool conditional = call.method == "PATCH" || call.method == "PUT";
    if (conditional && faults.strikes(Fault::kApiConflict, kConflictOneIn))
      return failure(409, "Conflict", "asked for");
    return std::nullopt;
  }

  bool loses_reply(const Call& call) {
    if (call.aws) {
      const bool writes = call.action == "CreateFleet" || call.action == "TerminateInstances";
      return writes && options_.faults->strikes(Fault::kAwsReplyLost, kAwsReplyLostOneIn);
    }
    return !call.reads() && options_.faults->strikes(Fault::kApiReplyLost, kReplyLostOneIn);
  }

  // Records the identity of this replica from its writes to the lease.
  void note_identity(const Call& call) {
    constexpr std::string_view kHolder = "\"holderIdentity\":\"";
    const size_t at = call.resource() == "leases" && !call.reads() ? call.body.find(kHolder) : std::string_view::npos;
    if (at == std::string_view::npos || !options_.replica) return;
    const size_t from = at + kHolder.size();
    const std::string_view holder = call.body.substr(from, call.body.find('"', from) - from);
    if (!holder.empty() && *options_.replica != holder) *options_.replica = holder;
  }

  http::Request with_bugs(http::Request request) const {
    const size_t eviction = request.url.rfind("/eviction");
    if (options_.bugs.evict_by_delete && eviction != std::string::npos) {
      request.method = "DELETE";
      request.url.resize(eviction);
      request.body.clear();
    }
    if (options_.bugs.mislabel && request.method == "POST" && request.url.find("/nodeclaims") != std::string::npos) {
      constexpr std::string_view kLabels = R"("labels":{)";
      request.body.insert(request.body.find(kLabels) + kLabels.size(),
                          R"("karpenter.k8s.aws/instance-cpu":"default",)");
    }
    const size_t claim = request.url.find("/nodeclaims/");
    if (options_.bugs.write_foreign && claim != std::string::npos && request.method == "PATCH") {
      const size_t from = claim + std::string_view("/nodeclaims/").size();
      request.url.replace(from, request.url.find_first_of("/?", from) - from, "foreign-old");
    }
    return request;
  }

  http::Request with_token(http::Request request) {
    const size_t at = request.body.find("ClientToken=");
    const size_t end = std::min(request.body.find('&', at), request.body.size());
    if (at != std::string::npos) request.body.insert(end, "-" + std::to_string(++tokens_));
    return request;
  }

  const std::unique_ptr<http::Transport> inner_;
  const WireOptions options_;
  int tokens_ = 0;
  bool leads_ = false;  // has written the lease
};

}  // namespace

std::unique_ptr<http::Transport> make_wire(std::unique_ptr<http::Transport> inner, WireOptions options) {
  return std::make_unique<Wire>(std::move(inner), std::move(options));
}

}  // namespace tenon::storm

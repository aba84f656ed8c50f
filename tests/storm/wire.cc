// SPDX-License-Identifier: Apache-2.0
#include "storm/wire.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::storm {
namespace {

// One in so many requests. Reads fail too, but less is learnt from them.
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

// Where the resource's name stands among the parts: after api/v1 or apis/group/version, and after a namespace.
size_t resource_at(const std::vector<std::string_view>& parts) {
  size_t at = parts.empty() || parts.front() == "api" ? 2 : 3;
  if (at + 2 < parts.size() && parts[at] == "namespaces") at += 2;
  return at;
}

class CuttingSink : public http::StreamSink {
 public:
  CuttingSink(http::StreamSink& inner, FaultPoints& faults) : inner_(inner), faults_(faults) {}
  bool on_head(int status, const http::Headers& headers) override { return inner_.on_head(status, headers); }
  bool on_data(std::string_view bytes) override {
    cut_ = cut_ || faults_.strikes(Fault::kWatchCut, kWatchCutOneIn);
    return !cut_ && inner_.on_data(bytes);
  }
  bool cut() const { return cut_; }

 private:
  http::StreamSink& inner_;
  FaultPoints& faults_;
  bool cut_ = false;
};

class Wire : public http::Transport {
 public:
  Wire(std::unique_ptr<http::Transport> inner, WireOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const http::Request changed = with_bugs(request);
    const Call call = call_of(changed, options_.aws);
    if (auto refused = refusal(call)) return std::move(*refused);
    if (options_.on_call) options_.on_call(call);
    if (options_.bugs.forget_client_token && call.action == "CreateFleet") {
      TRY(inner_->send(with_token(changed), stop));
      return inner_->send(with_token(changed), stop);
    }
    Result<http::Response> answer = inner_->send(changed, stop);
    if (answer && loses_reply(call)) return fail(Code::kTimeout, "the reply was lost");
    return answer;
  }

  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    CuttingSink cutting(sink, *options_.faults);
    const Status done = inner_->stream(request, cutting, stop);
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
    if (faults.strikes(Fault::kApiUnavailable, kUnavailableOneIn)) return status(503, "ServiceUnavailable");
    const bool conditional = call.method == "PATCH" || call.method == "PUT";
    if (conditional && faults.strikes(Fault::kApiConflict, kConflictOneIn)) return status(409, "Conflict");
    return std::nullopt;
  }

  bool loses_reply(const Call& call) {
    if (call.aws) {
      const bool writes = call.action == "CreateFleet" || call.action == "TerminateInstances";
      return writes && options_.faults->strikes(Fault::kAwsReplyLost, kAwsReplyLostOneIn);
    }
    return !call.reads() && options_.faults->strikes(Fault::kApiReplyLost, kReplyLostOneIn);
  }

  static http::Response status(int code, const std::string& reason) {
    return {code,
            {{"Content-Type", "application/json"}},
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"asked for","reason":")" +
                reason + R"(","code":)" + std::to_string(code) + "}"};
  }

  http::Request with_bugs(http::Request request) const {
    const size_t eviction = request.url.rfind("/eviction");
    if (options_.bugs.evict_by_delete && eviction != std::string::npos) {
      request.method = "DELETE";
      request.url.resize(eviction);
      request.body.clear();
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
};

}  // namespace

bool Call::is(std::string_view verb, std::string_view resource, std::string_view subresource) const {
  const size_t at = resource_at(parts);
  if (aws || method != verb || at >= parts.size() || parts[at] != resource) return false;
  return subresource.empty() ? parts.size() <= at + 2 : parts.size() == at + 3 && parts[at + 2] == subresource;
}

std::string_view Call::ns() const {
  const size_t at = resource_at(parts);
  return at >= 2 && at < parts.size() && parts[at - 2] == "namespaces" ? parts[at - 1] : std::string_view();
}

std::string_view Call::name() const {
  const size_t at = resource_at(parts);
  return at + 1 < parts.size() ? parts[at + 1] : std::string_view();
}

std::unique_ptr<http::Transport> make_wire(std::unique_ptr<http::Transport> inner, WireOptions options) {
  return std::make_unique<Wire>(std::move(inner), std::move(options));
}

}  // namespace tenon::storm

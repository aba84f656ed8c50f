// SPDX-License-Identifier: Apache-2.0
#include "aws/testing/canned.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::aws::testing {
namespace {

class CountingEvent final : public runtime::Event {
 public:
  uint64_t version() const override { return version_; }
  void notify() override { ++version_; }
  runtime::Wake wait(uint64_t seen, Instant, const std::stop_token& stop) override {
    if (stop.stop_requested()) return runtime::Wake::kStopped;
    return version_ != seen ? runtime::Wake::kNotified : runtime::Wake::kTimeout;
  }

 private:
  uint64_t version_ = 0;
};

}  // namespace

CannedTransport& CannedTransport::answer(int status, std::string body, http::Headers headers) {
  answers_.emplace_back(http::Response{status, std::move(headers), std::move(body)});
  return *this;
}

CannedTransport& CannedTransport::fail_with(Error error) {
  answers_.emplace_back(fail(std::move(error)));
  return *this;
}

Result<http::Response> CannedTransport::send(const http::Request& request, const std::stop_token& stop) {
  requests.push_back(request);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (answers_.empty()) {
    if (fallback) return fallback(request);
    return fail(Code::kUnavailable, "no answer is prepared");
  }
  auto answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

Status CannedTransport::stream(const http::Request&, http::StreamSink&, const std::stop_token&) {
  return fail(Code::kInternal, "AWS calls do not stream");
}

std::vector<std::string> CannedTransport::form(size_t n) const {
  CHECK(n < requests.size(), "no such request");
  std::vector<std::string> lines;
  for (const auto& [name, value] : http::parse_query(requests[n].body)) lines.push_back(name + "=" + value);
  return lines;
}

bool CannedTransport::form_has(size_t n, const std::string& line) const {
  const auto lines = form(n);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::unique_ptr<runtime::Event> ManualRuntime::make_event() { return std::make_unique<CountingEvent>(); }

std::unique_ptr<runtime::Task> ManualRuntime::spawn(std::string, std::function<void(const std::stop_token&)>) {
  CHECK(false, "a ManualRuntime has one thread");
  return nullptr;
}

runtime::Wake ManualRuntime::sleep_until(Instant when, const std::stop_token& stop) {
  if (stop.stop_requested()) return runtime::Wake::kStopped;
  sleeps.push_back(when - now_);
  now_ = std::max(now_, when);
  return runtime::Wake::kTimeout;
}

uint64_t ManualRuntime::random() { return state_ += 0x9e3779b97f4a7c15; }

}  // namespace tenon::aws::testing

// SPDX-License-Identifier: Apache-2.0
#include "kube/client_metrics.h"

#include <chrono>
#include <optional>
#include <vector>

#include "base/text.h"

namespace tenon::kube {
namespace {

using metrics::Detail;

class MeasuredTransport final : public http::Transport {
 public:
  MeasuredTransport(http::Transport& inner, runtime::Runtime& runtime, metrics::Registry& registry)
      : inner_(inner),
        runtime_(runtime),
        requests_(registry.counter({"rest_client_requests_total",
                                    "Requests to the API server, by status code (<error>: no response).",
                                    {"code", "host", "method"}})),
        total_(registry.counter({"client_go_request_total",
                                 "Requests to the API server, by status code (<error>: no response).",
                                 {"code", "method"}})),
        duration_(registry.histogram({"client_go_request_duration_seconds",
                                      "Seconds until the API server responded.",
                                      {"verb", "group", "version", "kind", "subresource"},
                                      {},
                                      Detail::kFull},
                                     metrics::exponential_buckets(0.001, 1.5, 20))) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const Instant began = runtime_.now();
    auto answer = inner_.send(request, stop);
    count(request, answer ? std::optional(answer->status) : std::nullopt);
    time(request, began);
    return answer;
  }

  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    Head head(*this, request, sink);
    const Status ended = inner_.stream(request, head, stop);
    if (!head.seen) {
      count(request, std::nullopt);
      time(request, head.began);
    }
    return ended;
  }

 private:
  struct Head final : http::StreamSink {
    Head(MeasuredTransport& owner, const http::Request& asked, http::StreamSink& to)
        : measure(owner), request(asked), sink(to), began(owner.runtime_.now()) {}
    bool on_head(int status, const http::Headers& headers) override {
      seen = true;
      measure.count(request, status);
      measure.time(request, began);
      return sink.on_head(status, headers);
    }
    bool on_data(std::string_view bytes) override { return sink.on_data(bytes); }

    MeasuredTransport& measure;
    const http::Request& request;
    http::StreamSink& sink;
    const Instant began;
    bool seen = false;
  };

  void count(const http::Request& request, std::optional<int> status) {
    const std::string code = status ? std::to_string(*status) : "<error>";
    const auto url = http::parse_url(request.url);
    requests_.add({{"code", code}, {"host", std::string(url ? url->host : "")}, {"method", request.method}});
    total_.add({{"code", code}, {"method", request.method}});
  }

  void time(const http::Request& request, Instant began) {
    if (!duration_.shown()) return;
    const auto url = http::parse_url(request.url);
    const RequestSubject subject = subject_of(url ? url->path : "");
    duration_.observe({{"verb", request.method},
                       {"group", subject.group},
                       {"version", subject.version},
                       {"kind", subject.resource},
                       {"subresource", subject.subresource}},
                      std::chrono::duration<double>(runtime_.now() - began).count());
  }

  http::Transport& inner_;
  runtime::Runtime& runtime_;
  metrics::Counter &requests_, &total_;
  metrics::Histogram& duration_;
};

}  // namespace

// /api/v1/[namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]] and /apis/GROUP/VERSION/…; other paths have no subject.
RequestSubject subject_of(std::string_view path) {
  const std::vector<std::string_view> parts = split(path.substr(path.starts_with('/') ? 1 : 0), '/');
  RequestSubject subject;
  size_t at = 1;
  if (parts.front() == "apis" && parts.size() > 3) {
    subject.group = parts[at++];
  } else if (parts.front() != "api" || parts.size() < 3) {
    return subject;
  }
  subject.version = parts[at++];
  if (parts[at] == "namespaces" && parts.size() > at + 2) at += 2;
  subject.resource = parts[at];
  if (parts.size() > at + 2) subject.subresource = parts[at + 2];
  return subject;
}

std::unique_ptr<http::Transport> measure_requests(http::Transport& inner, runtime::Runtime& runtime,
                                                  metrics::Registry& registry) {
  return std::make_unique<MeasuredTransport>(inner, runtime, registry);
}

}  // namespace tenon::kube

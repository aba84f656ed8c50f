// SPDX-License-Identifier: Apache-2.0
#include "http/loopback_transport.h"

#include <atomic>

#include "base/check.h"

namespace tenon::http {
namespace {

constexpr int kNoAnswerStatus = 500;  // as the socket server, if a handler does not answer

class CollectingWriter : public ResponseWriter {
 public:
  void respond(Response response) override {
    CHECK(response_.status == 0, "a handler answered twice");
    response_ = std::move(response);
  }
  Status begin(int status, Headers headers) override {
    respond({status, std::move(headers), ""});
    return ok();
  }
  Status write(std::string_view bytes) override {
    response_.body += bytes;
    return ok();
  }
  Response take() {
    if (response_.status == 0) response_.status = kNoAnswerStatus;
    return std::move(response_);
  }

 private:
  Response response_;
};

class SinkWriter : public ResponseWriter {
 public:
  SinkWriter(StreamSink& sink, std::stop_source& handler_stop) : sink_(sink), handler_stop_(handler_stop) {}

  void respond(Response response) override {
    if (begin(response.status, std::move(response.headers)) && !response.body.empty()) write_or_stop(response.body);
  }
  Status begin(int status, Headers headers) override {
    CHECK(!begun_, "a handler answered twice");
    begun_ = true;
    if (!handler_stop_.stop_requested() && !sink_.on_head(status, headers)) handler_stop_.request_stop();
    return reader_state();
  }
  Status write(std::string_view bytes) override {
    write_or_stop(bytes);
    return reader_state();
  }
  bool begun() const { return begun_; }

 private:
  void write_or_stop(std::string_view bytes) {
    if (!handler_stop_.stop_requested() && !sink_.on_data(bytes)) handler_stop_.request_stop();
  }
  Status reader_state() const {
    if (handler_stop_.stop_requested()) return fail(Code::kUnavailable, "the reader of this response has gone");
    return ok();
  }

  StreamSink& sink_;
  std::stop_source& handler_stop_;
  bool begun_ = false;
};

// Records the time of the last byte.
class TimedSink : public StreamSink {
 public:
  TimedSink(StreamSink& inner, runtime::Runtime* clock) : inner_(inner), clock_(clock) { touch(); }
  bool on_head(int status, const Headers& headers) override {
    touch();
    return inner_.on_head(status, headers);
  }
  bool on_data(std::string_view bytes) override {
    touch();
    return inner_.on_data(bytes);
  }
  Instant last() const { return last_.load(); }

 private:
  void touch() {
    if (clock_ != nullptr) last_ = clock_->now();
  }

  StreamSink& inner_;
  runtime::Runtime* const clock_;
  std::atomic<Instant> last_ = Instant{};
};

class LoopbackTransport : public Transport {
 public:
  LoopbackTransport(std::map<std::string, Handler*> hosts, runtime::Runtime* clock)
      : hosts_(std::move(hosts)), clock_(clock) {}

  Result<Response> send(const Request& request, const std::stop_token& stop) override {
    const Route route = TRY(find(request, stop));
    CollectingWriter writer;
    route.handler->serve(route.request, writer, stop);
    if (stop.stop_requested()) return cancelled(request);
    return writer.take();
  }

  Status stream(const Request& request, StreamSink& sink, const std::stop_token& stop) override {
    const Route route = TRY(find(request, stop));
    std::stop_source handler_stop;
    TimedSink timed(sink, clock_);
    SinkWriter writer(timed, handler_stop);
    std::atomic<bool> silent = false;
    {
      const std::stop_callback on_stop(stop, [&] { handler_stop.request_stop(); });
      const auto watchdog = clock_ == nullptr ? nullptr : clock_->spawn("silence", [&](const std::stop_token& done) {
        while (clock_->sleep_until(timed.last() + request.timeout, done) == runtime::Wake::kTimeout) {
          if (clock_->now() < timed.last() + request.timeout) continue;
          silent = true;
          handler_stop.request_stop();
          return;
        }
      });
      route.handler->serve(route.request, writer, handler_stop.get_token());
    }
    if (stop.stop_requested()) return cancelled(request);
    if (silent) return fail(Code::kTimeout, request.url + ": silent for " + format_go_duration(request.timeout));
    if (!writer.begun()) writer.respond({kNoAnswerStatus, {}, ""});
    return ok();
  }

 private:
  struct Route {
    Handler* handler = nullptr;
    ServerRequest request;
  };

  static tl::unexpected<Error> cancelled(const Request& request) {
    return fail(Code::kCancelled, request.method + " " + request.url + ": cancelled");
  }

  Result<Route> find(const Request& request, const std::stop_token& stop) const {
    if (stop.stop_requested()) return cancelled(request);
    const auto url = parse_url(request.url);
    if (!url) return fail(Code::kInvalid, "not an absolute URL: '" + request.url + "'");
    const auto host = hosts_.find(std::string(url->host));
    if (host == hosts_.end())
      return fail(Code::kUnavailable, std::string(url->host) + ": no such host in this process");
    Route route;
    route.handler = host->second;
    route.request = {.method = request.method,
                     .host = std::string(url->host),
                     .raw_path = url->path.empty() ? "/" : std::string(url->path),
                     .raw_query = std::string(url->query),
                     .headers = request.headers,
                     .body = request.body};
    return route;
  }

  const std::map<std::string, Handler*> hosts_;
  runtime::Runtime* const clock_;  // null: no timeouts
};

}  // namespace

std::unique_ptr<Transport> make_loopback_transport(std::map<std::string, Handler*> hosts, runtime::Runtime* clock) {
  return std::make_unique<LoopbackTransport>(std::move(hosts), clock);
}

}  // namespace tenon::http

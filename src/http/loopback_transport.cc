// SPDX-License-Identifier: Apache-2.0
#include "http/loopback_transport.h"

#include "base/check.h"

namespace tenon::http {
namespace {

constexpr int kNoAnswerStatus = 500;  // as the socket server answers for a handler that did not

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

class LoopbackTransport : public Transport {
 public:
  explicit LoopbackTransport(std::map<std::string, Handler*> hosts) : hosts_(std::move(hosts)) {}

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
    SinkWriter writer(sink, handler_stop);
    {
      const std::stop_callback on_stop(stop, [&] { handler_stop.request_stop(); });
      route.handler->serve(route.request, writer, handler_stop.get_token());
    }
    if (stop.stop_requested()) return cancelled(request);
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
};

}  // namespace

std::unique_ptr<Transport> make_loopback_transport(std::map<std::string, Handler*> hosts) {
  return std::make_unique<LoopbackTransport>(std::move(hosts));
}

}  // namespace tenon::http

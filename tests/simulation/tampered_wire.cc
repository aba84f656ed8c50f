// SPDX-License-Identifier: Apache-2.0
#include "simulation/tampered_wire.h"

#include "json/json.h"

namespace tenon::simulation {
namespace {

class TamperedWire final : public http::Transport {
 public:
  TamperedWire(std::unique_ptr<http::Transport> inner, std::function<runtime::Runtime&()> runtime, Tamper tamper)
      : inner_(std::move(inner)), runtime_(std::move(runtime)), tamper_(std::move(tamper)) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    return tamper_({request, runtime_(), stop, [&] { return inner_->send(request, stop); }});
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  const std::unique_ptr<http::Transport> inner_;
  const std::function<runtime::Runtime&()> runtime_;
  const Tamper tamper_;
};

}  // namespace

http::Response kube_refusal(int code, const std::string& reason, const std::string& message) {
  const json::value status = json::object{{"kind", "Status"},     {"apiVersion", "v1"}, {"status", "Failure"},
                                          {"message", message},   {"reason", reason},   {"code", code},
                                          {"metadata", json::object{}}};
  return {code, {{"Content-Type", "application/json"}}, json::to_string(status)};
}

http::Response ec2_refusal(const std::string& code, const std::string& message) {
  return {400,
          {{"Content-Type", "text/xml"}},
          "<Response><Errors><Error><Code>" + code + "</Code><Message>" + message +
              "</Message></Error></Errors><RequestID>test</RequestID></Response>"};
}

std::unique_ptr<http::Transport> tamper_with(std::unique_ptr<http::Transport> inner,
                                             std::function<runtime::Runtime&()> runtime, Tamper tamper) {
  return std::make_unique<TamperedWire>(std::move(inner), std::move(runtime), std::move(tamper));
}

}  // namespace tenon::simulation

// SPDX-License-Identifier: Apache-2.0
#include "http/filtered_transport.h"

#include <utility>

namespace tenon::http {
namespace {

class FilteredTransport : public Transport {
 public:
  FilteredTransport(std::unique_ptr<Transport> inner, RequestRule admits)
      : inner_(std::move(inner)), admits_(std::move(admits)) {}

  Result<Response> send(const Request& request, const std::stop_token& stop) override {
    TRY_IN("not sent", admits_(request));
    return inner_->send(request, stop);
  }
  Status stream(const Request& request, StreamSink& sink, const std::stop_token& stop) override {
    TRY_IN("not sent", admits_(request));
    return inner_->stream(request, sink, stop);
  }

 private:
  const std::unique_ptr<Transport> inner_;
  const RequestRule admits_;
};

}  // namespace

std::unique_ptr<Transport> make_filtered_transport(std::unique_ptr<Transport> inner, RequestRule admits) {
  return std::make_unique<FilteredTransport>(std::move(inner), std::move(admits));
}

}  // namespace tenon::http

// SPDX-License-Identifier: Apache-2.0
#include "simulation/as_karpenter.h"

#include "base/check.h"
#include "json/json.h"

namespace tenon::simulation {
namespace {

class AsKarpenter final : public http::Transport {
 public:
  explicit AsKarpenter(std::unique_ptr<http::Transport> inner) : inner_(std::move(inner)) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    if (request.method != "POST" || !request.url.ends_with("/nodeclaims")) return inner_->send(request, stop);
    json::value claim = *json::parse(request.body);
    CHECK(!json::string_at(claim, {"metadata", "annotations", "tenon.dev/launched-by"}).empty(),
          "the claim has no mark");
    json::erase(claim, {"metadata", "annotations", "tenon.dev/launched-by"});
    http::Request changed = request;
    changed.body = json::to_string(claim);
    return inner_->send(changed, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  const std::unique_ptr<http::Transport> inner_;
};

}  // namespace

std::unique_ptr<http::Transport> as_karpenter(std::unique_ptr<http::Transport> inner) {
  return std::make_unique<AsKarpenter>(std::move(inner));
}

}  // namespace tenon::simulation

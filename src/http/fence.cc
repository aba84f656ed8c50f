// SPDX-License-Identifier: Apache-2.0
#include "http/fence.h"

#include <utility>

namespace tenon::http {
namespace {

class FencedTransport : public Transport {
 public:
  FencedTransport(Transport& inner, const Fence& fence) : inner_(inner), fence_(fence) {}

  Result<Response> send(const Request& request, const std::stop_token& stop) override {
    TRY_IN(request.method, fence_.check());
    return inner_.send(request, stop);
  }
  Status stream(const Request& request, StreamSink& sink, const std::stop_token& stop) override {
    TRY_IN(request.method, fence_.check());
    return inner_.stream(request, sink, stop);
  }

 private:
  Transport& inner_;
  const Fence& fence_;
};

}  // namespace

bool Fence::extend(Instant until) {
  const std::lock_guard lock(mutex_);
  if (!check_locked()) return false;
  until_ = until;
  return true;
}

void Fence::close(std::string why) {
  const std::lock_guard lock(mutex_);
  if (closed_.empty()) closed_ = std::move(why);
}

Status Fence::check() const {
  const std::lock_guard lock(mutex_);
  return check_locked();
}

Status Fence::check_locked() const {
  if (!closed_.empty()) return fail(Code::kCancelled, "not sent: " + closed_);
  if (runtime_.now() >= until_) return fail(Code::kCancelled, "not sent: the lease was not renewed in time");
  return ok();
}

std::unique_ptr<Transport> make_fenced_transport(Transport& inner, const Fence& fence) {
  return std::make_unique<FencedTransport>(inner, fence);
}

}  // namespace tenon::http

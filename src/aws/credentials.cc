// SPDX-License-Identifier: Apache-2.0
#include "aws/credentials.h"

#include <mutex>
#include <optional>

namespace tenon::aws {
namespace {

class StaticCredentials final : public CredentialsProvider {
 public:
  explicit StaticCredentials(Credentials credentials) : credentials_(std::move(credentials)) {}
  Result<Credentials> get(const std::stop_token&) override { return credentials_; }

 private:
  const Credentials credentials_;
};

// One caller refreshes, the others wait for it; no lock is held during the refresh.
class CachedCredentials final : public CredentialsProvider {
 public:
  CachedCredentials(std::unique_ptr<CredentialsProvider> source, runtime::Runtime& runtime)
      : source_(std::move(source)), runtime_(runtime), refreshed_(runtime.make_event()) {}

  Result<Credentials> get(const std::stop_token& stop) override {
    while (true) {
      const uint64_t seen = refreshed_->version();
      {
        const std::scoped_lock lock(mutex_);
        const Instant now = runtime_.now();
        const bool usable = cached_ && now < cached_->expires;
        if (usable && (cached_->expires == kNever || now < cached_->expires - kRefreshAhead || now < quiet_until_)) {
          return *cached_;
        }
        if (refreshing_ && usable) return *cached_;
        if (!refreshing_) {
          refreshing_ = true;
          break;
        }
      }
      if (refreshed_->wait(seen, kNever, stop) == runtime::Wake::kStopped) {
        return fail(Code::kCancelled, "stopped while waiting for AWS credentials");
      }
    }
    return refresh(stop);
  }

 private:
  static constexpr Duration kPauseAfterFailure = 30s;

  Result<Credentials> refresh(const std::stop_token& stop) {
    Result<Credentials> fresh = source_->get(stop);
    {
      const std::scoped_lock lock(mutex_);
      refreshing_ = false;
      const Instant now = runtime_.now();
      if (fresh) {
        cached_ = *fresh;
      } else if (cached_ && now < cached_->expires) {
        quiet_until_ = now + kPauseAfterFailure;
        fresh = *cached_;
      }
    }
    refreshed_->notify();
    return fresh;
  }

  const std::unique_ptr<CredentialsProvider> source_;
  runtime::Runtime& runtime_;
  const std::unique_ptr<runtime::Event> refreshed_;
  std::mutex mutex_;
  std::optional<Credentials> cached_;
  Instant quiet_until_{};
  bool refreshing_ = false;
};

}  // namespace

std::unique_ptr<CredentialsProvider> make_static_credentials(Credentials credentials) {
  return std::make_unique<StaticCredentials>(std::move(credentials));
}

std::unique_ptr<CredentialsProvider> make_cached_credentials(std::unique_ptr<CredentialsProvider> source,
                                                             runtime::Runtime& runtime) {
  return std::make_unique<CachedCredentials>(std::move(source), runtime);
}

}  // namespace tenon::aws

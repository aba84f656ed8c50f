// The reflector: list, then watch from there, for ever. What goes wrong is waited out with a growing, jittered delay;
// only 410 (the log no longer reaches back to our version) makes it list again. parity: client-go
// tools/cache/reflector.go
// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <algorithm>
#include <atomic>

#include "json/json.h"
#include "kube/limits.h"

namespace tenon::kube {
namespace {

using json::value;

class ThreadedReflector : public Reflector {
 public:
  ThreadedReflector(runtime::Runtime& runtime, Client& client, ResourceType type, ListOptions options, Sink& sink)
      : runtime_(runtime), client_(client), type_(std::move(type)), options_(std::move(options)), sink_(sink) {
    task_ = runtime_.spawn("informer/" + type_.plural, [this](const std::stop_token& stop) { run(stop); });
  }
  ~ThreadedReflector() override { task_.reset(); }

  bool synced() const override { return synced_.load(); }
  bool absent() const override { return absent_.load(); }
  std::string last_problem() const override {
    const std::lock_guard lock(mutex_);
    return last_problem_;
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Result<std::string> version = client_.list_pages(
          type_, options_, [&](std::vector<value> items, bool first) { sink_.list_page(std::move(items), first); },
          stop);
      absent_ = !version && version.error().code == Code::kNotFound;
      if (absent_) sink_.no_such_kind();
      if (!version) {
        wait_out(version.error(), stop);
        continue;
      }
      version_ = *version;
      sink_.list_done();
      synced_ = true;
      backoff_ = kFirstBackoff;
      watch(stop);
    }
  }

  // Until the server has forgotten our version.
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Instant begun = runtime_.now();
      bool news = false;
      const Status ended = client_.watch(
          type_, options_, version_,
          [&](std::string_view kind, value object) {
            news = true;
            on_event(kind, object);
            return !stop.stop_requested();
          },
          stop);
      if (news) backoff_ = kFirstBackoff;
      if (!ended && ended.error().code == Code::kGone) return;
      if (!ended) {
        wait_out(ended.error(), stop);
      } else if (!news && runtime_.now() - begun < kShortWatch) {
        wait_out(Error{Code::kUnavailable, "watch " + type_.plural + ": closed at once"}, stop);
      }
    }
  }

  void on_event(std::string_view kind, const value& object) {
    const std::string_view version = json::string_at(object, {"metadata", "resourceVersion"});
    if (!version.empty()) version_ = version;
    if (kind == "ADDED" || kind == "MODIFIED") sink_.upsert(object);
    if (kind == "DELETED") sink_.erase(object);
  }

  void wait_out(const Error& error, const std::stop_token& stop) {
    if (stop.stop_requested()) return;
    {
      const std::lock_guard lock(mutex_);
      last_problem_ = error.message;
    }
    // Between once and twice the delay, so that the informers do not come back all at once.
    const auto jitter = Duration(static_cast<int64_t>(runtime_.random() % static_cast<uint64_t>(backoff_.count())));
    runtime_.sleep_for(std::max(backoff_ + jitter, error.retry_after.value_or(Duration(0))), stop);
    backoff_ = std::min(backoff_ * 2, kMaxBackoff);
  }

  runtime::Runtime& runtime_;
  Client& client_;
  const ResourceType type_;
  const ListOptions options_;
  Sink& sink_;
  std::atomic<bool> synced_ = false, absent_ = false;
  mutable std::mutex mutex_;
  std::string last_problem_;
  // Only the thread's own:
  std::string version_;
  Duration backoff_ = kFirstBackoff;
  std::unique_ptr<runtime::Task> task_;  // last: it uses the rest
};

}  // namespace

std::unique_ptr<Reflector> start_reflector(runtime::Runtime& runtime, Client& client, ResourceType type,
                                           ListOptions options, Reflector::Sink& sink) {
  return std::make_unique<ThreadedReflector>(runtime, client, std::move(type), std::move(options), sink);
}

std::string object_key(const value& object) {
  const std::string_view ns = json::string_at(object, {"metadata", "namespace"});
  const std::string_view name = json::string_at(object, {"metadata", "name"});
  return ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name);
}

}  // namespace tenon::kube

// The reflector: lists, then watches from that version, forever. Errors are retried after a growing, jittered delay. It
// lists again after 410 (the log no longer contains the version), after 404 (the kind is unknown), and after a list
// that lacks known objects. parity: client-go tools/cache/reflector.go
// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "json/json.h"
#include "kube/limits.h"
#include "runtime/backoff.h"

namespace tenon::kube {
namespace {

using json::value;

class ThreadedReflector : public Reflector {
 public:
  ThreadedReflector(runtime::Runtime& runtime, Client& client, ResourceType type, ListOptions options, Sink& sink)
      : runtime_(runtime), client_(client), type_(std::move(type)), options_(std::move(options)), sink_(sink) {}
  ~ThreadedReflector() override { stop(); }

  void start() override {
    note_trouble("list " + type_.plural + ": no answer yet");
    task_ = runtime_.spawn("informer/" + type_.plural, [this](const std::stop_token& stop) { run(stop); });
  }
  void stop() override { task_.reset(); }

  bool synced() const override { return synced_.load(); }
  bool absent() const override { return absent_.load(); }
  bool doubtful() const override { return doubtful_.load(); }
  Trouble trouble() const override {
    const std::lock_guard lock(mutex_);
    return trouble_;
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Result<std::string> version = client_.list_items(
          type_, options_, [&](const value* item) { item ? sink_.list_item(*item) : sink_.list_begins(); }, stop);
      absent_ = !version && version.error().code == Code::kNotFound;
      if (!version) {
        note_failure(version.error());
        if (absent_ && synced_) doubtful_ = true;  // a served kind does not lose all its objects at once
        if (absent_ && !synced_) sink_.no_such_kind();
        wait_out(version.error(), stop);
        continue;
      }
      version_ = *version;
      const bool certain = sink_.list_done();
      if (!certain) note_trouble("list " + type_.plural + ": known objects are missing; waiting for a second list");
      doubtful_ = !certain;
      synced_ = true;
      backoff_.reset();
      if (certain) {
        note_success();
        watch(stop);
      } else {
        follow_until_second_list(stop);
      }
    }
  }

  // Objects are missing from the list: watches until the next list, which must confirm that.
  void follow_until_second_list(const std::stop_token& stop) {
    const Instant due = runtime_.now() + kConfirmAfter;
    ListOptions briefly = options_;
    briefly.watch_seconds = std::chrono::ceil<std::chrono::seconds>(kConfirmAfter).count();
    const Status ended = client_.watch(
        type_, briefly, version_,
        [&](std::string_view kind, const value& object) {
          on_event(kind, object);
          return !stop.stop_requested();
        },
        stop);
    if (!ended && ended.error().code != Code::kGone) wait_out(ended.error(), stop);
    if (runtime_.now() < due) runtime_.sleep_until(due, stop);
  }

  // Watches until the server no longer has the version or the kind.
  void watch(const std::stop_token& stop) {
    bool from_list = true;  // version_ comes from the list
    while (!stop.stop_requested()) {
      const Instant begun = runtime_.now();
      bool news = false;
      const Status ended = client_.watch(
          type_, options_, version_,
          [&](std::string_view kind, const value& object) {
            if (kind == kWatchOpened) {
              note_success();
            } else {
              news = true;
              on_event(kind, object);
            }
            return !stop.stop_requested();
          },
          stop);
      if (news) backoff_.reset();
      const bool gone = !ended && ended.error().code == Code::kGone;
      if (gone && from_list && !news) wait_out(ended.error(), stop);  // prevents lists without a pause
      if (gone) return;
      from_list = false;
      if (!ended) {
        wait_out(ended.error(), stop);
        if (ended.error().code == Code::kNotFound) return;  // the kind is unknown; only a list can confirm that
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
    note_failure(error);
    // Between once and twice the pause, so that the informers do not retry at the same time.
    const Duration pause = backoff_.next();
    const auto jitter = Duration(static_cast<int64_t>(runtime_.random() % static_cast<uint64_t>(pause.count())));
    runtime_.sleep_for(std::max(pause + jitter, error.retry_after.value_or(Duration(0))), stop);
  }

  void note_trouble(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_.since = runtime_.now();
    trouble_.what = what;
  }
  void note_failure(const Error& error) {
    const bool unknown = error.code == Code::kNotFound;
    note_trouble(error.message + (unknown ? " (is the CustomResourceDefinition installed?)" : ""));
  }
  void note_success() {
    const std::lock_guard lock(mutex_);
    trouble_ = {};
  }

  runtime::Runtime& runtime_;
  Client& client_;
  const ResourceType type_;
  const ListOptions options_;
  Sink& sink_;
  std::atomic<bool> synced_ = false, absent_ = false, doubtful_ = false;
  mutable std::mutex mutex_;
  Trouble trouble_;
  // Used by the thread only:
  std::string version_;
  runtime::Backoff backoff_{{.first = kFirstBackoff, .max = kMaxBackoff}};
  std::unique_ptr<runtime::Task> task_;  // last: it uses the members above
};

}  // namespace

std::unique_ptr<Reflector> make_reflector(runtime::Runtime& runtime, Client& client, ResourceType type,
                                          ListOptions options, Reflector::Sink& sink) {
  return std::make_unique<ThreadedReflector>(runtime, client, std::move(type), std::move(options), sink);
}

std::vector<Unreadable> AnyInformer::unreadable() const {
  const std::lock_guard lock(mutex_);
  std::vector<Unreadable> all;
  for (const auto& [key, one] : unreadable_) all.push_back(one);
  return all;
}

void AnyInformer::note_fault(const std::string& key, const value& object, const std::string& fault) {
  if (fault.empty()) return forget_fault(key);
  const auto text = [&](std::string_view member) { return std::string(json::string_at(object, {"metadata", member})); };
  const Unreadable one{&type_, text("namespace"), text("name"), text("uid"), fault};
  {
    const std::lock_guard lock(mutex_);
    Unreadable& known = unreadable_[key];
    if (known.uid == one.uid && known.problem == one.problem) return;
    known = one;
  }
  if (on_unreadable_) on_unreadable_(one);
}

void AnyInformer::forget_fault(const std::string& key) {
  const std::lock_guard lock(mutex_);
  unreadable_.erase(key);
}

void AnyInformer::no_such_kind() {
  if (const auto tell = std::exchange(on_absent_, nullptr)) tell();
}

std::string object_key(const value& object) {
  const std::string_view ns = json::string_at(object, {"metadata", "namespace"});
  const std::string_view name = json::string_at(object, {"metadata", "name"});
  return ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name);
}

}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "kube/events.h"

#include "base/prng.h"
#include "json/json.h"
#include "kube/limits.h"
#include "kube/resource_types.h"
#include "runtime/backoff.h"

namespace tenon::kube {
namespace {

constexpr std::string_view kComponent = "karpenter";
constexpr std::string_view kNominated = "Nominated";

// As client-go names events: the object and the time in hexadecimal. `number` distinguishes events of one instant.
std::string event_name(const EventSubject& about, Instant now, uint64_t number) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string suffix;
  for (auto n = static_cast<uint64_t>(now.time_since_epoch().count()) ^ (number & 0xffff); n > 0; n >>= 4) {
    suffix.insert(suffix.begin(), kHex[n & 15]);
  }
  return about.name + "." + suffix;
}

std::string cut_message(const std::string& message) {
  if (message.size() <= kMaxEventMessageBytes) return message;
  size_t end = kMaxEventMessageBytes - 3;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  return message.substr(0, end) + "...";
}

std::string namespace_of(const EventSubject& about) { return about.ns.empty() ? "default" : about.ns; }

json::value document_of(const EventRecorder::Event& event, Instant at, uint64_t number) {
  const EventSubject& about = event.about;
  json::object involved{{"apiVersion", about.api_version}, {"kind", about.kind}, {"name", about.name}};
  if (!about.ns.empty()) involved["namespace"] = about.ns;
  if (!about.uid.empty()) involved["uid"] = about.uid;
  const std::string time = format_rfc3339(at);
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", event_name(about, at, number)}, {"namespace", namespace_of(about)}}},
      {"involvedObject", std::move(involved)},
      {"type", event.type},
      {"reason", event.reason},
      {"message", cut_message(event.message)},
      {"source", {{"component", kComponent}}},
      {"reportingComponent", kComponent},
      {"reportingInstance", ""},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"count", 1},
  };
}

// Whether the server has not decided on the event.
bool is_worth_a_retry(Code code) {
  return code == Code::kUnavailable || code == Code::kTimeout || code == Code::kThrottled;
}

}  // namespace

EventRecorder::EventRecorder(runtime::Runtime& runtime, Client& client, metrics::Registry& registry,
                             OnFailure on_failure)
    : runtime_(runtime),
      client_(client),
      written_(registry.counter({"tenon_events_written_total", "Events written to the API server."})),
      failed_(registry.counter({"tenon_events_failed_total", "Events that the API server did not accept."})),
      dropped_(registry.counter({"tenon_events_dropped_total", "Events that were not sent, by why.", {"reason"}})),
      on_failure_(std::move(on_failure)),
      writes_(runtime, kEventInterval, kEventBurst),
      nominations_(runtime, kNominationInterval, kNominationBurst),
      changed_(runtime.make_event()),
      finished_(runtime.make_event()),
      silent_until_(kMaxEventKeys),
      bucket_full_at_(kMaxEventKeys),
      reports_(kEventFailureReport) {}

EventRecorder::~EventRecorder() { stop(); }

// parity: client-go's EventSourceObjectSpamFilter, but by reason as well, so that a reason that repeats for hours does
// not suppress the next one.
std::string_view EventRecorder::why_dropped(const Event& event, const std::string& key, Instant now) {
  if (stopping_) return "stopped";
  if (queue_.size() >= kMaxQueuedEvents) return "queue_full";
  runtime::TokenBucket bucket(kObjectEventInterval, kObjectEventBurst, bucket_full_at_.expiry(key, now));
  if (!bucket.try_take(now)) return "object_rate";
  if (event.reason == kNominated && !nominations_.try_take()) return "reason_rate";
  bucket_full_at_.set(key, bucket.full_at(), now);
  return {};
}

bool EventRecorder::record(Event event) {
  const Instant now = runtime_.now();
  const std::string key = event.about.uid + "/" + event.about.kind + "/" + event.about.name + "/" + event.reason;
  {
    const std::lock_guard lock(mutex_);
    if (silent_until_.expiry(key, now) > now) return false;
    if (const std::string_view why = why_dropped(event, key, now); !why.empty()) {
      dropped_.add({{"reason", std::string(why)}});
      return false;
    }
    silent_until_.set(key, now + event.dedupe, now);
    queue_.push_back({std::move(event), now, ++number_});
  }
  changed_->notify();
  return true;
}

void EventRecorder::start() {
  writer_ = runtime_.spawn("events", [this](const std::stop_token& stop) { work(stop); });
}

void EventRecorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (writer_) {
    changed_->notify();
    finished_->wait(0, runtime_.now() + kEventDrain, {});
    writer_->request_stop();
    writer_.reset();
  }
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) dropped_.add({{"reason", "stopped"}}, static_cast<double>(queue_.size()));
  queue_.clear();
}

void EventRecorder::work(const std::stop_token& stop) {
  while (const auto queued = next(stop)) write(*queued, stop);
  finished_->notify();
}

std::optional<EventRecorder::Queued> EventRecorder::next(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const uint64_t seen = changed_->version();
    {
      const std::lock_guard lock(mutex_);
      if (!queue_.empty()) {
        Queued first = std::move(queue_.front());
        queue_.pop_front();
        return first;
      }
      if (stopping_) return std::nullopt;
    }
    changed_->wait(seen, kNever, stop);
  }
  return std::nullopt;
}

void EventRecorder::write(const Queued& queued, const std::stop_token& stop) {
  const json::value document = document_of(queued.event, queued.at, queued.number);
  Prng prng(runtime_.random());  // of the jitter
  runtime::Backoff backoff({.first = kFirstEventRetry, .max = kMaxEventRetry});
  for (int attempt = 1;; ++attempt) {
    if (writes_.take(kNever, stop) == runtime::Wake::kStopped) break;
    const auto written = client_.create(kEvents, namespace_of(queued.event.about), document, stop);
    // The event of an earlier attempt was written; only its response was lost.
    if (written || (attempt > 1 && written.error().code == Code::kAlreadyExists)) {
      written_.add();
      return;
    }
    const Error& error = written.error();
    if (error.code == Code::kCancelled) break;
    if (!is_worth_a_retry(error.code) || attempt == kMaxEventAttempts) {
      failed_.add();
      report(error);
      return;
    }
    const Duration most = backoff.next();
    const Duration pause = most - Duration(prng.between(0, (most / 2).count()));
    if (runtime_.sleep_for(std::max(pause, error.retry_after.value_or(0s)), stop) == runtime::Wake::kStopped) break;
  }
  dropped_.add({{"reason", "stopped"}});
}

void EventRecorder::report(const Error& error) {
  if (on_failure_ && reports_.try_take(runtime_.now())) on_failure_(error);
}

}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/event_recorder.h"

#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/base/limits.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;
using json::string_at;

const Resource kEvents{"", "events"};

value new_event(const value& about, const EventRecorder::What& what, Instant now) {
  const std::string time = format_rfc3339(now);
  object involved;
  for (std::string_view field : {"kind", "apiVersion"}) involved[field] = string_at(about, {field});
  for (std::string_view field : {"namespace", "name", "uid", "resourceVersion"}) {
    const std::string_view text = string_at(about, {"metadata", field});
    if (!text.empty()) involved[field] = text;
  }
  return object{{"involvedObject", std::move(involved)},
                {"reason", what.reason},
                {"message", what.message},
                {"source", {{"component", what.component}}},
                {"firstTimestamp", time},
                {"lastTimestamp", time},
                {"count", 1},
                {"type", what.type},
                {"eventTime", nullptr},
                {"reportingComponent", what.component},
                {"reportingInstance", ""}};
}

}  // namespace

bool EventRecorder::count_up(const Target& target) {
  const std::string time = format_rfc3339(objects_.runtime().now());
  return objects_
      .modify(target,
              [&](value& event) -> Done {
                event.get_object()["count"] = json::int_at(event, {"count"}) + 1;
                event.get_object()["lastTimestamp"] = time;
                return {};
              },
              {})
      .has_value();
}

void EventRecorder::record(const value& about, const What& what) {
  expire();
  Target target{objects_.registry().get()->find(kEvents), std::string(string_at(about, {"metadata", "namespace"})), "",
                ""};
  if (target.ns.empty()) target.ns = "default";
  const std::string name(string_at(about, {"metadata", "name"}));
  const std::string uid(string_at(about, {"metadata", "uid"}));
  const Series series{target.ns, uid.empty() ? name : uid, std::string(what.type) + "/" + std::string(what.reason),
                      std::string(what.message), std::string(what.component)};
  {
    std::lock_guard lock(mutex_);
    if (const auto found = known_.find(series); found != known_.end()) target.name = found->second.name;
  }
  if (!target.name.empty() && count_up(target)) return;
  target.name = fmt::format("{}.{:016x}", name, objects_.runtime().random());
  // The create is rejected if the namespace no longer exists. The event is then lost, as in a real cluster.
  if (!objects_.create(target, new_event(about, what, objects_.runtime().now()), {})) return;
  std::lock_guard lock(mutex_);
  if (known_.insert_or_assign(series, target.key()).second) order_.push_back(series);
  if (order_.size() > kMaxEventSeries) {
    known_.erase(order_.front());
    order_.pop_front();
  }
}

void EventRecorder::expire() {
  const Instant now = objects_.runtime().now();
  {
    std::lock_guard lock(mutex_);
    if (now < next_sweep_) return;
    next_sweep_ = now + kEventSweep;
  }
  const std::string oldest = format_rfc3339(now - kEventLifetime);
  for (const Object& event : objects_.store().list(kEvents, "").items) {
    std::string_view last = string_at(*event, {"lastTimestamp"});
    if (last.empty()) last = string_at(*event, {"metadata", "creationTimestamp"});
    if (last >= oldest) continue;
    const StoreKey key{std::string(string_at(*event, {"metadata", "namespace"})),
                       std::string(string_at(*event, {"metadata", "name"}))};
    objects_.store().erase(kEvents, key, event);
  }
}

}  // namespace tenon::kubesim::apiserver

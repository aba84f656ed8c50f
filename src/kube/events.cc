// SPDX-License-Identifier: Apache-2.0
#include "kube/events.h"

#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::kube {
namespace {

constexpr size_t kMaxRemembered = 20'000;  // dedupe entries before those that have run out are swept
constexpr size_t kMaxMessageBytes = 1024;  // as an API server accepts
constexpr std::string_view kComponent = "karpenter";

// As client-go names them: the object and the time in hexadecimal.
std::string event_name(const EventSubject& about, Instant now, uint64_t salt) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string suffix;
  for (auto n = static_cast<uint64_t>(now.time_since_epoch().count()) ^ (salt & 0xffff); n > 0; n >>= 4) {
    suffix.insert(suffix.begin(), kHex[n & 15]);
  }
  return about.name + "." + suffix;
}

std::string cut_message(const std::string& message) {
  if (message.size() <= kMaxMessageBytes) return message;
  size_t end = kMaxMessageBytes - 3;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  return message.substr(0, end) + "...";
}

}  // namespace

bool EventRecorder::record(const Event& event, const std::stop_token& stop) {
  const Instant now = runtime_.now();
  const std::string key = event.about.uid + "/" + event.about.kind + "/" + event.about.name + "/" + event.reason;
  {
    const std::lock_guard lock(mutex_);
    if (silent_until_.size() > kMaxRemembered)
      std::erase_if(silent_until_, [&](const auto& e) { return e.second <= now; });
    const auto [entry, added] = silent_until_.try_emplace(key, now + event.dedupe);
    if (!added) {
      if (now < entry->second) return false;
      entry->second = now + event.dedupe;
    }
  }
  const EventSubject& about = event.about;
  const std::string ns = about.ns.empty() ? "default" : about.ns;
  json::object involved{{"apiVersion", about.api_version}, {"kind", about.kind}, {"name", about.name}};
  if (!about.ns.empty()) involved["namespace"] = about.ns;
  if (!about.uid.empty()) involved["uid"] = about.uid;
  const std::string time = format_rfc3339(now);
  const json::value document = json::object{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", event_name(about, now, runtime_.random())}, {"namespace", ns}}},
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
  return client_.create(kEvents, ns, document, stop).has_value();
}

}  // namespace tenon::kube

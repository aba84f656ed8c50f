// SPDX-License-Identifier: Apache-2.0
#include "storm/api_faults.h"

#include <algorithm>
#include <array>

#include "json/json.h"

namespace tenon::storm {
namespace {

using json::value;

constexpr uint64_t kExpiredOneIn = 1500;  // messages of watches
constexpr int64_t kMostAbsent = 40;       // seconds
constexpr Duration kTruncated = 30s;      // for which the next list may be absent
constexpr int64_t kMostDelay = 8000;      // milliseconds, of a slow event

// Watches that may expire: those of the kinds on which decisions depend.
bool may_expire(std::string_view resource) {
  constexpr std::array<std::string_view, 5> kResources{"pods", "nodes", "nodeclaims", "nodepools",
                                                       "poddisruptionbudgets"};
  return std::find(kResources.begin(), kResources.end(), resource) != kResources.end();
}

bool is(const ApiFaults::Unreadable& unreadable, std::string_view resource, const value& object) {
  return unreadable.resource == resource && unreadable.name == json::string_at(object, {"metadata", "name"}) &&
         unreadable.ns == json::string_at(object, {"metadata", "namespace"});
}

// A 404 that names the object: the client takes no other for the absence of the object.
http::Response not_in_the_list(std::string_view name) {
  http::Response response = failure(404, "NotFound", "not in the list");
  value status = *json::parse(response.body);
  json::ensure(status, {"details", "name"}) = std::string(name);
  response.body = json::to_string(status);
  return response;
}

}  // namespace

http::Response failure(int code, const std::string& reason, const std::string& message) {
  const value status = json::object{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                                    {"status", "Failure"}, {"message", message}, {"reason", reason},
                                    {"code", code}};
  return {code, {{"Content-Type", "application/json"}}, json::to_string(status)};
}

void ApiFaults::make_unreadable(std::string resource, std::string ns, std::string name) {
  faults_.count(Fault::kUnreadable);
  unreadable_.push_back({std::move(resource), std::move(ns), std::move(name), std::nullopt});
}

bool ApiFaults::unreadable(std::string_view resource, std::string_view name) const {
  return std::any_of(unreadable_.begin(), unreadable_.end(),
                     [&](const Unreadable& u) { return u.resource == resource && u.name == name; });
}

void ApiFaults::end() {
  unreadable_.clear();
  refused_.clear();
  slow_until_ = {};
  hangs_ = {};
}

std::optional<http::Response> ApiFaults::instead_of(const Call& call, Instant now) {
  if (call.is("POST", "pods", "eviction")) {
    const auto refused = refused_.find(std::string(call.ns()) + "/" + std::string(call.name()));
    if (refused == refused_.end()) return std::nullopt;
    constexpr std::array kCodes{403, 400, 422};
    constexpr std::array kReasons{"Forbidden", "BadRequest", "Invalid"};
    const auto which = static_cast<size_t>(refused->second);
    return failure(kCodes[which], kReasons[which], "admission webhook \"guard.storm\" denied the request: not now");
  }
  if (bugs_.believe_lists && call.is("GET", "nodeclaims") && !call.name().empty() && wrong_lists_ > 0)
    return not_in_the_list(call.name());
  const auto fault = call.lists() ? list_faults_.find(call.path) : list_faults_.end();
  if (fault == list_faults_.end() || !fault->second.absent) return std::nullopt;
  if (now >= fault->second.until) return list_faults_.erase(fault), std::nullopt;
  faults_.count(Fault::kListAbsent);
  wrong_lists_ += call.resource() == "nodeclaims" ? 1 : 0;
  return failure(404, "NotFound", "the server could not find the requested resource");
}

void ApiFaults::corrupt(const Call& call, Instant now, std::string& body) {
  const auto fault = call.lists() ? list_faults_.find(call.path) : list_faults_.end();
  const bool truncates = fault != list_faults_.end() && !fault->second.absent;
  const bool names = std::any_of(unreadable_.begin(), unreadable_.end(), [&](const Unreadable& u) {
    return u.resource == call.resource() && body.find(u.name) != std::string::npos;
  });
  if (!truncates && !names) return;
  auto answer = json::parse(body);
  if (!answer) return;
  if (truncates) {
    if (value* items = json::find(*answer, {"items"});
        items && items->is_array() && (now < fault->second.until || bugs_.believe_lists)) {
      json::array& all = items->get_array();
      faults_.count(Fault::kListTruncated);
      wrong_lists_ += call.resource() == "nodeclaims" ? 1 : 0;
      all.resize(all.size() / 2);
    }
    if (!bugs_.believe_lists) list_faults_.erase(fault);
  }
  if (value* items = json::find(*answer, {"items"}); items && items->is_array()) {
    json::array kept;
    for (value& object : items->get_array()) {
      if (!corrupt_object(call.resource(), now, object) || !bugs_.drop_unreadable) kept.push_back(std::move(object));
    }
    items->get_array() = std::move(kept);
  } else {
    corrupt_object(call.resource(), now, *answer);
  }
  body = json::to_string(*answer);
}

bool ApiFaults::corrupt_watch(const Call& call, Instant now, std::string& lines) {
  if (may_expire(call.resource()) && !list_faults_.contains(call.path) &&
      faults_.strikes(Fault::kWatchExpired, kExpiredOneIn)) {
    const bool absent = prng_.chance(1, 2) && !bugs_.believe_lists;
    const Duration lasts = absent ? std::chrono::seconds(prng_.between(1, kMostAbsent)) : kTruncated;
    list_faults_[std::string(call.path)] = {absent, now + lasts};
    lines = R"({"type":"ERROR","object":)" + failure(410, "Expired", "too old resource version").body + "}\n";
    return true;
  }
  const bool names = std::any_of(unreadable_.begin(), unreadable_.end(), [&](const Unreadable& u) {
    return u.resource == call.resource() && lines.find(u.name) != std::string::npos;
  });
  if (!names || !lines.ends_with('\n')) return false;
  std::string out;
  for (size_t from = 0; from < lines.size();) {
    const size_t end = lines.find('\n', from);
    auto event = json::parse(std::string_view(lines).substr(from, end - from));
    value* object = event ? json::find(*event, {"object"}) : nullptr;
    const bool corrupted =
        object && json::string_at(*event, {"type"}) != "DELETED" && corrupt_object(call.resource(), now, *object);
    if (corrupted && bugs_.drop_unreadable) event->as_object()["type"] = "DELETED";
    out += object ? json::to_string(*event) + "\n" : lines.substr(from, end - from + 1);
    from = end + 1;
  }
  lines = std::move(out);
  return false;
}

bool ApiFaults::corrupt_object(std::string_view resource, Instant now, value& object) {
  for (Unreadable& u : unreadable_) {
    if (!is(u, resource, object)) continue;
    if (!u.shown) u.shown = now;
    if (resource == "pods") json::ensure(object, {"spec", "containers"}) = "none";
    if (resource == "poddisruptionbudgets") json::ensure(object, {"status", "disruptionsAllowed"}) = "some";
    if (resource == "nodeclaims") json::ensure(object, {"status", "capacity"}) = "much";
    return true;
  }
  return false;
}

Duration ApiFaults::delay(const Call& call, Instant now) {
  if (call.reads() || call.resource() != "events" || now >= slow_until_) return {};
  faults_.count(Fault::kEventsSlow);
  return std::chrono::milliseconds(prng_.between(500, kMostDelay));
}

}  // namespace tenon::storm

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/convert.h"

#include <memory>
#include <utility>
#include <vector>

#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

void rename(object& at, std::string_view from, std::string_view to) {
  value* v = at.if_contains(from);
  if (v == nullptr) return;
  value moved = std::move(*v);
  at.erase(from);
  at[to] = std::move(moved);
}

// The field names of events.k8s.io/v1 and of v1. parity: pkg/apis/events/v1/conversion.go
constexpr std::pair<std::string_view, std::string_view> kEventFields[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"}};

void event_to_core(object& event) {
  for (const auto& [ours, core] : kEventFields) rename(event, ours, core);
  if (!event.contains("involvedObject")) event["involvedObject"] = object();
}

void event_from_core(object& event) {
  for (const auto& [ours, core] : kEventFields) rename(event, core, ours);
}

// autoscaling/v1 has one metric: average CPU utilization. parity: pkg/apis/autoscaling/v1/conversion.go
void autoscaler_to_v2(object& hpa) {
  value* spec = hpa.if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return;
  value* percent = spec->get_object().if_contains("targetCPUUtilizationPercentage");
  if (percent == nullptr) return;
  object target{{"type", "Utilization"}, {"averageUtilization", *percent}};
  object metric{{"type", "Resource"}, {"resource", object{{"name", "cpu"}, {"target", std::move(target)}}}};
  array metrics;
  metrics.push_back(std::move(metric));
  spec->get_object().erase("targetCPUUtilizationPercentage");
  spec->get_object()["metrics"] = std::move(metrics);
}

void autoscaler_to_v1(value& hpa) {
  for (const value& metric : json::array_at(hpa, {"spec", "metrics"})) {
    const value* percent = json::find(metric, {"resource", "target", "averageUtilization"});
    if (percent == nullptr || json::string_at(metric, {"resource", "name"}) != "cpu") continue;
    json::ensure(hpa, {"spec", "targetCPUUtilizationPercentage"}) = value(*percent);
    break;
  }
  json::erase(hpa, {"spec", "metrics"});
  json::erase(hpa, {"spec", "behavior"});
  for (const value& metric : json::array_at(hpa, {"status", "currentMetrics"})) {
    const value* percent = json::find(metric, {"resource", "current", "averageUtilization"});
    if (percent == nullptr) continue;
    json::ensure(hpa, {"status", "currentCPUUtilizationPercentage"}) = value(*percent);
    break;
  }
  json::erase(hpa, {"status", "currentMetrics"});
  json::erase(hpa, {"status", "conditions"});
}

// A conversion may change labels and annotations of the metadata only.
// parity: apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go
Done check_converted(const value& before, const value& after, const std::string& api_version) {
  for (const char* field : {"name", "namespace", "uid"}) {
    if (json::string_at(before, {"metadata", field}) != json::string_at(after, {"metadata", field}))
      return refuse(internal_error("the conversion webhook changed metadata." + std::string(field)));
  }
  if (json::string_at(after, {"apiVersion"}) != api_version)
    return refuse(internal_error("the conversion webhook returned another version than " + api_version));
  return {};
}

Answer<std::vector<value>> converted(const ResourceInfo& to, std::vector<value> objects) {
  const std::string api_version = to.api_version();
  if (!to.custom->convert) {
    for (value& at : objects) at.get_object()["apiVersion"] = api_version;
    return objects;
  }
  const std::vector<value> before = objects;
  std::vector<value> after = TRY_API(to.custom->convert(std::move(objects), api_version));
  if (after.size() != before.size())
    return refuse(internal_error("the conversion webhook returned another number of objects"));
  for (size_t i = 0; i < after.size(); ++i) {
    TRY_API(check_converted(before[i], after[i], api_version));
    if (!to.custom->schema) continue;
    (void)to.custom->schema->prune(after[i]);
    to.custom->schema->apply_defaults(after[i]);
  }
  return after;
}

bool has_version(const ResourceInfo& info, const value& at) {
  return json::string_at(at, {"apiVersion"}) == info.api_version();
}

}  // namespace

Done to_served(const ResourceInfo& served, value& at) {
  if (!at.is_object()) return {};
  if (served.custom) {
    if (has_version(served, at)) return {};
    std::vector<value> one;
    one.push_back(std::move(at));
    at = std::move(TRY_API(converted(served, std::move(one))).front());
    return {};
  }
  if (served.api_version() == served.stored_api_version()) return {};
  if (served.group == "events.k8s.io") event_from_core(at.get_object());
  if (served.kind == "HorizontalPodAutoscaler") autoscaler_to_v1(at);
  at.get_object()["apiVersion"] = served.api_version();
  return {};
}

Answer<std::vector<Object>> to_served(const ResourceInfo& served, std::vector<Object> objects) {
  if (!served.custom) {
    if (served.api_version() == served.stored_api_version()) return objects;
    for (Object& object : objects) {
      value copy = *object;
      TRY_API(to_served(served, copy));
      object = std::make_shared<const value>(std::move(copy));
    }
    return objects;
  }
  std::vector<size_t> others;
  std::vector<value> copies;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (has_version(served, *objects[i])) continue;
    others.push_back(i);
    copies.push_back(*objects[i]);
  }
  if (others.empty()) return objects;
  std::vector<value> done = TRY_API(converted(served, std::move(copies)));
  for (size_t i = 0; i < others.size(); ++i) objects[others[i]] = std::make_shared<const value>(std::move(done[i]));
  return objects;
}

Done to_stored(const ResourceInfo& served, const ResourceInfo& stored, value& at) {
  if (!at.is_object() || served.api_version() == served.stored_api_version()) return {};
  if (served.custom) {
    if (served.custom->schema) {
      served.custom->schema->apply_defaults(at);
      std::vector<Cause> causes = served.custom->schema->validate(at, nullptr);
      if (!causes.empty()) return refuse(invalid(served, json::string_at(at, {"metadata", "name"}), std::move(causes)));
    }
    return to_served(stored, at);
  }
  if (served.group == "events.k8s.io") event_to_core(at.get_object());
  if (served.kind == "HorizontalPodAutoscaler") autoscaler_to_v2(at.get_object());
  at.get_object()["apiVersion"] = served.stored_api_version();
  return {};
}

}  // namespace tenon::kubesim::apiserver

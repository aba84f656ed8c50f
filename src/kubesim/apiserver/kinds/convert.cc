// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/convert.h"

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

}  // namespace

void to_served(const ResourceInfo& served, value& at) {
  if (!at.is_object() || served.api_version() == served.stored_api_version()) return;
  if (served.group == "events.k8s.io") event_from_core(at.get_object());
  if (served.kind == "HorizontalPodAutoscaler") autoscaler_to_v1(at);
  at.get_object()["apiVersion"] = served.api_version();
}

void to_stored(const ResourceInfo& served, value& at) {
  if (!at.is_object() || served.api_version() == served.stored_api_version()) return;
  if (served.group == "events.k8s.io") event_to_core(at.get_object());
  if (served.kind == "HorizontalPodAutoscaler") autoscaler_to_v2(at.get_object());
  at.get_object()["apiVersion"] = served.stored_api_version();
}

}  // namespace tenon::kubesim::apiserver

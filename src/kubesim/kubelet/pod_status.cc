// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/pod_status.h"

#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/actors/objects.h"

namespace tenon::kubesim {
namespace {

json::object container_base(const json::value& pod, const json::value& container) {
  const std::string_view image = json::string_at(container, {"image"});
  return {{"name", json::string_at(container, {"name"})},
          {"image", image},
          {"imageID", image},
          {"containerID", fmt::format("containerd://{}-{}", uid_of(pod), json::string_at(container, {"name"}))},
          {"restartCount", 0},
          {"lastState", json::object()}};
}

json::value waiting(const json::value& pod, const json::value& container, std::string_view reason) {
  json::object status = container_base(pod, container);
  status["imageID"] = "";
  status.erase("containerID");
  status["ready"] = false;
  status["started"] = false;
  status["state"] = json::object{{"waiting", json::object{{"reason", reason}}}};
  return status;
}

json::value running(const json::value& pod, const json::value& container, Instant now) {
  json::object status = container_base(pod, container);
  status["ready"] = true;
  status["started"] = true;
  status["state"] = json::object{{"running", json::object{{"startedAt", format_rfc3339(now)}}}};
  return status;
}

json::value ended(const json::value& pod, const json::value& container, bool succeeded, Instant now) {
  json::object status = container_base(pod, container);
  const json::object end{{"exitCode", succeeded ? 0 : 137},
                         {"reason", succeeded ? "Completed" : "Error"},
                         {"startedAt", json::string_at(pod, {"status", "startTime"}, format_rfc3339(now))},
                         {"finishedAt", format_rfc3339(now)},
                         {"containerID", status["containerID"]}};
  status["ready"] = false;
  status["started"] = false;
  status["state"] = json::object{{"terminated", end}};
  return status;
}

// Returns one status for each container of spec.<field>, built by `make`.
template <class Make>
json::array statuses(const json::value& pod, std::string_view field, Make make) {
  json::array list;
  for (const json::value& container : json::array_at(pod, {"spec", field})) list.push_back(make(container));
  return list;
}

bool is_side_car(const json::value& container) { return json::string_at(container, {"restartPolicy"}) == "Always"; }

void set_conditions(json::value& pod, std::string_view ready, std::string_view reason, Instant now) {
  const std::string_view why = reason == "ContainersNotReady" ? "containers with unready status" : std::string_view{};
  set_condition(pod, {"PodReadyToStartContainers", reason == "PodCompleted" ? "False" : ready, "", ""}, now);
  set_condition(pod, {"Initialized", "True", reason == "PodCompleted" ? reason : "", ""}, now);
  set_condition(pod, {"Ready", ready, reason, why}, now);
  set_condition(pod, {"ContainersReady", ready, reason, why}, now);
  set_condition(pod, {"PodScheduled", "True", "", ""}, now);
}

void set_place(json::value& pod, const PodPlace& place, Instant now) {
  json::object& status = status_of(pod);
  status["hostIP"] = place.host_ip;
  status["hostIPs"] = json::array{json::object{{"ip", place.host_ip}}};
  if (!status.contains("startTime")) status["startTime"] = format_rfc3339(now);
}

}  // namespace

bool set_creating(json::value& pod, const PodPlace& place, Instant now) {
  if (json::string_at(pod, {"status", "phase"}, "Pending") != "Pending") return false;
  status_of(pod)["phase"] = "Pending";
  set_place(pod, place, now);
  const bool inits = !json::array_at(pod, {"spec", "initContainers"}).empty();
  set_conditions(pod, "False", "ContainersNotReady", now);
  json::object& status = status_of(pod);
  status["containerStatuses"] = statuses(pod, "containers", [&](const json::value& container) {
    return waiting(pod, container, inits ? "PodInitializing" : "ContainerCreating");
  });
  if (inits)
    status["initContainerStatuses"] = statuses(pod, "initContainers", [&](const json::value& container) {
      return waiting(pod, container, "PodInitializing");
    });
  return true;
}

bool set_running(json::value& pod, const PodPlace& place, Instant now) {
  if (pod_is_terminal(pod)) return false;
  set_place(pod, place, now);
  json::object& status = status_of(pod);
  status["phase"] = "Running";
  status["podIP"] = place.pod_ip;
  status["podIPs"] = json::array{json::object{{"ip", place.pod_ip}}};
  set_conditions(pod, "True", "", now);
  json::array containers =
      statuses(pod, "containers", [&](const json::value& container) { return running(pod, container, now); });
  json::array inits = statuses(pod, "initContainers", [&](const json::value& container) {
    return is_side_car(container) ? running(pod, container, now) : ended(pod, container, true, now);
  });
  json::object& after = status_of(pod);
  after["containerStatuses"] = std::move(containers);
  if (!inits.empty()) after["initContainerStatuses"] = std::move(inits);
  return true;
}

bool set_ended(json::value& pod, bool succeeded, Instant now) {
  if (pod_is_terminal(pod)) return false;
  set_conditions(pod, "False", succeeded ? "PodCompleted" : "PodFailed", now);
  json::array containers =
      statuses(pod, "containers", [&](const json::value& container) { return ended(pod, container, succeeded, now); });
  json::object& status = status_of(pod);
  status["containerStatuses"] = std::move(containers);
  status["phase"] = succeeded ? "Succeeded" : "Failed";
  return true;
}

}  // namespace tenon::kubesim

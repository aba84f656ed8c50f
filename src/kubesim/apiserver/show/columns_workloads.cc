// The functions of data/kubernetes/columns/workloads.txt: cells of pods and workloads.
// parity: pkg/printers/internalversion/printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/base/conditions.h"
#include "kubesim/apiserver/show/columns.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;
using json::int_at;
using json::string_at;

struct PodSummary {
  std::string reason;
  int64_t restarts = 0;
  std::string last_restart;
  int64_t ready = 0;
};

void count_restart(const value& status, PodSummary& summary) {
  summary.restarts += int_at(status, {"restartCount"});
  const std::string finished(string_at(status, {"lastState", "terminated", "finishedAt"}));
  if (finished > summary.last_restart) summary.last_restart = finished;
}

std::string terminated_reason(const value& status, std::string_view prefix) {
  const std::string_view reason = string_at(status, {"state", "terminated", "reason"});
  if (!reason.empty()) return std::string(prefix) + std::string(reason);
  const int64_t signal = int_at(status, {"state", "terminated", "signal"});
  if (signal != 0) return fmt::format("{}Signal:{}", prefix, signal);
  return fmt::format("{}ExitCode:{}", prefix, int_at(status, {"state", "terminated", "exitCode"}));
}

// Whether an init container (not a sidecar) still blocks the pod; if so, sets the reason.
bool summarize_init(const value& pod, PodSummary& summary) {
  const auto& statuses = json::array_at(pod, {"status", "initContainerStatuses"});
  const size_t total = json::array_at(pod, {"spec", "initContainers"}).size();
  for (size_t i = 0; i < statuses.size(); ++i) {
    const value& status = statuses[i];
    count_restart(status, summary);
    const bool terminated = json::find(status, {"state", "terminated"}) != nullptr;
    if (terminated && int_at(status, {"state", "terminated", "exitCode"}) == 0) continue;
    if (json::bool_at(status, {"started"}) && json::find(status, {"state", "running"}) != nullptr) {
      if (json::bool_at(status, {"ready"})) ++summary.ready;
      continue;  // a sidecar
    }
    const std::string_view waiting = string_at(status, {"state", "waiting", "reason"});
    if (terminated)
      summary.reason = terminated_reason(status, "Init:");
    else if (!waiting.empty() && waiting != "PodInitializing")
      summary.reason = "Init:" + std::string(waiting);
    else
      summary.reason = fmt::format("Init:{}/{}", i, total);
    return true;
  }
  return false;
}

void summarize_containers(const value& pod, PodSummary& summary) {
  const auto& statuses = json::array_at(pod, {"status", "containerStatuses"});
  bool running = false;
  for (size_t i = statuses.size(); i-- > 0;) {
    const value& status = statuses[i];
    count_restart(status, summary);
    const std::string_view waiting = string_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty())
      summary.reason = waiting;
    else if (json::find(status, {"state", "terminated"}) != nullptr)
      summary.reason = terminated_reason(status, "");
    else if (json::bool_at(status, {"ready"}) && json::find(status, {"state", "running"}) != nullptr) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason == "Completed" && running) summary.reason = condition_true(pod, "Ready") ? "Running" : "NotReady";
}

PodSummary summarize(const value& pod) {
  PodSummary summary;
  summary.reason = string_at(pod, {"status", "phase"});
  if (const std::string_view reason = string_at(pod, {"status", "reason"}); !reason.empty()) summary.reason = reason;
  for (const value& c : json::array_at(pod, {"status", "conditions"})) {
    if (string_at(c, {"type"}) == "PodScheduled" && string_at(c, {"reason"}) == "SchedulingGated")
      summary.reason = "SchedulingGated";
  }
  if (!summarize_init(pod, summary) || condition_true(pod, "Initialized")) {
    summary.restarts = 0;
    summarize_containers(pod, summary);
  }
  const std::string_view phase = string_at(pod, {"status", "phase"});
  if (json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
    if (string_at(pod, {"status", "reason"}) == "NodeLost")
      summary.reason = "Unknown";
    else if (phase != "Failed" && phase != "Succeeded")
      summary.reason = "Terminating";
  }
  return summary;
}

value pod_ready(const value& pod, const CellInput&) {
  return value(fmt::format("{}/{}", summarize(pod).ready, json::array_at(pod, {"spec", "containers"}).size()));
}

value pod_status(const value& pod, const CellInput&) { return value(summarize(pod).reason); }

value pod_restarts(const value& pod, const CellInput& input) {
  const PodSummary summary = summarize(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += " (" + cells::since(summary.last_restart, input.now) + " ago)";
  }
  return value(restarts);
}

value pod_readiness_gates(const value& pod, const CellInput&) {
  const auto& wanted = json::array_at(pod, {"spec", "readinessGates"});
  if (wanted.empty()) return value("<none>");
  size_t met = 0;
  for (const value& gate : wanted) met += condition_true(pod, string_at(gate, {"conditionType"})) ? 1 : 0;
  return value(fmt::format("{}/{}", met, wanted.size()));
}

value replicas_ready(const value& workload, const CellInput&) {
  return value(
      fmt::format("{}/{}", int_at(workload, {"status", "readyReplicas"}), int_at(workload, {"spec", "replicas"})));
}

value job_status(const value& job, const CellInput&) {
  for (const auto& [type, text] : {std::pair{"Complete", "Complete"}, {"Failed", "Failed"}}) {
    if (condition_true(job, type)) return value(text);
  }
  if (json::find(job, {"metadata", "deletionTimestamp"}) != nullptr) return value("Terminating");
  if (condition_true(job, "Suspended")) return value("Suspended");
  if (condition_true(job, "FailureTarget")) return value("FailureTarget");
  if (condition_true(job, "SuccessCriteriaMet")) return value("SuccessCriteriaMet");
  return value("Running");
}

value job_completions(const value& job, const CellInput&) {
  const int64_t done = int_at(job, {"status", "succeeded"});
  if (json::find(job, {"spec", "completions"}) != nullptr)
    return value(fmt::format("{}/{}", done, int_at(job, {"spec", "completions"})));
  const int64_t parallelism = int_at(job, {"spec", "parallelism"});
  return value(parallelism > 1 ? fmt::format("{}/1 of {}", done, parallelism) : fmt::format("{}/1", done));
}

value job_duration(const value& job, const CellInput& input) {
  const auto started = parse_rfc3339(string_at(job, {"status", "startTime"}));
  const auto finished = parse_rfc3339(string_at(job, {"status", "completionTime"}));
  return value(started ? format_age((finished ? *finished : input.now) - *started) : "");
}

value cron_job_suspend(const value& job, const CellInput&) {
  return value(json::bool_at(job, {"spec", "suspend"}) ? "True" : "False");
}

}  // namespace

std::span<const CellFunction> workload_cells() {
  static constexpr CellFunction kFunctions[] = {{"pod_ready", pod_ready},
                                                {"pod_status", pod_status},
                                                {"pod_restarts", pod_restarts},
                                                {"pod_readiness_gates", pod_readiness_gates},
                                                {"replicas_ready", replicas_ready},
                                                {"job_status", job_status},
                                                {"job_completions", job_completions},
                                                {"job_duration", job_duration},
                                                {"cron_job_suspend", cron_job_suspend}};
  return kFunctions;
}

}  // namespace tenon::kubesim::apiserver

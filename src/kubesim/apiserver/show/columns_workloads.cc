// Table cells of pods and workloads. parity: pkg/printers/internalversion/printers.go
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::value;
using cells::column;
using json::int_at;
using json::string_at;

struct PodSummary {
  std::string reason;
  int64_t restarts = 0;
  std::string last_restart;
  int64_t ready = 0;
};

bool condition_true(const value& pod, std::string_view type) {
  for (const value& c : json::array_at(pod, {"status", "conditions"})) {
    if (string_at(c, {"type"}) == type) return string_at(c, {"status"}) == "True";
  }
  return false;
}

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

array pod_cells(const value& pod, Instant now) {
  const PodSummary summary = summarize(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += " (" + cells::since(summary.last_restart, now) + " ago)";
  }
  std::string gates = "<none>";
  if (const auto& wanted = json::array_at(pod, {"spec", "readinessGates"}); !wanted.empty()) {
    size_t met = 0;
    for (const value& gate : wanted) met += condition_true(pod, string_at(gate, {"conditionType"})) ? 1 : 0;
    gates = fmt::format("{}/{}", met, wanted.size());
  }
  return {cells::name(pod),
          fmt::format("{}/{}", summary.ready, json::array_at(pod, {"spec", "containers"}).size()),
          summary.reason,
          restarts,
          cells::age(pod, now),
          cells::text_or(pod, {"status", "podIP"}, "<none>"),
          cells::text_or(pod, {"spec", "nodeName"}, "<none>"),
          cells::text_or(pod, {"status", "nominatedNodeName"}, "<none>"),
          gates};
}

const value& template_spec(const value& object) {
  static const value kNone = boost::json::object();
  const value* spec = json::find(object, {"spec", "template", "spec"});
  return spec == nullptr ? kNone : *spec;
}

void add_template(const value& object, array& row) {
  row.emplace_back(cells::container_names(template_spec(object)));
  row.emplace_back(cells::container_images(template_spec(object)));
}

array deployment_cells(const value& d, Instant now) {
  array row{cells::name(d),
            fmt::format("{}/{}", int_at(d, {"status", "readyReplicas"}), int_at(d, {"spec", "replicas"})),
            int_at(d, {"status", "updatedReplicas"}), int_at(d, {"status", "availableReplicas"}), cells::age(d, now)};
  add_template(d, row);
  row.emplace_back(cells::selector(json::find(d, {"spec", "selector"})));
  return row;
}

array replica_set_cells(const value& r, Instant now) {
  array row{cells::name(r), int_at(r, {"spec", "replicas"}), int_at(r, {"status", "replicas"}),
            int_at(r, {"status", "readyReplicas"}), cells::age(r, now)};
  add_template(r, row);
  row.emplace_back(cells::selector(json::find(r, {"spec", "selector"})));
  return row;
}

array replication_controller_cells(const value& r, Instant now) {
  array row = replica_set_cells(r, now);
  row.back() = cells::labels(json::find(r, {"spec", "selector"}));
  return row;
}

array daemon_set_cells(const value& d, Instant now) {
  array row{cells::name(d),
            int_at(d, {"status", "desiredNumberScheduled"}),
            int_at(d, {"status", "currentNumberScheduled"}),
            int_at(d, {"status", "numberReady"}),
            int_at(d, {"status", "updatedNumberScheduled"}),
            int_at(d, {"status", "numberAvailable"}),
            cells::labels(json::find(template_spec(d), {"nodeSelector"})),
            cells::age(d, now)};
  add_template(d, row);
  row.emplace_back(cells::selector(json::find(d, {"spec", "selector"})));
  return row;
}

array stateful_set_cells(const value& s, Instant now) {
  array row{cells::name(s),
            fmt::format("{}/{}", int_at(s, {"status", "readyReplicas"}), int_at(s, {"spec", "replicas"})),
            cells::age(s, now)};
  add_template(s, row);
  return row;
}

std::string job_status(const value& job) {
  for (const auto& [type, text] : {std::pair{"Complete", "Complete"}, {"Failed", "Failed"}}) {
    if (condition_true(job, type)) return text;
  }
  if (json::find(job, {"metadata", "deletionTimestamp"}) != nullptr) return "Terminating";
  if (condition_true(job, "Suspended")) return "Suspended";
  if (condition_true(job, "FailureTarget")) return "FailureTarget";
  if (condition_true(job, "SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

array job_cells(const value& job, Instant now) {
  const int64_t done = int_at(job, {"status", "succeeded"});
  std::string completions;
  if (json::find(job, {"spec", "completions"}) != nullptr) {
    completions = fmt::format("{}/{}", done, int_at(job, {"spec", "completions"}));
  } else {
    const int64_t parallelism = int_at(job, {"spec", "parallelism"});
    completions = parallelism > 1 ? fmt::format("{}/1 of {}", done, parallelism) : fmt::format("{}/1", done);
  }
  std::string duration;
  const auto started = parse_rfc3339(string_at(job, {"status", "startTime"}));
  const auto finished = parse_rfc3339(string_at(job, {"status", "completionTime"}));
  if (started) duration = format_age((finished ? *finished : now) - *started);
  array row{cells::name(job), job_status(job), completions, duration, cells::age(job, now)};
  add_template(job, row);
  row.emplace_back(cells::selector(json::find(job, {"spec", "selector"})));
  return row;
}

array cron_job_cells(const value& c, Instant now) {
  const std::string_view last = string_at(c, {"status", "lastScheduleTime"});
  const value* spec = json::find(c, {"spec", "jobTemplate", "spec", "template", "spec"});
  return {cells::name(c),
          string_at(c, {"spec", "schedule"}),
          cells::text_or(c, {"spec", "timeZone"}, "<none>"),
          json::bool_at(c, {"spec", "suspend"}) ? "True" : "False",
          json::array_at(c, {"status", "active"}).size(),
          last.empty() ? std::string("<none>") : cells::since(last, now),
          cells::age(c, now),
          spec == nullptr ? "" : cells::container_names(*spec),
          spec == nullptr ? "" : cells::container_images(*spec),
          cells::selector(json::find(c, {"spec", "jobTemplate", "spec", "selector"}))};
}

std::vector<PrinterColumn> with_template(std::vector<PrinterColumn> columns, bool selector) {
  columns.push_back(column("Containers", "string", 1));
  columns.push_back(column("Images", "string", 1));
  if (selector) columns.push_back(column("Selector", "string", 1));
  return columns;
}

}  // namespace

const std::vector<KindColumns>& workload_columns() {
  static const std::vector<KindColumns> kTable = {
      {"",
       "Pod",
       {column("Name"), column("Ready"), column("Status"), column("Restarts"), column("Age"), column("IP", "string", 1),
        column("Node", "string", 1), column("Nominated Node", "string", 1), column("Readiness Gates", "string", 1)},
       pod_cells},
      {"apps", "Deployment",
       with_template({column("Name"), column("Ready"), column("Up-to-date"), column("Available"), column("Age")}, true),
       deployment_cells},
      {"apps", "ReplicaSet",
       with_template({column("Name"), column("Desired", "integer"), column("Current", "integer"),
                      column("Ready", "integer"), column("Age")},
                     true),
       replica_set_cells},
      {"", "ReplicationController",
       with_template({column("Name"), column("Desired", "integer"), column("Current", "integer"),
                      column("Ready", "integer"), column("Age")},
                     true),
       replication_controller_cells},
      {"apps", "DaemonSet",
       with_template(
           {column("Name"), column("Desired", "integer"), column("Current", "integer"), column("Ready", "integer"),
            column("Up-to-date", "integer"), column("Available", "integer"), column("Node Selector"), column("Age")},
           true),
       daemon_set_cells},
      {"apps", "StatefulSet", with_template({column("Name"), column("Ready"), column("Age")}, false),
       stateful_set_cells},
      {"batch", "Job",
       with_template({column("Name"), column("Status"), column("Completions"), column("Duration"), column("Age")},
                     true),
       job_cells},
      {"batch", "CronJob",
       with_template({column("Name"), column("Schedule"), column("Timezone"), column("Suspend", "boolean"),
                      column("Active", "integer"), column("Last Schedule"), column("Age")},
                     true),
       cron_job_cells},
  };
  return kTable;
}

}  // namespace tenon::kubesim::apiserver

// The rows of the table about the log, metrics and profiles.
// SPDX-License-Identifier: Apache-2.0
#include "cli/options/bind.h"
#include "cli/options/table.h"

namespace tenon::cli {

using enum Command;

std::vector<Row> monitoring_rows() {
  return {
      {.flag = "--log-level",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_level>,
       .help = "Lowest level that is logged: debug, info, warn or error",
       .from_environment = {kController}},
      {.flag = "--log-format",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_format>,
       .help = "Format of log lines: json as Karpenter writes it, console as zap does, text for people",
       .allowed = {"json", "console", "text"}},
      {.flag = "--log-output-paths",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_output_paths>,
       .help = "Outputs of log lines: stdout, stderr or files, divided by commas",
       .from_environment = {kController}},
      {.flag = "--log-error-output-paths",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_error_output_paths>,
       .help = "Outputs of the errors of the log itself, such as a full disk",
       .from_environment = {kController}},
      {.flag = "--log-sampling",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_sampling>,
       .help = "Sampling of equal messages in a second: FIRST:EVERY logs FIRST of them, then each EVERY-th; off: all",
       .from_environment = {kController}},
      {.flag = "--metrics-port",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::metrics_port>,
       .help = "Port of /metrics; 0 disables the endpoint",
       .from_environment = {kController}},
      {.flag = "--metrics-detail",
       .in = {kController, kDemo},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::metrics_detail, &DemoOptions::metrics_detail>,
       .help = "Series of /metrics: standard sums those of nodes and pods, full has one for each, as Karpenter has",
       .from_environment = {kController},
       .allowed = {"standard", "full"}},
      {.flag = "--disable-cluster-state-observability",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::disable_cluster_state_observability>,
       .help = "Leave out the metrics of nodes, pods and NodePools, and the metrics and events of conditions",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--enable-profiling",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::enable_profiling>,
       .help = "Serve /debug/pprof/ on the port of the metrics: CPU profiles and a summary of the heap",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--health-probe-port",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::health_probe_port>,
       .help = "Port of /healthz and /readyz; 0 disables the endpoint",
       .from_environment = {kController}},
  };
}

}  // namespace tenon::cli

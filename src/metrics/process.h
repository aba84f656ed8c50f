// Metrics of this process from /proc/self, under the names that every Prometheus client uses (process_*). The families
// go_* have no counterpart: there is no Go runtime. Linux only; elsewhere, or without /proc, the series are absent.
// parity: client_golang prometheus/process_collector.go
// Thread rule: as Collector.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/registry.h"

namespace tenon::metrics {

// Keep the result as long as the metrics are to be shown. `registry` is borrowed.
std::shared_ptr<Collector> collect_process(Registry& registry);

// The parts of /proc/PID/stat that count; std::nullopt if the text has another form.
struct ProcessStat {
  double user_ticks = 0, system_ticks = 0;  // of the CPU
  double start_ticks = 0;                   // since the start of the machine
  double virtual_bytes = 0, resident_pages = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace tenon::metrics

// The view of a cluster that people read: nodes with price and load, pending pods, the last decisions. One model for
// every display; this room renders it as text. Value types; no I/O.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "disruption/disruption.h"
#include "scheduling/input/snapshot.h"

namespace tenon::console {

struct NodeRow {
  std::string name, type, zone, capacity_type, pool;
  std::string state;  // launching, joining, ready, not ready, draining
  model::Price price;
  size_t pods = 0;                            // without those of DaemonSets
  int64_t cpu_used = 0, cpu_total = 0;        // millicores, by requests
  int64_t memory_used = 0, memory_total = 0;  // bytes, by requests
};

struct ClusterView {
  Instant now{};
  std::vector<NodeRow> nodes;          // by name
  std::vector<std::string> pending;    // namespace/name, sorted
  std::vector<std::string> decisions;  // oldest first
  model::Price total;
};

ClusterView make_view(const scheduling::Snapshot& snapshot, std::vector<std::string> decisions);

struct TextOptions {
  int width = 100;  // columns
  bool colour = false;
  size_t max_nodes = 30, max_pending = 5, max_decisions = 8;  // lines; omitted rows are counted
};
std::string render_text(const ClusterView& view, const TextOptions& options);

}  // namespace tenon::console

// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/log_lines.h"

#include <algorithm>
#include <utility>

#include "log/messages.h"
#include "model/generations.h"
#include "scheduling/input/pod_check.h"

namespace tenon::controllers::provisioning {
namespace {

using scheduling::Snapshot;
using scheduling::Solution;

log::Fields of(std::vector<log::Value> values) {
  log::Fields fields;
  fields.more = std::move(values);
  return fields;
}

log::Value count(log::Key key, size_t number) { return {key, static_cast<int64_t>(number)}; }

bool is_buffer(const model::Pod& pod) { return !pod.spec->buffer.empty(); }

void add_created(const Snapshot& snapshot, const Solution& solution, Duration took, std::vector<log::Entry>& lines) {
  std::vector<std::string> waiting;
  for (const auto& pod : snapshot.pending) {
    if (!is_buffer(*pod)) waiting.push_back(pod->key());
  }
  lines.push_back(log::step(log::kFoundPods, of({{log::Key::kPods, log::some_of(waiting)},
                                                 {log::Key::kDuration, format_go_duration(took)}})));
  size_t on_new = 0, on_existing = 0, nodes = 0;
  for (const auto& node : solution.new_nodes) on_new += node.pods.size();
  for (const auto& [name, pods] : solution.existing) {
    on_existing += pods.size();
    nodes += pods.empty() ? 0 : 1;
  }
  if (on_new == 0) return;
  lines.push_back(log::step(log::kComputedClaims, of({count(log::Key::kNodeClaims, solution.new_nodes.size()),
                                                      count(log::Key::kPodTotal, on_new)})));
  if (on_existing == 0) return;
  lines.push_back(
      log::step(log::kComputedNodes, of({count(log::Key::kNodes, nodes), count(log::Key::kPodTotal, on_existing)})));
}

}  // namespace

log::Entry computing_line(const Snapshot& snapshot) {
  size_t deleting = 0;
  for (const auto& node : snapshot.nodes) deleting += node.deleting() ? node.pods.size() : 0;
  const auto pending =
      std::count_if(snapshot.pending.begin(), snapshot.pending.end(), [](const auto& pod) { return !is_buffer(*pod); });
  return log::step(log::kComputingDecision, of({count(log::Key::kPendingPods, static_cast<size_t>(pending)),
                                                count(log::Key::kDeletingPods, deleting)}));
}

std::vector<log::Entry> decision_lines(const Snapshot& snapshot, const Solution& solution, Duration took) {
  std::vector<log::Entry> lines;
  if (!solution.new_nodes.empty()) add_created(snapshot, solution, took, lines);
  for (const auto& [pool, by_min_values] : solution.pools_without_types) {
    log::Entry line = log::step(log::kNoTypes, {.node_pool = std::string(model::object_name(pool))});
    line.words = model::pool_reference(pool) + ": " + line.message + (by_min_values ? " due to minValues" : "");
    lines.push_back(std::move(line));
  }
  const bool any_pool = std::any_of(snapshot.pools.begin(), snapshot.pools.end(),
                                    [](const auto& view) { return view.not_ready.empty() && !view.pool->replicas; });
  if (!any_pool) {
    lines.push_back(log::step(log::kNoPools, {}));
    return lines;  // parity: the pods are not named one by one
  }
  for (const auto& pod : snapshot.pending) {
    const auto why = solution.unschedulable.find(pod->key());
    if (why == solution.unschedulable.end() || is_buffer(*pod) || scheduling::avoids_our_nodes(*pod)) continue;
    log::Entry line =
        log::step(log::kCouldNotSchedule,
                  of({{log::Key::kPod, log::Object{{"name", pod->meta.name}, {"namespace", pod->meta.ns}}}}));
    line.error = why->second.message;
    line.words = "could not schedule pod " + pod->key() + ": " + line.error;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tenon::controllers::provisioning

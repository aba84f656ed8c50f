// SPDX-License-Identifier: Apache-2.0
#include "scheduling/capacity_buffer.h"

#include <algorithm>
#include <climits>
#include <optional>

namespace tenon::scheduling {
namespace {

constexpr int64_t kHundred = 100;

// How many such pods the limits hold; nothing if they name no resource that a pod asks for.
std::optional<int64_t> most_within(const model::Resources& limits, const model::Resources& requests) {
  std::optional<int64_t> most;
  for (const auto& [name, limit] : limits.entries()) {
    const int64_t asked = requests.get(name);
    if (asked > 0) most = std::min(most.value_or(INT64_MAX), limit / asked);
  }
  return most;
}

}  // namespace

Result<int64_t> buffer_size(const model::CapacityBuffer& buffer, const model::PodSource& source) {
  int64_t wanted = buffer.replicas.value_or(0);
  if (buffer.percentage && !buffer.scalable_name.empty()) {
    const int64_t share = (int64_t{*buffer.percentage} * source.replicas + kHundred - 1) / kHundred;
    wanted = std::max({wanted, share, int64_t{1}});
  }
  if (buffer.limits) {
    const auto most = most_within(*buffer.limits, source.pod_template.spec->requests);
    const bool only_limits = !buffer.replicas && !buffer.percentage;
    if (only_limits && !most) return fail(Code::kInvalid, "spec.limits: names no resource that the pod requests");
    if (only_limits) wanted = *most;
    if (most) wanted = std::min(wanted, *most);
  }
  if (wanted > kMostBufferPods) {
    return fail(Code::kInvalid, "asks for " + std::to_string(wanted) + " pods; at most " +
                                    std::to_string(kMostBufferPods) + " are kept room for");
  }
  return wanted;
}

std::vector<model::Pod> buffer_pods(const model::CapacityBuffer& buffer, const model::PodSource& source,
                                    int64_t count) {
  std::vector<model::Pod> pods;
  Shared<model::PodSpec> spec = source.pod_template.spec;
  spec.edit().priority_class_name.clear();
  spec.edit().priority = INT_MIN;
  spec.edit().volumes.clear();
  spec.edit().buffer = buffer.meta.ns + "/" + buffer.meta.name;
  for (int64_t i = 1; i <= count; ++i) {
    model::Pod pod = source.pod_template;
    pod.spec = spec;
    pod.meta = {};
    pod.meta.ns = buffer.meta.ns;
    pod.meta.name = "capacity-buffer-" + buffer.meta.name + "-" + std::to_string(i);
    pod.meta.uid = buffer.meta.uid + "-" + std::to_string(i);
    pod.meta.created_at = buffer.meta.created_at;
    pod.meta.labels = source.pod_template.meta.labels;
    pod.node_name.clear();
    pod.conditions = {{.type = "PodScheduled",
                       .status = "False",
                       .reason = "Unschedulable",
                       .message = "",
                       .last_transition = buffer.meta.created_at}};
    pods.push_back(std::move(pod));
  }
  return pods;
}

}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/capacity_buffer.h"

#include <algorithm>
#include <array>
#include <climits>
#include <optional>

namespace tenon::scheduling {
namespace {

constexpr int64_t kHundred = 100;
constexpr std::string_view kPodTemplate = "PodTemplate";
constexpr std::array<std::string_view, 3> kWorkloads{"Deployment", "StatefulSet", "ReplicaSet"};

// Returns how many such pods the limits allow; std::nullopt if they name no resource that a pod requests.
std::optional<int64_t> most_within(const model::Resources& limits, const model::Resources& requests) {
  std::optional<int64_t> most;
  for (const auto& [name, limit] : limits.entries()) {
    const int64_t asked = requests.get(name);
    if (asked > 0) most = std::min(most.value_or(INT64_MAX), limit / asked);
  }
  return most;
}

int64_t sum(const std::map<std::string, int64_t>& counts) {
  int64_t total = 0;
  for (const auto& [node, count] : counts) total += count;
  return total;
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

Result<std::vector<model::Pod>> resolve_buffer(const model::CapacityBuffer& buffer, const FindPodSource& find,
                                               BufferState& state) {
  const auto refuse = [&](std::string reason, std::string why) {
    state.reason = std::move(reason);
    state.problem = std::move(why);
    return std::vector<model::Pod>();
  };
  if (const Status valid = model::validate(buffer); !valid) return refuse("ResolutionFailed", valid.error().message);
  const bool by_template = !buffer.pod_template.empty();
  const std::string kind = by_template ? std::string(kPodTemplate) : buffer.scalable_kind;
  const std::string name = by_template ? buffer.pod_template : buffer.scalable_name;
  if (!by_template && std::find(kWorkloads.begin(), kWorkloads.end(), kind) == kWorkloads.end()) {
    return refuse("ResolutionFailed",
                  "spec.scalableRef.kind: \"" + kind + "\" is not Deployment, StatefulSet or ReplicaSet");
  }
  const auto source = TRY(find(kind, buffer.meta.ns, name));
  if (!source) {
    return refuse(by_template ? "PodTemplateNotFound" : "ScalableRefNotFound", kind + " \"" + name + "\" not found");
  }
  state.source_generation = source->meta.generation;
  if (!source->pod_template.spec->problem.empty())
    return refuse("ResolutionFailed", source->pod_template.spec->problem);
  const Result<int64_t> size = buffer_size(buffer, *source);
  if (!size) return refuse("ResolutionFailed", size.error().message);
  state.pods = *size;
  return buffer_pods(buffer, *source, *size);
}

std::vector<model::Condition> BufferState::conditions(Instant now) const {
  const bool resolved = problem.empty();
  model::Condition ready{.type = "ReadyForProvisioning",
                         .status = resolved ? "True" : "False",
                         .reason = reason,
                         .message = resolved ? "Pod template resolved successfully" : problem,
                         .last_transition = now};
  model::Condition done{.type = "Provisioning", .status = "False", .last_transition = now};
  const int64_t launched = sum(on_new);
  if (!resolved) {
    done.reason = "NotReadyForProvisioning";
  } else if (pods == 0) {
    done.reason = "BufferEmpty";
  } else if (launched + failed > 0) {
    done.reason = "RequiresNewCapacity";
    done.message = std::to_string(launched) + "/" + std::to_string(pods) + " virtual pods required new capacity, " +
                   std::to_string(failed) + " failed";
  } else {
    done.status = "True";
    done.reason = "FitsExistingCapacity";
    done.message = "All " + std::to_string(pods) + " virtual pods fit on existing capacity";
  }
  return {std::move(ready), std::move(done)};
}

void take_out_buffers(const std::map<std::string, std::string>& buffer_of, Solution& solution, BufferStates& states) {
  const auto take = [&](std::vector<std::string>& pods, const std::string& node, auto counts) {
    std::erase_if(pods, [&](const std::string& pod) {
      const auto at = buffer_of.find(pod);
      if (at == buffer_of.end()) return false;
      ++(states[at->second].*counts)[node];
      return true;
    });
  };
  for (auto& node : solution.new_nodes) take(node.pods, node.id, &BufferState::on_new);
  for (auto& [node, pods] : solution.existing) take(pods, node, &BufferState::on_existing);
  std::erase_if(solution.existing, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(solution.unschedulable, [&](const auto& entry) {
    const auto at = buffer_of.find(entry.first);
    if (at == buffer_of.end()) return false;
    BufferState& state = states[at->second];
    if (++state.failed == 1) state.why_failed = entry.second.message;
    return true;
  });
}

}  // namespace tenon::scheduling

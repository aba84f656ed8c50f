// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_buffers.h"

#include <algorithm>
#include <array>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "scheduling/capacity_buffer.h"

namespace tenon::cli {
namespace {

constexpr std::string_view kPodTemplate = "PodTemplate";
constexpr std::array<std::string_view, 4> kSources{kPodTemplate, "Deployment", "StatefulSet", "ReplicaSet"};
constexpr std::string_view kReadyCondition = "ReadyForProvisioning", kProvisioning = "Provisioning";

std::string key_of(const std::string& ns, const std::string& name) {
  return (ns.empty() ? "default" : ns) + "/" + name;
}

int64_t sum(const std::map<std::string, int64_t>& counts) {
  int64_t total = 0;
  for (const auto& [node, count] : counts) total += count;
  return total;
}

}  // namespace

std::vector<model::Condition> BufferState::conditions(Instant now) const {
  const bool resolved = problem.empty();
  model::Condition ready{.type = std::string(kReadyCondition),
                         .status = resolved ? "True" : "False",
                         .reason = reason,
                         .message = resolved ? "Pod template resolved successfully" : problem,
                         .last_transition = now};
  model::Condition done{.type = std::string(kProvisioning), .status = "False", .last_transition = now};
  const int64_t bought = sum(on_new);
  if (!resolved) {
    done.reason = "NotReadyForProvisioning";
  } else if (pods == 0) {
    done.reason = "BufferEmpty";
  } else if (bought + failed > 0) {
    done.reason = "RequiresNewCapacity";
    done.message = std::to_string(bought) + "/" + std::to_string(pods) + " virtual pods required new capacity, " +
                   std::to_string(failed) + " failed";
  } else {
    done.status = "True";
    done.reason = "FitsExistingCapacity";
    done.message = "All " + std::to_string(pods) + " virtual pods fit on existing capacity";
  }
  return {std::move(ready), std::move(done)};
}

Status Buffers::add(const Document& d, Instant now) {
  if (d.kind == "CapacityBuffer" && d.group == "autoscaling.x-k8s.io") {
    Result<model::CapacityBuffer> buffer = kube::codec::decode_capacity_buffer(*d.object);
    if (!buffer) return fail(Code::kInvalid, d.place(buffer.error().message));
    model::ObjectMeta& meta = buffer->meta;
    if (meta.name.empty()) return fail(Code::kInvalid, d.place("metadata.name: missing"));
    if (meta.ns.empty()) meta.ns = "default";
    if (meta.uid.empty()) meta.uid = d.kind + "/" + meta.ns + "/" + meta.name;
    if (meta.created_at == Instant{}) meta.created_at = now;
    if (!meta.deleting()) buffers_.insert_or_assign(key_of(meta.ns, meta.name), *std::move(buffer));
    return ok();
  }
  const bool source = std::find(kSources.begin(), kSources.end(), d.kind) != kSources.end() &&
                      (d.group == "apps" || d.kind == kPodTemplate);
  if (source) {
    const std::string ns(json::string_at(*d.object, {"metadata", "namespace"}));
    const std::string name(json::string_at(*d.object, {"metadata", "name"}));
    sources_.insert_or_assign(d.kind + "/" + key_of(ns, name), d);
  }
  return ok();
}

Result<std::vector<model::Pod>> Buffers::pods_of(const model::CapacityBuffer& buffer, BufferState& state) const {
  const auto refuse = [&](std::string reason, std::string why) {
    state.reason = std::move(reason);
    state.problem = std::move(why);
    return std::vector<model::Pod>();
  };
  if (const Status valid = model::validate(buffer); !valid) return refuse("ResolutionFailed", valid.error().message);
  const bool by_template = !buffer.pod_template.empty();
  const std::string kind = by_template ? std::string(kPodTemplate) : buffer.scalable_kind;
  const std::string name = by_template ? buffer.pod_template : buffer.scalable_name;
  if (std::find(kSources.begin(), kSources.end(), kind) == kSources.end() || (!by_template && kind == kPodTemplate)) {
    return refuse("ResolutionFailed",
                  "spec.scalableRef.kind: \"" + kind + "\" is not Deployment, StatefulSet or ReplicaSet");
  }
  const auto at = sources_.find(kind + "/" + key_of(buffer.meta.ns, name));
  if (at == sources_.end()) {
    return refuse(by_template ? "PodTemplateNotFound" : "ScalableRefNotFound", kind + " \"" + name + "\" not found");
  }
  const Result<model::PodSource> source = kube::codec::decode_pod_source(*at->second.object);
  if (!source) return fail(Code::kInvalid, at->second.place(source.error().message));
  if (!source->pod_template.spec->problem.empty())
    return refuse("ResolutionFailed", source->pod_template.spec->problem);
  const Result<int64_t> size = scheduling::buffer_size(buffer, *source);
  if (!size) return refuse("ResolutionFailed", size.error().message);
  state.pods = *size;
  return scheduling::buffer_pods(buffer, *source, *size);
}

Result<std::vector<model::Pod>> Buffers::pods(BufferStates& states) const {
  std::vector<model::Pod> all;
  for (const auto& [key, buffer] : buffers_) {
    std::vector<model::Pod> pods = TRY(pods_of(buffer, states[key]));
    std::move(pods.begin(), pods.end(), std::back_inserter(all));
  }
  return all;
}

void take_out_buffers(const std::map<std::string, std::string>& buffer_of, scheduling::Solution& solution,
                      BufferStates& states) {
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

void take_out_buffers(const std::map<std::string, std::string>& buffer_of, disruption::Pass& pass) {
  for (disruption::Move& move : pass.moves) {
    for (auto& node : move.replacements) {
      std::erase_if(node.pods, [&](const std::string& pod) { return buffer_of.contains(pod); });
    }
  }
}

}  // namespace tenon::cli

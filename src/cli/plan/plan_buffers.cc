// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_buffers.h"

#include <algorithm>
#include <array>

#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::cli {
namespace {

constexpr std::string_view kPodTemplate = "PodTemplate";
constexpr std::array<std::string_view, 4> kSources{kPodTemplate, "Deployment", "StatefulSet", "ReplicaSet"};

std::string key_of(const std::string& ns, const std::string& name) {
  return (ns.empty() ? "default" : ns) + "/" + name;
}

}  // namespace

Status Buffers::add(const Document& d) {
  if (d.kind == "CapacityBuffer" && d.group == "autoscaling.x-k8s.io") {
    Result<model::CapacityBuffer> buffer = kube::codec::decode_capacity_buffer(*d.object);
    if (!buffer) return fail(Code::kInvalid, d.place(buffer.error().message));
    model::ObjectMeta& meta = buffer->meta;
    if (meta.name.empty()) return fail(Code::kInvalid, d.place("metadata.name: missing"));
    if (meta.ns.empty()) meta.ns = "default";
    if (meta.uid.empty()) meta.uid = d.kind + "/" + meta.ns + "/" + meta.name;
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

Result<std::vector<model::Pod>> Buffers::pods(Instant now, BufferStates& states) {
  using Source = std::shared_ptr<const model::PodSource>;
  const auto find = [&](const std::string& kind, const std::string& ns, const std::string& name) -> Result<Source> {
    const auto at = sources_.find(kind + "/" + key_of(ns, name));
    if (at == sources_.end()) return Source();
    auto source = kube::codec::decode_pod_source(*at->second.object);
    if (!source) return fail(Code::kInvalid, at->second.place(source.error().message));
    return std::make_shared<const model::PodSource>(*std::move(source));
  };
  std::vector<model::Pod> all;
  for (auto& [key, buffer] : buffers_) {
    if (buffer.meta.created_at == Instant{}) buffer.meta.created_at = now;
    std::vector<model::Pod> pods = TRY(scheduling::resolve_buffer(buffer, find, states[key]));
    std::move(pods.begin(), pods.end(), std::back_inserter(all));
  }
  return all;
}

void take_out_buffers(const std::map<std::string, std::string>& buffer_of, disruption::Pass& pass) {
  for (disruption::Move& move : pass.moves) {
    for (auto& node : move.replacements) {
      std::erase_if(node.pods, [&](const std::string& pod) { return buffer_of.contains(pod); });
    }
  }
}

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"

namespace tenon::kube::codec {
namespace {

json::value write_duration_or_never(const model::OptionalDuration& d) {
  return json::value(d ? format_go_duration(*d) : std::string("Never"));
}

json::value write_spec(const model::NodeClaim& claim) {
  const model::NodeClassRef& ref = claim.node_class_ref;
  json::object spec{{"nodeClassRef", {{"group", ref.group}, {"kind", ref.kind}, {"name", ref.name}}},
                    {"requirements", write_requirements(claim.requirements)}};
  if (!claim.requests.empty()) spec["resources"] = {{"requests", write_resources(claim.requests)}};
  if (!claim.taints.empty()) spec["taints"] = write_taints(claim.taints);
  if (!claim.startup_taints.empty()) spec["startupTaints"] = write_taints(claim.startup_taints);
  spec["expireAfter"] = write_duration_or_never(claim.expire_after);
  if (claim.termination_grace_period) {
    spec["terminationGracePeriod"] = format_go_duration(*claim.termination_grace_period);
  }
  return spec;
}

bool same_spec(const model::NodeClaim& a, const model::NodeClaim& b) {
  const auto spec = [](const model::NodeClaim& c) {
    return std::tie(c.node_class_ref, c.requirements, c.requests, c.taints, c.startup_taints, c.expire_after,
                    c.termination_grace_period);
  };
  return spec(a) == spec(b);
}

json::value write_status(const model::NodeClaim& claim, const model::NodeClaim* unlike) {
  json::object status;
  if (!claim.provider_id.empty()) status["providerID"] = claim.provider_id;
  if (!claim.node_name.empty()) status["nodeName"] = claim.node_name;
  if (!claim.image_id.empty()) status["imageID"] = claim.image_id;
  if (told(claim.capacity, unlike ? &unlike->capacity : nullptr)) status["capacity"] = write_resources(claim.capacity);
  if (told(claim.allocatable, unlike ? &unlike->allocatable : nullptr))
    status["allocatable"] = write_resources(claim.allocatable);
  if (!claim.conditions.empty()) status["conditions"] = write_conditions(claim.conditions);
  if (claim.last_pod_event_at) status["lastPodEventTime"] = format_rfc3339(*claim.last_pod_event_at);
  return status;
}

}  // namespace

Result<model::NodeClaim> decode_node_claim(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field claim(document, problem);
  const Field spec = claim["spec"];
  const Field status = claim["status"];
  model::NodeClaim out;
  out.meta = read_meta(claim["metadata"]);
  out.node_class_ref = read_node_class_ref(spec["nodeClassRef"]);
  out.requirements = read_requirements(spec["requirements"], true);
  out.requests = read_resources(spec["resources"]["requests"], Round::kUp);
  out.taints = read_taints(spec["taints"]);
  out.startup_taints = read_taints(spec["startupTaints"]);
  out.expire_after = read_duration_or_never(spec["expireAfter"], out.expire_after);
  if (spec["terminationGracePeriod"].present())
    out.termination_grace_period = spec["terminationGracePeriod"].duration();
  out.provider_id = status["providerID"].text();
  out.node_name = status["nodeName"].text();
  out.image_id = status["imageID"].text();
  out.capacity = read_resources(status["capacity"], Round::kDown);
  out.allocatable = read_resources(status["allocatable"], Round::kDown);
  out.conditions = read_conditions(status["conditions"]);
  out.last_pod_event_at = status["lastPodEventTime"].time();
  return problem.take(std::move(out));
}

json::value encode(const model::NodeClaim& claim, const model::NodeClaim* unlike) {
  json::object out{{"apiVersion", "karpenter.sh/v1"},
                   {"kind", "NodeClaim"},
                   {"metadata", write_meta(claim.meta, unlike ? &unlike->meta : nullptr)}};
  if (!unlike || !same_spec(claim, *unlike)) out["spec"] = write_spec(claim);
  json::value status = write_status(claim, unlike);
  // With `unlike`, even an empty status is written: in a merge patch, a missing one would mean its removal.
  if (unlike || !status.get_object().empty()) out["status"] = std::move(status);
  return out;
}

}  // namespace tenon::kube::codec

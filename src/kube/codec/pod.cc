// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"
#include "kube/codec/pod_requests.h"
#include "model/pod_started.h"

namespace tenon::kube::codec {
namespace {

model::PodAffinityTerm read_pod_term(const Field& term) {
  model::PodAffinityTerm out;
  out.selector = read_selector(term["labelSelector"]);
  out.topology_key = term["topologyKey"].text();
  out.namespaces = term["namespaces"].texts();
  out.namespace_selector = read_selector(term["namespaceSelector"]);
  out.match_label_keys = term["matchLabelKeys"].texts();
  out.mismatch_label_keys = term["mismatchLabelKeys"].texts();
  return out;
}

std::vector<model::PodAffinityTerm> read_pod_terms(const Field& terms) {
  std::vector<model::PodAffinityTerm> out;
  for (const Field& term : terms.items()) out.push_back(read_pod_term(term));
  return out;
}

std::vector<model::WeightedPodTerm> read_weighted_pod_terms(const Field& terms) {
  std::vector<model::WeightedPodTerm> out;
  for (const Field& term : terms.items())
    out.push_back({term["weight"].int32(), read_pod_term(term["podAffinityTerm"])});
  return out;
}

model::Affinity read_affinity(const Field& affinity) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  model::Affinity out;
  const Field node = affinity["nodeAffinity"];
  out.required_node_terms = read_node_terms(node[kRequired]["nodeSelectorTerms"]);
  for (const Field& term : node[kPreferred].items()) {
    out.preferred_node_terms.push_back({term["weight"].int32(), read_node_term(term["preference"])});
  }
  out.required_pods = read_pod_terms(affinity["podAffinity"][kRequired]);
  out.preferred_pods = read_weighted_pod_terms(affinity["podAffinity"][kPreferred]);
  out.required_anti_pods = read_pod_terms(affinity["podAntiAffinity"][kRequired]);
  out.preferred_anti_pods = read_weighted_pod_terms(affinity["podAntiAffinity"][kPreferred]);
  return out;
}

// Reads the host ports of the containers. Init containers hold no ports while the pod runs.
// parity: karpenter pkg/scheduling/hostportusage.go
std::vector<model::HostPort> read_host_ports(const Field& spec) {
  const bool host_network = spec["hostNetwork"].boolean();
  std::vector<model::HostPort> out;
  for (const Field& container : spec["containers"].items()) {
    for (const Field& port : container["ports"].items()) {
      const int container_port = port["containerPort"].int32();
      const int number = port["hostPort"].int32(host_network ? container_port : 0);
      if (number == 0) continue;
      out.push_back({.ip = port["hostIP"].text(),
                     .protocol = port["protocol"].one_of({"TCP", "UDP", "SCTP"}, "TCP"),
                     .port = number});
    }
  }
  return out;
}

std::vector<model::PodVolume> read_volumes(const Field& volumes) {
  std::vector<model::PodVolume> out;
  for (const Field& v : volumes.items()) {
    const Field claim = v["persistentVolumeClaim"];
    const Field ephemeral = v["ephemeral"];
    if (!claim.present() && !ephemeral.present()) continue;
    out.push_back({.name = v["name"].text(),
                   .claim_name = claim["claimName"].text(),
                   .ephemeral = ephemeral.present(),
                   .storage_class = ephemeral["volumeClaimTemplate"]["spec"]["storageClassName"].text()});
  }
  return out;
}

model::PodSpec read_spec(const Field& spec, PodAmounts amounts) {
  model::PodSpec out;
  out.scheduler_name = spec["schedulerName"].text("default-scheduler");
  out.priority_class_name = spec["priorityClassName"].text();
  out.priority = spec["priority"].int32();
  out.preemption_never = spec["preemptionPolicy"].text() == "Never";
  out.node_selector = spec["nodeSelector"].string_map();
  out.affinity = read_affinity(spec["affinity"]);
  out.spread = read_spread(spec["topologySpreadConstraints"]);
  out.tolerations = read_tolerations(spec["tolerations"]);
  out.host_ports = read_host_ports(spec);
  out.volumes = read_volumes(spec["volumes"]);
  out.gated = !spec["schedulingGates"].items().empty();
  out.uses_resource_claims = !spec["resourceClaims"].items().empty();
  out.termination_grace_seconds = spec["terminationGracePeriodSeconds"].optional_integer();
  out.requests = std::move(amounts.requests);
  out.limits = std::move(amounts.limits);
  out.problem = std::move(amounts.negative);
  return out;
}

}  // namespace

model::PodSpec read_pod_spec(const Field& pod) {
  return read_spec(pod["spec"], read_pod_amounts(pod["spec"], pod["status"]));
}

model::Pod read_pod_itself(const Field& pod) {
  const Field status = pod["status"];
  model::Pod out;
  out.meta = read_meta(pod["metadata"]);
  out.deletion_grace_seconds = pod["metadata"]["deletionGracePeriodSeconds"].optional_integer();
  out.node_name = pod["spec"]["nodeName"].text();
  out.nominated_node_name = status["nominatedNodeName"].text();
  out.phase = status["phase"].text("Pending");
  out.conditions = read_conditions(status["conditions"]);
  if (const auto started = status["startTime"].time())
    out.conditions.push_back({std::string(model::kPodStarted), "True", "", "", *started});
  return out;
}

model::Pod read_pod(const Field& pod) {
  model::Pod out = read_pod_itself(pod);
  out.spec = Shared(read_pod_spec(pod));
  return out;
}

std::vector<model::SpreadConstraint> read_spread(const Field& constraints) {
  std::vector<model::SpreadConstraint> out;
  for (const Field& c : constraints.items()) {
    model::SpreadConstraint s;
    s.max_skew = c["maxSkew"].int32(1);
    s.topology_key = c["topologyKey"].text();
    s.schedule_anyway = c["whenUnsatisfiable"].one_of({"DoNotSchedule", "ScheduleAnyway"}) == "ScheduleAnyway";
    s.selector = read_selector(c["labelSelector"]);
    s.min_domains = c["minDomains"].optional_int32();
    s.honor_node_affinity = c["nodeAffinityPolicy"].one_of({"Honor", "Ignore"}, "Honor") == "Honor";
    s.honor_node_taints = c["nodeTaintsPolicy"].one_of({"Honor", "Ignore"}, "Ignore") == "Honor";
    s.match_label_keys = c["matchLabelKeys"].texts();
    out.push_back(std::move(s));
  }
  return out;
}

Result<model::Pod> decode_pod(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  return problem.take(read_pod(Field(document, problem)));
}

Result<model::DaemonSet> decode_daemon_set(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field set(document, problem);
  model::DaemonSet out;
  out.meta = read_meta(set["metadata"]);
  out.pod_template = read_pod(set["spec"]["template"]);
  out.pod_template.meta.ns = out.meta.ns;
  out.pod_template.meta.owners = {{.api_version = "apps/v1",
                                   .kind = "DaemonSet",
                                   .name = out.meta.name,
                                   .uid = out.meta.uid,
                                   .controller = true,
                                   .block_owner_deletion = true}};
  return problem.take(std::move(out));
}

Result<model::PodDisruptionBudget> decode_disruption_budget(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field budget(document, problem);
  model::PodDisruptionBudget out;
  out.meta = read_meta(budget["metadata"]);
  out.selector = read_selector(budget["spec"]["selector"]);
  const std::string most = budget["spec"]["maxUnavailable"].text_or_number();
  out.never_allows = most == "0" || most == "0%" || budget["spec"]["minAvailable"].text_or_number() == "100%";
  out.disruptions_allowed = budget["status"]["disruptionsAllowed"].int32();
  const Field policy = budget["spec"]["unhealthyPodEvictionPolicy"];
  out.always_allow_unhealthy = policy.one_of({"IfHealthyBudget", "AlwaysAllow"}) == "AlwaysAllow";
  return problem.take(std::move(out));
}

}  // namespace tenon::kube::codec

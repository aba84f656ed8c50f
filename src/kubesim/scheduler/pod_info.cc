// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/pod_info.h"

#include <map>

#include "json/json.h"
#include "model/labels.h"

namespace tenon::kubesim {
namespace {

// parity: pkg/scheduler/util/pod_resources.go
constexpr int64_t kDefaultMilliCpu = 100;
constexpr int64_t kDefaultMemory = 200 * 1024 * 1024;
// parity: the default constraints of PodTopologySpread
constexpr int64_t kDefaultHostSkew = 3;
constexpr int64_t kDefaultZoneSkew = 5;

// Applies matchLabelKeys: the selector then requires the pod's own values of these labels.
void add_own_labels(LabelSelector& selector, const json::value& rule, const json::value& pod) {
  for (const json::value& key : json::array_at(rule, {"matchLabelKeys"})) {
    if (!key.is_string()) continue;
    const json::value* value = labels_of(pod).if_contains(key.get_string());
    if (value != nullptr && value->is_string()) selector.require(key.get_string(), value->get_string());
  }
}

SpreadRule parse_spread(const json::value& rule, const json::value& pod) {
  SpreadRule result;
  result.topology_key = json::string_at(rule, {"topologyKey"});
  result.max_skew = json::int_at(rule, {"maxSkew"}, 1);
  result.min_domains = json::int_at(rule, {"minDomains"}, 1);
  result.honor_affinity = json::string_at(rule, {"nodeAffinityPolicy"}, "Honor") == "Honor";
  result.honor_taints = json::string_at(rule, {"nodeTaintsPolicy"}, "Ignore") == "Honor";
  result.selector = LabelSelector::parse(json::find(rule, {"labelSelector"}));
  add_own_labels(result.selector, rule, pod);
  return result;
}

// Spread constraints that a workload's pods get if they have none: over hosts and zones. The selector is the pod's
// labels without those that differ from pod to pod.
std::vector<SpreadRule> default_spread(const json::value& pod) {
  const json::value* owner = controller_of(pod);
  if (owner == nullptr || labels_of(pod).empty()) return {};
  const std::string_view kind = json::string_at(*owner, {"kind"});
  if (kind != "ReplicaSet" && kind != "StatefulSet" && kind != "ReplicationController") return {};
  json::object labels = labels_of(pod);
  for (const std::string_view own :
       {"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index", "controller-revision-hash"})
    labels.erase(own);
  const json::value selector = json::object{{"matchLabels", labels}};
  SpreadRule host, zone;
  host.topology_key = model::kLabelHostname;
  host.max_skew = kDefaultHostSkew;
  zone.topology_key = model::kLabelZone;
  zone.max_skew = kDefaultZoneSkew;
  host.selector = zone.selector = LabelSelector::parse(&selector);
  return {host, zone};
}

PodTerm parse_term(const json::value& term, const json::value& pod) {
  PodTerm result;
  result.topology_key = json::string_at(term, {"topologyKey"});
  result.selector = LabelSelector::parse(json::find(term, {"labelSelector"}));
  add_own_labels(result.selector, term, pod);
  const json::value* selector = json::find(term, {"namespaceSelector"});
  result.has_namespace_selector = selector != nullptr && selector->is_object();
  result.namespace_selector = LabelSelector::parse(selector);
  for (const json::value& ns : json::array_at(term, {"namespaces"}))
    if (ns.is_string()) result.namespaces.emplace(ns.get_string());
  if (result.namespaces.empty() && !result.has_namespace_selector) result.namespaces.emplace(namespace_of(pod));
  return result;
}

std::vector<PodTerm> required_terms(const json::value& pod, std::string_view kind) {
  std::vector<PodTerm> terms;
  for (const json::value& term :
       json::array_at(pod, {"spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"}))
    terms.push_back(parse_term(term, pod));
  return terms;
}

std::vector<PodTerm> preferred_terms(const json::value& pod, std::string_view kind) {
  std::vector<PodTerm> terms;
  for (const json::value& entry :
       json::array_at(pod, {"spec", "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution"}))
    if (const json::value* term = json::find(entry, {"podAffinityTerm"})) {
      terms.push_back(parse_term(*term, pod));
      terms.back().weight = json::int_at(entry, {"weight"}, 1);
    }
  return terms;
}

void parse_containers(const json::value& pod, PodInfo& info) {
  info.requests = pod_requests(*json::find(pod, {"spec"}));
  info.score_cpu = info.requests.cpu;
  info.score_memory = info.requests.memory;
  for (const json::value& container : json::array_at(pod, {"spec", "containers"})) {
    const Amounts own = parse_amounts(json::object_at(container, {"resources", "requests"}));
    if (own.cpu == 0) info.score_cpu += kDefaultMilliCpu;
    if (own.memory == 0) info.score_memory += kDefaultMemory;
    for (const json::value& port : json::array_at(container, {"ports"}))
      if (const int64_t number = json::int_at(port, {"hostPort"}); number > 0)
        info.ports.push_back({std::string(json::string_at(port, {"protocol"}, "TCP")),
                              std::string(json::string_at(port, {"hostIP"}, "0.0.0.0")), number});
  }
}

// A DaemonSet's pod is pinned to its node by a term on metadata.name: other nodes need no filtering.
std::string pinned_node(const NodeAffinity& affinity) {
  if (affinity.required.size() != 1) return {};
  for (const LabelRule& rule : affinity.required[0].fields)
    if (rule.key == "metadata.name" && rule.op == LabelRule::Op::kIn && rule.values.size() == 1) return rule.values[0];
  return {};
}

}  // namespace

bool HostPort::conflicts(const HostPort& other) const {
  if (port != other.port || protocol != other.protocol) return false;
  return ip == other.ip || ip == "0.0.0.0" || other.ip == "0.0.0.0";
}

std::shared_ptr<const LabelSet> PodParser::intern_labels(const Object& pod) {
  std::string id = std::string(namespace_of(*pod));
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [key, value] : labels_of(*pod))
    if (value.is_string()) sorted.emplace(key, value.get_string());
  for (const auto& [key, value] : sorted) id.append("\n").append(key).append("=").append(value);
  auto& slot = label_sets_[id];
  auto set = slot.lock();
  if (set == nullptr) {
    set = std::make_shared<const LabelSet>(LabelSet{std::string(namespace_of(*pod)), pod});
    slot = set;
  }
  return set;
}

std::shared_ptr<const PodTerms> PodParser::intern_terms(const json::value& pod) {
  const json::value* affinity = json::find(pod, {"spec", "affinity"});
  if (affinity == nullptr || !affinity->is_object()) return nullptr;
  if (json::find(*affinity, {"podAffinity"}) == nullptr && json::find(*affinity, {"podAntiAffinity"}) == nullptr)
    return nullptr;
  // matchLabelKeys reads the pod's labels, so the labels are part of the identity of the terms.
  std::string id =
      std::string(namespace_of(pod)) + json::to_string(*affinity) + json::to_string(json::value(labels_of(pod)));
  auto& slot = terms_[id];
  auto terms = slot.lock();
  if (terms == nullptr) {
    terms = std::make_shared<const PodTerms>(
        PodTerms{required_terms(pod, "podAffinity"), required_terms(pod, "podAntiAffinity"),
                 preferred_terms(pod, "podAffinity"), preferred_terms(pod, "podAntiAffinity")});
    slot = terms;
  }
  return terms;
}

void PodParser::sweep() {
  if (label_sets_.size() + terms_.size() < next_sweep_) return;
  std::erase_if(label_sets_, [](const auto& entry) { return entry.second.expired(); });
  std::erase_if(terms_, [](const auto& entry) { return entry.second.expired(); });
  next_sweep_ = 2 * (label_sets_.size() + terms_.size()) + 1024;
}

std::shared_ptr<const PodInfo> PodParser::parse(const Object& pod) {
  sweep();
  auto info = std::make_shared<PodInfo>();
  const json::value& spec = *json::find(*pod, {"spec"});
  info->key = key_of(*pod);
  info->uid = uid_of(*pod);
  info->object = pod;
  info->node_name = node_name_of(*pod);
  info->priority = static_cast<int32_t>(json::int_at(spec, {"priority"}));
  info->may_preempt = json::string_at(spec, {"preemptionPolicy"}) != "Never";
  info->gated = !json::array_at(spec, {"schedulingGates"}).empty();
  info->deleting = is_deleting(*pod);
  parse_containers(*pod, *info);
  info->affinity = NodeAffinity::parse(spec);
  info->wanted_node = pinned_node(info->affinity);
  info->tolerations = tolerations_of(spec);
  for (const json::value& rule : json::array_at(spec, {"topologySpreadConstraints"})) {
    const bool hard = json::string_at(rule, {"whenUnsatisfiable"}, "DoNotSchedule") == "DoNotSchedule";
    (hard ? info->spread : info->soft_spread).push_back(parse_spread(rule, *pod));
  }
  if (info->spread.empty() && info->soft_spread.empty()) {
    info->soft_spread = default_spread(*pod);
    info->soft_spread_is_default = true;
  }
  for (const json::value& volume : json::array_at(spec, {"volumes"}))
    if (const auto claim = json::string_at(volume, {"persistentVolumeClaim", "claimName"}); !claim.empty())
      info->claims.emplace_back(claim);
  info->labels = intern_labels(pod);
  info->terms = intern_terms(*pod);
  return info;
}

}  // namespace tenon::kubesim

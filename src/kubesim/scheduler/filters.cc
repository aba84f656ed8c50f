// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/filters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";
constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";
constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";

bool cordon_tolerated(const PodInfo& pod) {
  return tolerated(pod.tolerations, {std::string(kUnschedulableTaint), "", "NoSchedule"});
}

bool taints_tolerated(const NodeInfo& node, const PodInfo& pod) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" || tolerated(pod.tolerations, taint);
  });
}

bool ports_free(const NodeInfo& node, const PodInfo& pod) {
  for (const HostPort& wanted : pod.ports)
    for (const HostPort& used : node.ports)
      if (wanted.conflicts(used)) return false;
  return true;
}

std::string preemption_text(const PodInfo& pod, size_t nodes, size_t curable) {
  if (!pod.may_preempt) return "preemption: not eligible due to preemptionPolicy=Never.";
  std::vector<std::string> parts;
  if (curable > 0) parts.push_back(fmt::format("{} {}", curable, kNoVictims));
  if (nodes > curable) parts.push_back(fmt::format("{} {}", nodes - curable, kNotHelpful));
  std::sort(parts.begin(), parts.end());
  return fmt::format("preemption: 0/{} nodes are available: {}.", nodes, join(parts, ", "));
}

}  // namespace

Filters::Filters(const ClusterCache& cache, const PodInfo& pod, const VolumeNeeds& volumes)
    : pod_(pod), volumes_(volumes), spread_(cache, pod), affinity_(cache, pod) {}

void Filters::refuse(std::string_view reason, std::string_view detail) { ++refusals_[{reason, detail}]; }

void Filters::count_unpinned(int64_t nodes) {
  if (nodes > 0) refusals_[{"node(s) didn't satisfy plugin(s) [NodeAffinity]", ""}] += nodes;
}

bool Filters::allows_basics(const NodeInfo& node, bool& curable) {
  if (node.unschedulable && !cordon_tolerated(pod_)) return refuse("node(s) were unschedulable"), false;
  if (!taints_tolerated(node, pod_)) return refuse("node(s) had untolerated taint(s)"), false;
  if (!pod_.affinity.matches(node.name, node.labels()))
    return refuse("node(s) didn't match Pod's node affinity/selector"), false;
  if (!ports_free(node, pod_)) {
    curable = true;
    return refuse("node(s) didn't have free ports for the requested pod ports"), false;
  }
  return true;
}

bool Filters::allows_resources(const NodeInfo& node, bool& curable) {
  bool fits = true;
  curable = true;
  const auto lacks = [&](std::string_view name, int64_t wanted, int64_t used, int64_t allocatable) {
    if (wanted == 0 || wanted <= allocatable - used) return;
    refuse("Insufficient ", name);
    fits = false;
    if (wanted > allocatable) curable = false;
  };
  if (static_cast<int64_t>(node.pods.size()) + 1 > node.allocatable.pods) {
    refuse("Too many pods");
    fits = false;
  }
  lacks("cpu", pod_.requests.cpu, node.requested.cpu, node.allocatable.cpu);
  lacks("memory", pod_.requests.memory, node.requested.memory, node.allocatable.memory);
  lacks("ephemeral-storage", pod_.requests.ephemeral, node.requested.ephemeral, node.allocatable.ephemeral);
  for (const auto& [name, amount] : pod_.requests.others)
    lacks(name, amount, node.requested.get(name), node.allocatable.get(name));
  return fits;
}

bool Filters::allows_volumes(const NodeInfo& node) {
  for (const auto& terms : volumes_.bound)
    if (!any_term_matches(terms, node.name, node.labels()))
      return refuse("node(s) had volume node affinity conflict"), false;
  for (const auto& terms : volumes_.topologies)
    if (!any_term_matches(terms, node.name, node.labels()))
      return refuse("node(s) didn't find available persistent volumes to bind"), false;
  return true;
}

bool Filters::allows_topology(const NodeInfo& node, bool& curable) {
  using Spread = SpreadFilter::Answer;
  using Affinity = AffinityFilter::Answer;
  curable = true;
  switch (spread_.check(node)) {
    case Spread::kFits: break;
    case Spread::kSkewed: return refuse("node(s) didn't match pod topology spread constraints"), false;
    case Spread::kLabelMissing:
      curable = false;
      return refuse("node(s) didn't match pod topology spread constraints (missing required label)"), false;
  }
  switch (affinity_.check(node)) {
    case Affinity::kFits: return true;
    case Affinity::kAffinity: curable = false; return refuse("node(s) didn't match pod affinity rules"), false;
    case Affinity::kAntiAffinity: return refuse("node(s) didn't match pod anti-affinity rules"), false;
    case Affinity::kExistingAntiAffinity:
      return refuse("node(s) didn't satisfy existing pods anti-affinity rules"), false;
  }
  return true;
}

bool Filters::allows(const NodeInfo& node) {
  bool curable = false;
  bool allowed = allows_basics(node, curable) && allows_resources(node, curable);
  if (allowed && !allows_volumes(node)) allowed = curable = false;
  if (allowed) allowed = allows_topology(node, curable);
  if (!allowed && curable) curable_.push_back(&node);
  return allowed;
}

bool Filters::static_fit(const NodeInfo& node, const PodInfo& pod) {
  return (!node.unschedulable || cordon_tolerated(pod)) && taints_tolerated(node, pod) &&
         pod.affinity.matches(node.name, node.labels());
}

bool Filters::fits_resources(const NodeInfo& node, const PodInfo& pod) {
  const auto fits = [](int64_t wanted, int64_t used, int64_t allocatable) {
    return wanted == 0 || wanted <= allocatable - used;
  };
  return static_cast<int64_t>(node.pods.size()) < node.allocatable.pods &&
         fits(pod.requests.cpu, node.requested.cpu, node.allocatable.cpu) &&
         fits(pod.requests.memory, node.requested.memory, node.allocatable.memory) &&
         fits(pod.requests.ephemeral, node.requested.ephemeral, node.allocatable.ephemeral) &&
         std::all_of(
             pod.requests.others.begin(), pod.requests.others.end(),
             [&](const auto& entry) {
               return fits(entry.second, node.requested.get(entry.first), node.allocatable.get(entry.first));
             });
}

std::string Filters::explain(size_t nodes) const {
  if (nodes == 0) return "no nodes available to schedule pods";
  std::vector<std::string> parts;
  for (const auto& [reason, count] : refusals_)
    parts.push_back(fmt::format("{} {}{}", count, reason.first, reason.second));
  std::sort(parts.begin(), parts.end());
  return fmt::format("0/{} nodes are available: {}. {}", nodes, join(parts, ", "),
                     preemption_text(pod_, nodes, curable_.size()));
}

std::string explain_refusal(const std::string& why, size_t nodes, const PodInfo& pod) {
  if (nodes == 0) return "no nodes available to schedule pods";
  return fmt::format("0/{} nodes are available: {}. {}", nodes, why, preemption_text(pod, nodes, 0));
}

}  // namespace tenon::kubesim

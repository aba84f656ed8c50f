// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_group.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "cloud/aws_provider/resources/amis.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

// The kubelet must not set labels of these domains on its own Node; the controller sets them at registration.
bool kubelet_may_set(std::string_view key) {
  const std::string_view domain = key.substr(0, key.find('/') == std::string_view::npos ? 0 : key.find('/'));
  for (const std::string_view closed : {"kubernetes.io", "k8s.io", "node-restriction.kubernetes.io"}) {
    if (domain == closed) return false;
    if (domain.ends_with(closed) && domain[domain.size() - closed.size() - 1] == '.') return false;
  }
  return true;
}

}  // namespace

model::StringMap node_labels(const model::NodeClaim& claim, const std::string& capacity_type, AmiFamily family) {
  model::StringMap labels = claim.meta.labels;
  labels[std::string(model::kLabelCapacityType)] = capacity_type;
  if (family != AmiFamily::kCustom) labels[std::string(model::kLabelDoNotSyncTaints)] = "true";
  std::erase_if(labels, [](const auto& entry) { return !kubelet_may_set(entry.first); });
  return labels;
}

std::vector<model::Taint> node_taints(const model::NodeClaim& claim) {
  std::vector<model::Taint> taints = claim.taints;
  taints.insert(taints.end(), claim.startup_taints.begin(), claim.startup_taints.end());
  const model::Taint unregistered{std::string(model::kTaintUnregistered), "", "NoExecute", {}};
  const auto same = [&](const model::Taint& taint) { return taint.same(unregistered); };
  if (std::none_of(taints.begin(), taints.end(), same)) taints.push_back(unregistered);
  return taints;
}

bool binds_storage_by_name(const model::NodeClass& node_class, const std::string& image_id) {
  std::string version;
  for (const model::SelectorTerm& term : node_class.ami_selector_terms) {
    if (!term.alias.empty()) version = cut(term.alias, '@').second;
  }
  if (version == "latest") return false;
  if (version.empty()) {
    for (const model::ResolvedAmi& ami : node_class.amis) {
      if (ami.id != image_id) continue;
      for (const std::string_view word : split(ami.name, '-')) {
        if (word.starts_with('v') && word.find('.') != std::string_view::npos) version = word;
      }
    }
  }
  while (version.starts_with('v')) version.erase(0, 1);
  const auto parts = split(version, '.');
  if (parts.size() < 3) return true;
  const int major = std::atoi(std::string(parts[0]).c_str());
  const int minor = std::atoi(std::string(parts[1]).c_str());
  constexpr int kFirstMinor = 46;
  return major < 1 || (major == 1 && minor < kFirstMinor);
}

std::vector<LaunchGroup> group_candidates(const LaunchChoice& choice, const std::vector<model::ResolvedAmi>& amis,
                                          bool with_efa) {
  const AmiChooser chooser(amis);
  std::vector<LaunchGroup> groups;
  const auto add = [&](const LaunchCandidate& candidate, const model::ResolvedAmi& ami,
                       const model::Offering& offering) {
    const int64_t pods = candidate.type->capacity.get(model::kPods);
    const int64_t efas = with_efa ? candidate.type->capacity.get(kEfa) : 0;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const LaunchGroup& g) {
      return g.image_id == ami.id && g.max_pods == pods && g.efa_interfaces == efas &&
             g.reservation_id == offering.reservation_id;
    });
    if (it == groups.end()) {
      it = groups.insert(groups.end(), {ami.id,
                                        pods,
                                        efas,
                                        offering.reservation_id,
                                        offering.reservation_type,
                                        offering.reservation_interruptible,
                                        {}});
    }
    if (it->candidates.empty() || it->candidates.back() != &candidate) it->candidates.push_back(&candidate);
  };
  for (const LaunchCandidate& candidate : choice.candidates) {
    const model::ResolvedAmi* ami = chooser.pick(*candidate.type);
    if (ami == nullptr) continue;
    for (const model::Offering* offering : candidate.offerings) add(candidate, *ami, *offering);
  }
  return groups;
}

std::map<std::string, int64_t> addresses_by_zone(const LaunchChoice& choice) {
  std::map<std::string, int64_t> addresses;
  for (const LaunchCandidate& candidate : choice.candidates) {
    const int64_t pods = candidate.type->capacity.get(model::kPods);
    for (const model::Offering* offering : candidate.offerings) {
      const auto [it, fresh] = addresses.try_emplace(offering->zone, pods);
      if (!fresh) it->second = std::min(it->second, pods);
    }
  }
  return addresses;
}

}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/selectors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cli/validate/pod_places.h"
#include "json/json.h"
#include "kube/codec/codec.h"

namespace tenon::cli {
namespace {

using json::value;

// The labels of all pods, by namespace.
class Pods {
 public:
  void add(const PodPlace& place) { labels_[place.pod.meta.ns].push_back(place.pod.meta.labels); }

  // `namespaces` empty: every one.
  bool any(const std::set<std::string>& namespaces, const model::LabelSelector& selector) const {
    return std::any_of(labels_.begin(), labels_.end(), [&](const auto& entry) {
      return (namespaces.empty() || namespaces.contains(entry.first)) &&
             std::any_of(entry.second.begin(), entry.second.end(),
                         [&](const auto& labels) { return selector.matches(labels); });
    });
  }

 private:
  std::map<std::string, std::vector<model::StringMap>> labels_;
};

Finding nothing_selected(std::string path, const std::set<std::string>& namespaces) {
  std::string where = namespaces.size() == 1 ? " in namespace " + *namespaces.begin() : "";
  return {Finding::Kind::kWarning, std::move(path), "selects no pod of these documents or of the snapshot" + where};
}

void check_budget(const value& document, const Pods& pods, Findings& out) {
  std::string fault;
  const auto budget = kube::codec::decode_disruption_budget(document, &fault);
  const std::set<std::string> here{namespace_of(document)};
  if (budget && budget->selector && !pods.any(here, *budget->selector))
    out.push_back(nothing_selected("spec.selector", here));
}

void check_service(const value& document, const Pods& pods, Findings& out) {
  model::LabelSelector selector;
  for (const auto& [key, text] : json::object_at(document, {"spec", "selector"})) {
    if (text.is_string()) selector.match_labels.emplace(std::string(key), std::string(text.get_string()));
  }
  const std::set<std::string> here{namespace_of(document)};
  if (!selector.match_labels.empty() && !pods.any(here, selector))
    out.push_back(nothing_selected("spec.selector", here));
}

void check_pod(const PodPlace& place, const Pods& pods, Findings& out) {
  const model::PodSpec& spec = *place.pod.spec;
  const std::set<std::string> own{place.pod.meta.ns};
  for (size_t i = 0; i < spec.spread.size(); ++i) {
    const auto& selector = spec.spread[i].selector;
    if (selector && !pods.any(own, *selector))
      out.push_back(nothing_selected(
          place.path + "spec.topologySpreadConstraints[" + std::to_string(i) + "].labelSelector", own));
  }
  for (size_t i = 0; i < spec.affinity.required_pods.size(); ++i) {
    const model::PodAffinityTerm& term = spec.affinity.required_pods[i];
    std::set<std::string> namespaces(term.namespaces.begin(), term.namespaces.end());
    if (term.namespace_selector) {
      namespaces.clear();  // the labels of namespaces may not be in the snapshot
    } else if (namespaces.empty()) {
      namespaces = own;
    }
    if (term.selector && !pods.any(namespaces, *term.selector))
      out.push_back(nothing_selected(place.path +
                                         "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[" +
                                         std::to_string(i) + "].labelSelector",
                                     namespaces));
  }
}

}  // namespace

std::vector<Findings> find_empty_selectors(const std::vector<const value*>& documents,
                                           const std::vector<const value*>& snapshot) {
  Pods pods;
  for (const auto* all : {&documents, &snapshot}) {
    for (const value* document : *all) {
      if (const auto place = pod_of(*document)) pods.add(*place);
    }
  }
  std::vector<Findings> out(documents.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    const std::string_view kind = json::string_at(*documents[i], {"kind"});
    if (kind == "PodDisruptionBudget") check_budget(*documents[i], pods, out[i]);
    if (kind == "Service") check_service(*documents[i], pods, out[i]);
    if (const auto place = pod_of(*documents[i])) check_pod(*place, pods, out[i]);
  }
  return out;
}

}  // namespace tenon::cli

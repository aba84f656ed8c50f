// Checks whether the solver may place a pod at all, and resolves its volumes.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/pod_check.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::scheduling {
namespace {

constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// A claim of a pod with its volume and storage class; null if they do not exist.
struct VolumeView {
  std::string claim_key;
  const model::PersistentVolumeClaim* claim = nullptr;
  const model::PersistentVolume* volume = nullptr;
  const model::StorageClass* storage_class = nullptr;
  std::string class_name;
};

template <class Map>
const typename Map::mapped_type* find(const Map& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

std::vector<VolumeView> volumes_of(const Snapshot& snapshot, const model::Pod& pod) {
  std::vector<VolumeView> views;
  for (const model::PodVolume& volume : pod.spec->volumes) {
    const std::string name = volume.ephemeral ? pod.meta.name + "-" + volume.name : volume.claim_name;
    if (name.empty()) continue;
    VolumeView view;
    view.claim_key = pod.meta.ns + "/" + name;
    view.claim = find(snapshot.volume_claims, view.claim_key);
    view.class_name = view.claim ? view.claim->storage_class : volume.storage_class;
    if (view.claim && !view.claim->volume_name.empty()) view.volume = find(snapshot.volumes, view.claim->volume_name);
    view.storage_class = find(snapshot.storage_classes, view.class_name);
    if (!view.claim && !volume.ephemeral) view.class_name.clear();
    views.push_back(std::move(view));
  }
  return views;
}

// Returns why the pod must wait for this claim; empty if it need not. The claim of a generic ephemeral volume is
// created together with its pod, so it may be missing; then its storage class decides. parity: karpenter
// volumetopology.go ValidatePersistentVolumeClaims
std::string claim_problem(const VolumeView& view, bool ephemeral) {
  const std::string name = view.claim_key.substr(view.claim_key.find('/') + 1);
  const std::string claim = "PersistentVolumeClaim=" + view.claim_key;
  if (!view.claim && !ephemeral) {
    return "getting persistent volume claim, persistentvolumeclaims \"" + name +
           "\" not found (PersistentVolumeClaim=" + name + ")";
  }
  if (view.claim && view.claim->meta.deleting()) return "persistentvolumeclaim is being deleted (" + claim + ")";
  if (view.claim && view.claim->lost) {
    return "persistentvolumeclaim bound to non-existent persistentvolume (" + claim + ")";
  }
  if (view.claim && !view.claim->volume_name.empty()) {
    const std::string about = " (PersistentVolume=" + view.claim->volume_name + ", " + claim + ")";
    if (!view.volume) {
      return "failed to validate pvc, persistentvolumes \"" + view.claim->volume_name + "\" not found" + about;
    }
    if (view.volume->meta.deleting()) return "persistentvolume is being deleted" + about;
    if (view.claim->meta.annotations.contains(kBindCompleted)) return {};
    return "pvc is considered unbound because it does not contain annotation (Annotation=" +
           std::string(kBindCompleted) + ", " + claim + ")";
  }
  if (view.class_name.empty()) return "unbound pvc must define a storage class (" + claim + ")";
  const std::string about = " (" + claim + ", StorageClass=" + view.class_name + ")";
  if (!view.storage_class) {
    return "failed to validate pvc, failed to get storage class, storageclasses.storage.k8s.io \"" + view.class_name +
           "\" not found" + about;
  }
  if (!view.storage_class->wait_for_first_consumer) {
    return "failed to validate pvc, pvc with immediate volume binding mode must be bound" + about;
  }
  return {};
}

std::string volume_problem(const Snapshot& snapshot, const model::Pod& pod) {
  const auto views = volumes_of(snapshot, pod);
  size_t at = 0;
  for (const model::PodVolume& volume : pod.spec->volumes) {
    if (!volume.ephemeral && volume.claim_name.empty()) continue;
    if (std::string why = claim_problem(views[at++], volume.ephemeral); !why.empty()) return why;
  }
  return {};
}

void check_terms(const model::Pod& pod, std::vector<std::string>& problems) {
  const auto check = [&](const model::RequirementSpec& spec) {
    if (const Status valid = model::validate(spec); !valid && spec.key != model::kLabelHostname) {
      problems.push_back(valid.error().message);
    }
  };
  for (const auto& [key, value] : pod.spec->node_selector) check({key, model::Operator::kIn, {value}, std::nullopt});
  for (const model::NodeSelectorTerm& term : pod.spec->affinity.required_node_terms) {
    for (const model::RequirementSpec& spec : term.match_expressions) check(spec);
    if (!term.match_fields.empty()) problems.emplace_back("node selector term with matchFields is not supported");
  }
}

}  // namespace

bool avoids_our_nodes(const model::Pod& pod) {
  model::Requirements wishes;
  const auto add = [&](const std::vector<model::RequirementSpec>& specs) {
    for (const model::RequirementSpec& spec : specs) {
      if (auto r = model::Requirement::make(spec)) wishes.add(*r);
    }
  };
  for (const auto& [key, value] : pod.spec->node_selector) wishes.add(model::Requirement::in(key, {value}));
  if (!pod.spec->affinity.required_node_terms.empty())
    add(pod.spec->affinity.required_node_terms.front().match_expressions);
  const auto& preferred = pod.spec->affinity.preferred_node_terms;
  const auto heaviest = std::max_element(preferred.begin(), preferred.end(),
                                         [](const auto& a, const auto& b) { return a.weight < b.weight; });
  if (heaviest != preferred.end()) add(heaviest->term.match_expressions);
  return wishes.has(model::kLabelNodePool) && wishes.get(model::kLabelNodePool).op() == model::Operator::kDoesNotExist;
}

std::string pod_problem(const Snapshot& snapshot, const model::Pod& pod) {
  if (!pod.spec->problem.empty()) return pod.spec->problem;
  if (pod.spec->uses_resource_claims) {
    return "pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter";
  }
  std::vector<std::string> problems;
  if (avoids_our_nodes(pod)) {
    problems.emplace_back(
        "configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)");
  }
  check_terms(pod, problems);
  if (std::string why = volume_problem(snapshot, pod); !why.empty()) problems.push_back(std::move(why));
  return joined(problems);
}

Result<std::vector<model::Requirements>> volume_alternatives(const Snapshot& snapshot, const model::Pod& pod) {
  std::vector<model::Requirements> alternatives{model::Requirements{}};
  for (const VolumeView& view : volumes_of(snapshot, pod)) {
    const std::vector<model::NodeSelectorTerm>* terms = nullptr;
    if (view.volume) {
      terms = &view.volume->required_node_terms;
    } else if (view.storage_class) {
      terms = &view.storage_class->allowed_topologies;
    }
    if (terms == nullptr || terms->empty()) continue;
    std::vector<model::Requirements> crossed, clashing;
    for (const model::Requirements& before : alternatives) {
      for (const model::NodeSelectorTerm& term : *terms) {
        auto specs = term.match_expressions;
        if (view.volume && view.volume->local) {
          std::erase_if(specs, [](const auto& spec) { return spec.key == model::kLabelHostname; });
        }
        const model::Requirements wanted = TRY(model::Requirements::make(specs));
        model::Requirements both = before;
        both.add(wanted);
        (before.intersects(wanted) ? crossed : clashing).push_back(std::move(both));
      }
    }
    alternatives = crossed.empty() ? std::move(clashing) : std::move(crossed);
  }
  return alternatives;
}

std::vector<std::pair<std::string, std::string>> attached_volumes(const Snapshot& snapshot, const model::Pod& pod) {
  std::vector<std::pair<std::string, std::string>> attached;
  for (const VolumeView& view : volumes_of(snapshot, pod)) {
    std::string driver;
    if (view.volume) {
      driver = view.volume->csi_driver;
    } else if (view.storage_class) {
      driver = view.storage_class->provisioner;
    }
    if (!driver.empty()) attached.emplace_back(driver, view.claim_key);
  }
  std::sort(attached.begin(), attached.end());
  attached.erase(std::unique(attached.begin(), attached.end()), attached.end());
  return attached;
}

}  // namespace tenon::scheduling

// The requirements of a pod's PersistentVolumeClaims on its node. Owned by one thread.
// parity: pkg/scheduler/framework/plugins/volumebinding, volumezone (dynamic provisioning and bound volumes; claims of
// a class without a provisioner must name their volume).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubesim/scheduler/pod_info.h"

namespace tenon::kubesim {

struct VolumeNeeds {
  std::string refusal;                            // the reason why no node fits, or empty
  std::vector<std::vector<NodeTerm>> bound;       // of each bound volume: where it can attach
  std::vector<std::vector<NodeTerm>> topologies;  // of each class that provisions: where it is allowed to
  std::vector<ObjectKey> to_provision;            // claims that wait for the node of their first consumer
};

class VolumeCache {
 public:
  void set(const Resource& resource, const Object& object);
  void remove(const Resource& resource, const Object& object);
  VolumeNeeds needs_of(const PodInfo& pod) const;
  // Returns whether every claim of the pod is bound to a volume.
  bool all_bound(const PodInfo& pod) const;
  Object claim(const ObjectKey& key) const;

 private:
  std::map<ObjectKey, Object> claims_;
  std::map<std::string, Object, std::less<>> volumes_, classes_;
};

}  // namespace tenon::kubesim

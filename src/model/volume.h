// The parts of storage objects that bind a pod to a zone or count against a node's limits. Value types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/affinity.h"
#include "model/meta.h"

namespace tenon::model {

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::string storage_class, volume_name;
  bool lost = false;  // its volume does not exist any more (phase Lost)
  friend bool operator==(const PersistentVolumeClaim&, const PersistentVolumeClaim&) = default;
};
struct PersistentVolume {
  ObjectMeta meta;
  std::string csi_driver;
  bool local = false;  // local or hostPath: its hostname affinity is ignored
  std::vector<NodeSelectorTerm> required_node_terms;
  friend bool operator==(const PersistentVolume&, const PersistentVolume&) = default;
};
struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  bool wait_for_first_consumer = false;
  std::vector<NodeSelectorTerm> allowed_topologies;  // matchLabelExpressions as In requirements
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};
struct CsiNode {
  ObjectMeta meta;
  std::vector<std::pair<std::string, int>> driver_limits;  // driver, allocatable.count
  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

}  // namespace tenon::model

// Handles objects that could be decoded only partly, by kind. It fails closed:
//   Pod, Node, NodeClaim, NodePool, EC2NodeClass: kept with the mark model::kUnreadable; a Pod is unschedulable.
//   PodDisruptionBudget: covers every pod of its namespace and allows no disruption.
//   PersistentVolumeClaim: counts as lost, so that its pod is unschedulable.
//   tenon-freeze: freezes everything, by its decoder.
//   DaemonSet, CSINode, VolumeAttachment, Namespace: kept as far as they were read.
//   PersistentVolume, StorageClass, NodeOverlay, CapacityBuffer, the global settings, templates and selectors of pods:
//   the last valid copy stays; without one, the object is missing, and references to it fail.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "kube/codec/codec.h"
#include "model/freeze.h"
#include "model/global_settings.h"
#include "model/pod_selector.h"

namespace tenon::kube {

// Changes the decoded part of `document` into the object to cache. False: the cache keeps its older copy, if any.
bool salvage(model::Pod& pod, const boost::json::value& document, const std::string& fault);
bool salvage(model::Node& node, const boost::json::value& document, const std::string& fault);
bool salvage(model::NodeClaim& claim, const boost::json::value& document, const std::string& fault);
bool salvage(model::NodePool& pool, const boost::json::value& document, const std::string& fault);
bool salvage(model::NodeClass& node_class, const boost::json::value& document, const std::string& fault);
bool salvage(model::PodDisruptionBudget& budget, const boost::json::value& document, const std::string& fault);
bool salvage(model::PersistentVolumeClaim& claim, const boost::json::value& document, const std::string& fault);
inline bool salvage(model::DaemonSet&, const boost::json::value&, const std::string&) { return true; }
inline bool salvage(model::CsiNode&, const boost::json::value&, const std::string&) { return true; }
inline bool salvage(codec::VolumeAttachment&, const boost::json::value&, const std::string&) { return true; }
inline bool salvage(model::ObjectMeta&, const boost::json::value&, const std::string&) { return true; }
inline bool salvage(model::Freeze&, const boost::json::value&, const std::string&) { return true; }
inline bool salvage(model::PersistentVolume&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::StorageClass&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::NodeOverlay&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::CapacityBuffer&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::PodSource&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::GlobalSettings&, const boost::json::value&, const std::string&) { return false; }
inline bool salvage(model::PodSelector&, const boost::json::value&, const std::string&) { return false; }

}  // namespace tenon::kube

// Converts between the API's JSON documents and the model. One function for each kind and direction.
//
//   Result<model::Pod> pod = codec::decode_pod(document);
//   TRY(client.patch(kNodes, name, PatchType::kMerge, json::make_merge_patch(encode(before), encode(after)), …));
//
// Decoding checks the type of every known field and ignores all others; null counts as absent. Values that an API
// server would default are filled in (requests from limits, host ports of the host network, defaults of the CRDs).
// Errors: kInvalid with the path of the first invalid field:
// `spec.containers[0].resources.requests.cpu: "x" is not a quantity: …`.
// With `fault`, an invalid field is not an error: the same message is written to it (empty: no fault), the field gets
// its default, and the rest is decoded.
//
// Encoding writes the fields that Tenon writes: all of a NodeClaim; of the other kinds, the metadata and the fields
// that a controller changes. Use it for create, and for merge patches between two encodings.
// Pure: no I/O.
// Each kind has its own source: node.cc, node_claim.cc, node_class.cc, node_pool.cc, overlay.cc,
// pod.cc, volume.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"
#include "model/capacity_buffer.h"
#include "model/node.h"
#include "model/node_claim.h"
#include "model/node_class.h"
#include "model/node_overlay.h"
#include "model/node_pool.h"
#include "model/pod.h"
#include "model/volume.h"

namespace tenon::kube::codec {

// storage.k8s.io/v1 VolumeAttachment: a volume that is still attached to a node.
struct VolumeAttachment {
  model::ObjectMeta meta;
  std::string node_name, volume_name;
  friend bool operator==(const VolumeAttachment&, const VolumeAttachment&) = default;
};

Result<model::Pod> decode_pod(const boost::json::value& document, std::string* fault = nullptr);
Result<model::Node> decode_node(const boost::json::value& document, std::string* fault = nullptr);
Result<model::NodePool> decode_node_pool(const boost::json::value& document, std::string* fault = nullptr);
Result<model::NodeClaim> decode_node_claim(const boost::json::value& document, std::string* fault = nullptr);
// Also decodes v1beta1, which it converts first (legacy/convert_parts.h).
Result<model::NodeClass> decode_node_class(const boost::json::value& document, std::string* fault = nullptr);
Result<model::DaemonSet> decode_daemon_set(const boost::json::value& document, std::string* fault = nullptr);
Result<model::PodDisruptionBudget> decode_disruption_budget(const boost::json::value& document,
                                                            std::string* fault = nullptr);
Result<model::PersistentVolumeClaim> decode_volume_claim(const boost::json::value& document,
                                                         std::string* fault = nullptr);
Result<model::PersistentVolume> decode_volume(const boost::json::value& document, std::string* fault = nullptr);
Result<model::StorageClass> decode_storage_class(const boost::json::value& document, std::string* fault = nullptr);
Result<model::CsiNode> decode_csi_node(const boost::json::value& document, std::string* fault = nullptr);
Result<model::NodeOverlay> decode_node_overlay(const boost::json::value& document, std::string* fault = nullptr);
Result<model::CapacityBuffer> decode_capacity_buffer(const boost::json::value& document, std::string* fault = nullptr);
// Decodes a PodTemplate, Deployment, StatefulSet or ReplicaSet.
Result<model::PodSource> decode_pod_source(const boost::json::value& document, std::string* fault = nullptr);
Result<VolumeAttachment> decode_volume_attachment(const boost::json::value& document, std::string* fault = nullptr);
// The metadata of any object; the only part of a Namespace that is used.
Result<model::ObjectMeta> decode_metadata(const boost::json::value& document, std::string* fault = nullptr);

// For a patch: omits labels, annotations, resources and the claim's spec if they are equal in `unlike`.
boost::json::value encode(const model::NodeClaim& claim, const model::NodeClaim* unlike = nullptr);
// metadata, spec.taints, spec.unschedulable, providerID
boost::json::value encode(const model::Node& node, const model::Node* unlike = nullptr);
boost::json::value encode(const model::NodePool& pool);          // metadata, status
boost::json::value encode(const model::NodeClass& node_class);   // metadata, status
boost::json::value encode(const model::NodeOverlay& overlay);    // metadata, status
boost::json::value encode(const model::CapacityBuffer& buffer);  // metadata, status
boost::json::value encode(const model::ObjectMeta& meta);        // the contents of "metadata"
boost::json::value encode(const model::Condition& condition);

}  // namespace tenon::kube::codec

// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"

namespace tenon::kube::codec {
namespace {

// The EBS CSI driver serves volumes of the in-tree EBS plugin. parity: k8s.io/csi-translation-lib
constexpr std::string_view kEbsDriver = "ebs.csi.aws.com";
constexpr std::string_view kInTreeEbs = "kubernetes.io/aws-ebs";

}  // namespace

Result<model::PersistentVolumeClaim> decode_volume_claim(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field claim(document, problem);
  model::PersistentVolumeClaim out;
  out.meta = read_meta(claim["metadata"]);
  out.storage_class = claim["spec"]["storageClassName"].text();
  out.volume_name = claim["spec"]["volumeName"].text();
  out.lost = claim["status"]["phase"].text() == "Lost";
  return problem.take(std::move(out));
}

Result<model::PersistentVolume> decode_volume(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field volume(document, problem);
  const Field spec = volume["spec"];
  model::PersistentVolume out;
  out.meta = read_meta(volume["metadata"]);
  out.csi_driver = spec["csi"]["driver"].text(spec["awsElasticBlockStore"].present() ? kEbsDriver : "");
  out.local = spec["local"].present() || spec["hostPath"].present();
  out.required_node_terms = read_node_terms(spec["nodeAffinity"]["required"]["nodeSelectorTerms"]);
  return problem.take(std::move(out));
}

Result<model::StorageClass> decode_storage_class(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field storage(document, problem);
  model::StorageClass out;
  out.meta = read_meta(storage["metadata"]);
  out.provisioner = storage["provisioner"].text();
  if (out.provisioner == kInTreeEbs) out.provisioner = kEbsDriver;
  const std::string mode = storage["volumeBindingMode"].one_of({"Immediate", "WaitForFirstConsumer"}, "Immediate");
  out.wait_for_first_consumer = mode == "WaitForFirstConsumer";
  for (const Field& term : storage["allowedTopologies"].items()) {
    model::NodeSelectorTerm t;
    for (const Field& e : term["matchLabelExpressions"].items()) {
      t.match_expressions.push_back({.key = e["key"].text(),
                                     .op = model::Operator::kIn,
                                     .values = e["values"].texts(),
                                     .min_values = std::nullopt});
    }
    out.allowed_topologies.push_back(std::move(t));
  }
  return problem.take(std::move(out));
}

Result<model::CsiNode> decode_csi_node(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field node(document, problem);
  model::CsiNode out;
  out.meta = read_meta(node["metadata"]);
  for (const Field& driver : node["spec"]["drivers"].items()) {
    const std::optional<int> count = driver["allocatable"]["count"].optional_int32();
    if (count) out.driver_limits.emplace_back(driver["name"].text(), *count);  // no count: no limit
  }
  return problem.take(std::move(out));
}

Result<VolumeAttachment> decode_volume_attachment(const json::value& document, std::string* fault) {
  Problem problem(document, fault);
  const Field attachment(document, problem);
  VolumeAttachment out;
  out.meta = read_meta(attachment["metadata"]);
  out.node_name = attachment["spec"]["nodeName"].text();
  out.volume_name = attachment["spec"]["source"]["persistentVolumeName"].text();
  return problem.take(std::move(out));
}

}  // namespace tenon::kube::codec

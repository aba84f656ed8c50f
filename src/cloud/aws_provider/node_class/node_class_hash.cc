// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/node_class/node_class_hash.h"

#include "cloud/aws_provider/resources/ami_family.h"
#include "cloud/aws_provider/util/kubelet_hash.h"

namespace tenon::cloud {
namespace {

void add_devices(StableHash& hash, const std::vector<model::BlockDevice>& devices) {
  hash.add_number(devices.size());
  for (const model::BlockDevice& device : devices) {
    hash.add(device.device_name).add(device.volume_type).add(device.kms_key_id).add(device.snapshot_id);
    hash.add(device.volume_size ? device.volume_size->to_string() : "");
    hash.add_optional(device.encrypted).add_optional(device.delete_on_termination).add_optional(device.iops);
    hash.add_optional(device.throughput).add_optional(device.volume_initialization_rate);
    hash.add_number(device.root_volume ? 1 : 0);
  }
}

void add_network(StableHash& hash, const model::NodeClass& node_class) {
  hash.add_number(node_class.network_interfaces.size());
  for (const model::NetworkInterface& interface : node_class.network_interfaces) {
    hash.add_number(static_cast<uint64_t>(interface.network_card)).add_number(static_cast<uint64_t>(interface.device));
    hash.add_number(interface.efa_only ? 1 : 0);
  }
  const model::ConnectionTracking tracking = node_class.connection_tracking.value_or(model::ConnectionTracking{});
  hash.add_optional(tracking.tcp_established).add_optional(tracking.udp_stream).add_optional(tracking.udp);
}

}  // namespace

std::string node_class_hash(const model::NodeClass& node_class, std::string_view ca_base64) {
  const auto family = family_of(node_class);
  const model::MetadataOptions metadata = node_class.metadata_options.value_or(model::MetadataOptions{});
  StableHash hash;
  hash.add(family ? to_string(*family) : node_class.ami_family).add(node_class.user_data).add(node_class.role);
  hash.add(node_class.instance_profile).add(node_class.context).add(node_class.instance_store_policy);
  hash.add_optional(node_class.associate_public_ip).add_optional(node_class.detailed_monitoring);
  hash.add_map(node_class.tags).add(ca_base64);
  hash.add(metadata.http_endpoint).add(metadata.http_protocol_ipv6).add(metadata.http_tokens);
  hash.add_number(static_cast<uint64_t>(metadata.http_put_response_hop_limit));
  add_devices(hash, node_class.block_devices);
  add_kubelet(hash, node_class.kubelet);
  add_network(hash, node_class);
  hash.add(node_class.nested_virtualization).add(node_class.placement_group.name).add(node_class.placement_group.id);
  if (!node_class.launch_template.empty()) hash.add(node_class.launch_template);  // v1 has none: its hashes stay
  return std::to_string(hash.value());
}

}  // namespace tenon::cloud

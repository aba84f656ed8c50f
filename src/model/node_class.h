// EC2NodeClass (karpenter.k8s.aws/v1). Value type. parity: karpenter-provider-aws pkg/apis/v1/ec2nodeclass.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/kubelet_config.h"
#include "model/meta.h"
#include "model/requirement.h"
#include "model/resources.h"

namespace tenon::model {

// A term matches an object with all its tags ("*": any value), or with the id, or with the name.
struct SelectorTerm {
  StringMap tags;
  std::string id, name, owner, alias, ssm_parameter;
  friend bool operator==(const SelectorTerm&, const SelectorTerm&) = default;
};

// A term of spec.capacityReservationSelectorTerms: matches by the id, or by all other fields that are set.
struct ReservationTerm {
  StringMap tags;
  std::string id, owner, match_criteria;
  friend bool operator==(const ReservationTerm&, const ReservationTerm&) = default;
};
// Selects a placement group by id or name; both empty: no placement group.
struct PlacementGroupSelector {
  std::string id, name;
  bool empty() const { return id.empty() && name.empty(); }
  friend bool operator==(const PlacementGroupSelector&, const PlacementGroupSelector&) = default;
};

struct BlockDevice {
  std::string device_name, volume_type, kms_key_id, snapshot_id;
  std::optional<Quantity> volume_size;
  std::optional<bool> encrypted, delete_on_termination;
  std::optional<int64_t> iops, throughput, volume_initialization_rate;
  bool root_volume = false;
  friend bool operator==(const BlockDevice&, const BlockDevice&) = default;
};

struct MetadataOptions {
  std::string http_endpoint = "enabled", http_protocol_ipv6 = "disabled", http_tokens = "required";
  int64_t http_put_response_hop_limit = 1;
  friend bool operator==(const MetadataOptions&, const MetadataOptions&) = default;
};

struct NetworkInterface {
  int64_t network_card = 0, device = 0;
  bool efa_only = false;
  friend bool operator==(const NetworkInterface&, const NetworkInterface&) = default;
};

// In seconds. EC2 chooses the values that are absent.
struct ConnectionTracking {
  std::optional<int64_t> tcp_established, udp_stream, udp;
  friend bool operator==(const ConnectionTracking&, const ConnectionTracking&) = default;
};

struct ResolvedSubnet {
  std::string id, zone, zone_id;
  friend bool operator==(const ResolvedSubnet&, const ResolvedSubnet&) = default;
};
struct ResolvedSecurityGroup {
  std::string id, name;
  friend bool operator==(const ResolvedSecurityGroup&, const ResolvedSecurityGroup&) = default;
};
struct ResolvedAmi {
  std::string id, name;
  bool deprecated = false;
  std::vector<RequirementSpec> requirements;
  friend bool operator==(const ResolvedAmi&, const ResolvedAmi&) = default;
};

struct ResolvedReservation {
  std::string id, zone, instance_type, owner, match_criteria;
  std::string type = "default";  // or capacity-block
  std::string state = "active";  // expiring: no further launch into it
  bool interruptible = false;
  std::optional<Instant> ends_at;
  friend bool operator==(const ResolvedReservation&, const ResolvedReservation&) = default;
};

struct NodeClass {
  ObjectMeta meta;
  std::vector<SelectorTerm> ami_selector_terms, subnet_selector_terms, security_group_selector_terms;
  std::vector<ReservationTerm> reservation_selector_terms;
  PlacementGroupSelector placement_group;
  std::string ami_family;  // empty: from the alias. "Ubuntu" without terms: the images that Canonical publishes for EKS
  std::string user_data, role, instance_profile, context;
  std::optional<bool> associate_public_ip, detailed_monitoring;
  std::string instance_store_policy;
  StringMap tags;
  std::vector<BlockDevice> block_devices;
  KubeletConfig kubelet;
  std::optional<MetadataOptions> metadata_options;
  std::vector<NetworkInterface> network_interfaces;
  std::optional<ConnectionTracking> connection_tracking;
  std::string nested_virtualization;  // cpuOptions: "enabled", "disabled" or empty
  std::optional<int64_t> ip_prefix_count;
  // Of v0.27: the name of the user's launch template, which decides what it alone can decide: image, user data, disks,
  // security groups, instance profile, metadata options. Empty: Tenon creates the templates.
  std::string launch_template;
  // Settings of v0.27 (global_settings.h); v1 always has both.
  bool pod_eni = true;           // nodes offer vpc.amazonaws.com/pod-eni
  bool eni_limited_pods = true;  // the network interfaces limit the number of pods
  // status
  std::vector<ResolvedSubnet> subnets;
  std::vector<ResolvedSecurityGroup> security_groups;
  std::vector<ResolvedAmi> amis;
  std::vector<ResolvedReservation> reservations;
  std::string resolved_instance_profile;
  std::vector<Condition> conditions;
  bool ready() const { return condition_is(conditions, "Ready", "True"); }
  friend bool operator==(const NodeClass&, const NodeClass&) = default;
};

}  // namespace tenon::model

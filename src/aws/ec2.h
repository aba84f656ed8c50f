// EC2, as far as a node autoscaler needs it. Wire: query protocol, version 2016-11-15. Describe calls follow NextToken
// to the end. Errors: those of Client::call; kInternal if the pages do not end.
// ec2_describe.cc and ec2_launch.cc define most of the calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/client.h"
#include "aws/query_protocol.h"
#include "base/instant.h"

namespace tenon::aws {

struct Filter {
  std::string name;  // "tag:team", "state", …
  std::vector<std::string> values;
};
using Filters = std::vector<Filter>;

struct GpuInfo {
  std::string name, manufacturer;
  int64_t count = 0, memory_mib = 0;  // memory of one GPU
};
struct AcceleratorInfo {
  std::string name, manufacturer;
  int64_t count = 0;
  int64_t cores = 0;  // of one device, for Neuron
};
struct InstanceTypeInfo {
  std::string name;
  bool bare_metal = false;
  std::string hypervisor;                  // nitro, xen; empty for metal
  std::vector<std::string> usage_classes;  // on-demand, spot, capacity-block
  std::vector<std::string> architectures;  // i386, x86_64, arm64
  std::string cpu_manufacturer;            // Intel, AMD, AWS
  double clock_ghz = 0;
  int64_t vcpus = 0, memory_mib = 0;
  bool instance_store_nvme = false;
  int64_t instance_store_gb = 0;  // total
  bool ebs_optimized_default = false;
  int64_t ebs_max_mbps = 0;
  int64_t network_cards = 0, default_card_enis = 0, max_enis = 0, ipv4_per_eni = 0;
  bool encryption_in_transit = false;
  bool nested_virtualization = false;
  bool ena = true;                                // enaSupport is not "unsupported"
  std::vector<std::string> placement_strategies;  // cluster, partition, spread
  int64_t efa_interfaces = 0;                     // 0: no EFA
  std::vector<GpuInfo> gpus;
  std::vector<AcceleratorInfo> inference_accelerators;
  std::vector<AcceleratorInfo> neuron_devices;
};

struct InstanceTypeOffering {
  std::string instance_type, zone;
};

struct Subnet {
  std::string id, zone, zone_id, vpc_id;
  int64_t free_ips = 0;
  Tags tags;
};

struct SecurityGroup {
  std::string id, name, vpc_id;
  Tags tags;
};

struct Image {
  std::string id, name, architecture, owner, state;
  Instant created_at{};
  std::optional<Instant> deprecated_at;
  Tags tags;
};

struct AvailabilityZone {
  std::string name, id, type, state;  // type: availability-zone, local-zone, wavelength-zone
};

struct CapacityReservation {
  std::string id, owner, instance_type, zone, match_criteria;  // match_criteria: open, targeted
  std::string type;                                            // default, capacity-block
  std::string state;                                           // active, expired, cancelled, scheduled, …
  int64_t total = 0, available = 0;                            // instances
  bool interruptible = false;
  std::optional<Instant> ends_at;
  Tags tags;
};

struct PlacementGroup {
  std::string id, name, state, strategy;  // strategy: cluster, spread, partition
  int64_t partitions = 0;                 // for strategy partition
};

struct LaunchTemplate {
  std::string id, name;
  Instant created_at{};
  Tags tags;
};

struct EbsDevice {
  std::string device_name, volume_type, kms_key_id, snapshot_id;
  std::optional<int64_t> size_gib, iops, throughput, initialization_rate;
  std::optional<bool> encrypted, delete_on_termination;
};
// A network interface of a launch template. Type efa-only has no address: EC2 rejects address settings for it.
struct TemplateInterface {
  int64_t card = 0, device = 0;
  std::string type;  // interface, efa, efa-only; empty: neither type nor card is sent
};
// Seconds; EC2 sets the absent ones.
struct ConnectionTracking {
  std::optional<int64_t> tcp_established, udp_stream, udp;
};
struct TagSpecification {
  std::string resource_type;
  Tags tags;
};
struct LaunchTemplateInput {
  std::string name, client_token;
  std::string image_id, instance_profile, user_data;  // user_data: base64
  std::vector<EbsDevice> devices;
  std::vector<std::string> security_group_ids;
  std::optional<bool> associate_public_ip;
  std::vector<TemplateInterface> interfaces = {{}};
  std::optional<int64_t> ip_prefixes;  // of each interface, in the cluster's address family
  bool ipv6 = false;                   // the cluster's address family
  std::optional<ConnectionTracking> connection_tracking;
  std::string nested_virtualization;  // enabled, disabled; empty: not sent
  std::string tenancy = "default";    // or dedicated
  bool detailed_monitoring = false;
  bool enclaves = false;
  std::string http_endpoint, http_protocol_ipv6, http_tokens;  // empty: not sent
  int64_t http_hop_limit = 1;
  std::string reservation_preference;  // "none", "open", "capacity-reservations-only"; empty: not sent
  std::string reservation_id;          // the reservation to launch into
  std::string market_type;             // "capacity-block", …; empty: not sent
  std::string placement_group_id;
  int64_t partition = 0;                        // of the placement group; 0: EC2 chooses
  std::vector<TagSpecification> resource_tags;  // of the resources that are launched from it
  Tags tags;                                    // of the template itself
};

struct FleetOverride {
  std::string instance_type, subnet_id, zone, image_id;
  std::string priority;  // a decimal number; empty: not sent
};
struct FleetConfig {
  std::string launch_template_name;
  std::vector<FleetOverride> overrides;
};
struct FleetInput {
  std::string client_token;
  bool spot = false;
  std::string target_type;          // "capacity-block", "reserved-capacity"; empty: by `spot`
  std::string allocation_strategy;  // of the requested capacity type; empty: not sent
  std::string context;
  int64_t target_capacity = 1;
  std::vector<FleetConfig> configs;
  std::vector<TagSpecification> tags;
  bool dry_run = false;
};
struct FleetError {
  std::string code, message, lifecycle;
  FleetOverride overrides;
};
struct FleetInstances {
  std::vector<std::string> ids;
  std::string instance_type, lifecycle;  // lifecycle: spot, on-demand
  FleetOverride overrides;
};
struct Fleet {
  std::string id;
  std::vector<FleetInstances> instances;
  std::vector<FleetError> errors;
};

struct RunInstancesDryRun {
  std::string launch_template_name, instance_type, subnet_id;
  std::vector<TagSpecification> tags;
};

struct InstanceInfo {
  std::string id, type, image_id, state, state_reason;  // state: pending, running, shutting-down, terminated, …
  std::string zone, subnet_id, private_dns_name, private_ip, instance_profile_arn;
  bool spot = false;
  std::string reservation_id;          // of the capacity reservation that it runs in
  std::string reservation_preference;  // from its launch
  std::string placement_group_id;
  int64_t partition = 0;
  Instant launched_at{};
  std::vector<std::string> security_group_ids;
  Tags tags;
};
struct ScheduledEvent {
  std::string code, description;  // code: instance-retirement, …
};
struct InstanceStatus {
  std::string id, instance_status, system_status;  // statuses: ok, impaired, initializing, …
  std::optional<Instant> instance_impaired_since, system_impaired_since;
  std::vector<ScheduledEvent> events;
};
struct StateChange {
  std::string id, current, previous;
};

struct SpotPrice {
  std::string instance_type, zone, usd;  // usd: a decimal number, per hour
  Instant since{};
};

// Thread rule: any thread.
class Ec2 {
 public:
  explicit Ec2(Client& client) : client_(client) {}

  // HVM types of x86_64 and arm64.
  Result<std::vector<InstanceTypeInfo>> describe_instance_types(const std::stop_token& stop);
  Result<std::vector<InstanceTypeOffering>> describe_instance_type_offerings(const std::stop_token& stop);
  Result<std::vector<AvailabilityZone>> describe_availability_zones(const std::stop_token& stop);
  Result<std::vector<Subnet>> describe_subnets(const Filters& filters, const std::stop_token& stop);
  Result<std::vector<SecurityGroup>> describe_security_groups(const Filters& filters, const std::stop_token& stop);
  // Includes deprecated images. No owners: any.
  Result<std::vector<Image>> describe_images(const Filters& filters, const std::vector<std::string>& owners,
                                             const std::stop_token& stop);
  // By ids or by filters. Errors: kNotFound if one of the ids does not exist.
  Result<std::vector<CapacityReservation>> describe_capacity_reservations(const std::vector<std::string>& ids,
                                                                          const Filters& filters,
                                                                          const std::stop_token& stop);
  // Returns available groups, by id or, if the id is empty, by name. Errors: kNotFound.
  Result<std::vector<PlacementGroup>> describe_placement_groups(const std::string& id, const std::string& name,
                                                                const std::stop_token& stop);
  // Linux prices from `since` on, sorted by time: the latest of a type and zone comes last.
  Result<std::vector<SpotPrice>> describe_spot_price_history(Instant since, const std::stop_token& stop);

  Result<LaunchTemplate> create_launch_template(const LaunchTemplateInput& input, const std::stop_token& stop);
  // Errors: kNotFound if the name does not exist.
  Result<LaunchTemplate> find_launch_template(const std::string& name, const std::stop_token& stop);
  Result<std::vector<LaunchTemplate>> describe_launch_templates(const Filters& filters, const std::stop_token& stop);
  Status delete_launch_template(const std::string& id, const std::stop_token& stop);

  // Type instant. With dry_run, success means that the request would have succeeded (the Fleet is empty).
  Result<Fleet> create_fleet(const FleetInput& input, const std::stop_token& stop);
  // Success means that the request would have succeeded.
  Status dry_run_instances(const RunInstancesDryRun& input, const std::stop_token& stop);
  Result<std::vector<InstanceInfo>> describe_instances(const std::vector<std::string>& ids, const Filters& filters,
                                                       const std::stop_token& stop);
  // For running instances only.
  Result<std::vector<InstanceStatus>> describe_instance_status(const Filters& filters, const std::stop_token& stop);
  Result<std::vector<StateChange>> terminate_instances(const std::vector<std::string>& ids,
                                                       const std::stop_token& stop);
  Status create_tags(const std::vector<std::string>& resources, const Tags& tags, const std::stop_token& stop);
  // Deletes these tags whatever their values are. A resource without them is left as it is.
  Status delete_tags(const std::vector<std::string>& resources, const std::vector<std::string>& keys,
                     const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws

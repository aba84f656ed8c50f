// The read-only calls of ec2.h. Element names: the EC2 API reference's response elements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <pugixml.hpp>

#include "aws/ec2.h"
#include "aws/ec2_wire.h"

namespace tenon::aws {
namespace {

using ec2_wire::add_filters;
using ec2_wire::collect;
using ec2_wire::kVersion;

constexpr int64_t kTypePage = 100;
constexpr int64_t kLargePage = 1000;
constexpr int64_t kSubnetPage = 500;
constexpr int64_t kSpotPage = 2000;

AcceleratorInfo read_accelerator(const pugi::xml_node& item) {
  AcceleratorInfo info;
  info.name = text_at(item, "name");
  info.manufacturer = text_at(item, "manufacturer");
  info.count = int_at(item, "count");
  info.cores = int_at(item.child("coreInfo"), "count");
  return info;
}

void read_network(const pugi::xml_node& node, InstanceTypeInfo& type) {
  type.network_cards = int_at(node, "maximumNetworkCards");
  type.max_enis = int_at(node, "maximumNetworkInterfaces");
  type.default_card_enis = type.max_enis;
  const int64_t default_card = int_at(node, "defaultNetworkCardIndex");
  for (const pugi::xml_node card : node.child("networkCards")) {
    if (int_at(card, "networkCardIndex") == default_card) {
      type.default_card_enis = int_at(card, "maximumNetworkInterfaces");
    }
  }
  type.ipv4_per_eni = int_at(node, "ipv4AddressesPerInterface");
  type.encryption_in_transit = bool_at(node, "encryptionInTransitSupported");
  type.ena = text_at(node, "enaSupport") != "unsupported";
  if (bool_at(node, "efaSupported")) type.efa_interfaces = int_at(node.child("efaInfo"), "maximumEfaInterfaces");
}

void read_devices(const pugi::xml_node& item, InstanceTypeInfo& type) {
  for (const pugi::xml_node gpu : item.child("gpuInfo").child("gpus")) {
    GpuInfo info{text_at(gpu, "name"), text_at(gpu, "manufacturer")};
    info.count = int_at(gpu, "count");
    info.memory_mib = int_at(gpu.child("memoryInfo"), "sizeInMiB");
    type.gpus.push_back(std::move(info));
  }
  for (const pugi::xml_node device : item.child("inferenceAcceleratorInfo").child("accelerators")) {
    type.inference_accelerators.push_back(read_accelerator(device));
  }
  for (const pugi::xml_node device : item.child("neuronInfo").child("neuronDevices")) {
    type.neuron_devices.push_back(read_accelerator(device));
  }
}

InstanceTypeInfo read_type(const pugi::xml_node& item) {
  InstanceTypeInfo type;
  type.name = text_at(item, "instanceType");
  type.bare_metal = bool_at(item, "bareMetal");
  type.hypervisor = text_at(item, "hypervisor");
  type.usage_classes = texts_at(item, "supportedUsageClasses");
  const pugi::xml_node processor = item.child("processorInfo");
  type.architectures = texts_at(processor, "supportedArchitectures");
  const std::vector<std::string> features = texts_at(processor, "supportedFeatures");
  type.nested_virtualization = std::find(features.begin(), features.end(), "nested-virtualization") != features.end();
  type.placement_strategies = texts_at(item.child("placementGroupInfo"), "supportedStrategies");
  type.cpu_manufacturer = text_at(processor, "manufacturer");
  type.clock_ghz = double_at(processor, "sustainedClockSpeedInGhz");
  type.vcpus = int_at(item.child("vCpuInfo"), "defaultVCpus");
  type.memory_mib = int_at(item.child("memoryInfo"), "sizeInMiB");
  const pugi::xml_node store = item.child("instanceStorageInfo");
  const std::string nvme = text_at(store, "nvmeSupport");
  type.instance_store_nvme = nvme == "required" || nvme == "supported";
  type.instance_store_gb = int_at(store, "totalSizeInGB");
  const pugi::xml_node ebs = item.child("ebsInfo");
  type.ebs_optimized_default = text_at(ebs, "ebsOptimizedSupport") == "default";
  type.ebs_max_mbps = int_at(ebs.child("ebsOptimizedInfo"), "maximumBandwidthInMbps");
  read_network(item.child("networkInfo"), type);
  read_devices(item, type);
  return type;
}

InstanceTypeOffering read_offering(const pugi::xml_node& item) {
  return {text_at(item, "instanceType"), text_at(item, "location")};
}

AvailabilityZone read_zone(const pugi::xml_node& item) {
  return {text_at(item, "zoneName"), text_at(item, "zoneId"), text_at(item, "zoneType"), text_at(item, "zoneState")};
}

Subnet read_subnet(const pugi::xml_node& item) {
  Subnet subnet;
  subnet.id = text_at(item, "subnetId");
  subnet.zone = text_at(item, "availabilityZone");
  subnet.zone_id = text_at(item, "availabilityZoneId");
  subnet.vpc_id = text_at(item, "vpcId");
  subnet.free_ips = int_at(item, "availableIpAddressCount");
  subnet.tags = tags_at(item, "tagSet");
  return subnet;
}

SecurityGroup read_group(const pugi::xml_node& item) {
  return {text_at(item, "groupId"), text_at(item, "groupName"), text_at(item, "vpcId"), tags_at(item, "tagSet")};
}

Image read_image(const pugi::xml_node& item) {
  Image image;
  image.id = text_at(item, "imageId");
  image.name = text_at(item, "name");
  image.architecture = text_at(item, "architecture");
  image.owner = text_at(item, "imageOwnerId");
  image.state = text_at(item, "imageState");
  image.created_at = time_at(item, "creationDate");
  image.deprecated_at = parse_rfc3339(text_at(item, "deprecationTime"));
  image.tags = tags_at(item, "tagSet");
  return image;
}

CapacityReservation read_reservation(const pugi::xml_node& item) {
  CapacityReservation r;
  r.id = text_at(item, "capacityReservationId");
  r.owner = text_at(item, "ownerId");
  r.instance_type = text_at(item, "instanceType");
  r.zone = text_at(item, "availabilityZone");
  r.match_criteria = text_at(item, "instanceMatchCriteria");
  r.type = text_at(item, "reservationType");
  if (r.type.empty()) r.type = "default";
  r.state = text_at(item, "state");
  r.total = int_at(item, "totalInstanceCount");
  r.available = int_at(item, "availableInstanceCount");
  r.interruptible = bool_at(item, "interruptible");
  r.ends_at = parse_rfc3339(text_at(item, "endDate"));
  r.tags = tags_at(item, "tagSet");
  return r;
}

PlacementGroup read_placement_group(const pugi::xml_node& item) {
  return {text_at(item, "groupId"), text_at(item, "groupName"), text_at(item, "state"), text_at(item, "strategy"),
          int_at(item, "partitionCount")};
}

SpotPrice read_spot_price(const pugi::xml_node& item) {
  return {text_at(item, "instanceType"), text_at(item, "availabilityZone"), text_at(item, "spotPrice"),
          time_at(item, "timestamp")};
}

// Returns the earliest time of a check's parts.
std::optional<Instant> impaired_since(const pugi::xml_node& check) {
  std::optional<Instant> since;
  for (const pugi::xml_node part : check.child("details")) {
    const auto at = parse_rfc3339(text_at(part, "impairedSince"));
    if (at && (!since || *at < *since)) since = at;
  }
  return since;
}

InstanceStatus read_status(const pugi::xml_node& item) {
  InstanceStatus status;
  status.id = text_at(item, "instanceId");
  status.instance_status = text_at(item.child("instanceStatus"), "status");
  status.system_status = text_at(item.child("systemStatus"), "status");
  status.instance_impaired_since = impaired_since(item.child("instanceStatus"));
  status.system_impaired_since = impaired_since(item.child("systemStatus"));
  for (const pugi::xml_node event : item.child("eventsSet")) {
    status.events.push_back({text_at(event, "code"), text_at(event, "description")});
  }
  return status;
}

}  // namespace

Result<std::vector<InstanceTypeInfo>> Ec2::describe_instance_types(const std::stop_token& stop) {
  Form form("DescribeInstanceTypes", kVersion);
  add_filters(form, {{"supported-virtualization-type", {"hvm"}},
                     {"processor-info.supported-architecture", {"x86_64", "arm64"}}});
  form.set("MaxResults", kTypePage);
  return collect(client_, form, "instanceTypeSet", read_type, stop);
}

Result<std::vector<InstanceTypeOffering>> Ec2::describe_instance_type_offerings(const std::stop_token& stop) {
  Form form("DescribeInstanceTypeOfferings", kVersion);
  form.set("LocationType", "availability-zone").set("MaxResults", kLargePage);
  return collect(client_, form, "instanceTypeOfferingSet", read_offering, stop);
}

Result<std::vector<AvailabilityZone>> Ec2::describe_availability_zones(const std::stop_token& stop) {
  return collect(client_, Form("DescribeAvailabilityZones", kVersion), "availabilityZoneInfo", read_zone, stop);
}

Result<std::vector<Subnet>> Ec2::describe_subnets(const Filters& filters, const std::stop_token& stop) {
  Form form("DescribeSubnets", kVersion);
  add_filters(form, filters);
  form.set("MaxResults", kSubnetPage);
  return collect(client_, form, "subnetSet", read_subnet, stop);
}

Result<std::vector<SecurityGroup>> Ec2::describe_security_groups(const Filters& filters, const std::stop_token& stop) {
  Form form("DescribeSecurityGroups", kVersion);
  add_filters(form, filters);
  form.set("MaxResults", kSubnetPage);
  return collect(client_, form, "securityGroupInfo", read_group, stop);
}

Result<std::vector<Image>> Ec2::describe_images(const Filters& filters, const std::vector<std::string>& owners,
                                                const std::stop_token& stop) {
  Form form("DescribeImages", kVersion);
  add_filters(form, filters);
  form.list("Owner", owners).set("IncludeDeprecated", true).set("MaxResults", kLargePage);
  return collect(client_, form, "imagesSet", read_image, stop);
}

Result<std::vector<CapacityReservation>> Ec2::describe_capacity_reservations(const std::vector<std::string>& ids,
                                                                             const Filters& filters,
                                                                             const std::stop_token& stop) {
  Form form("DescribeCapacityReservations", kVersion);
  form.list("CapacityReservationId", ids);
  add_filters(form, filters);
  if (ids.empty()) form.set("MaxResults", kLargePage);  // EC2 rejects it together with ids
  return collect(client_, form, "capacityReservationSet", read_reservation, stop);
}

Result<std::vector<PlacementGroup>> Ec2::describe_placement_groups(const std::string& id, const std::string& name,
                                                                   const std::stop_token& stop) {
  Form form("DescribePlacementGroups", kVersion);
  if (!id.empty()) {
    form.list("GroupId", {id});
  } else {
    form.list("GroupName", {name});
  }
  add_filters(form, {{"state", {"available"}}});
  return collect(client_, form, "placementGroupSet", read_placement_group, stop);
}

Result<std::vector<InstanceStatus>> Ec2::describe_instance_status(const Filters& filters, const std::stop_token& stop) {
  Form form("DescribeInstanceStatus", kVersion);
  add_filters(form, filters);
  form.set("MaxResults", kLargePage);
  return collect(client_, form, "instanceStatusSet", read_status, stop);
}

Result<std::vector<SpotPrice>> Ec2::describe_spot_price_history(Instant since, const std::stop_token& stop) {
  Form form("DescribeSpotPriceHistory", kVersion);
  form.list("ProductDescription", {"Linux/UNIX", "Linux/UNIX (Amazon VPC)"});
  form.set("StartTime", std::string_view(format_rfc3339(since))).set("MaxResults", kSpotPage);
  std::vector<SpotPrice> prices = TRY(collect(client_, form, "spotPriceHistorySet", read_spot_price, stop));
  std::stable_sort(prices.begin(), prices.end(),
                   [](const SpotPrice& a, const SpotPrice& b) { return a.since < b.since; });
  return prices;
}

}  // namespace tenon::aws

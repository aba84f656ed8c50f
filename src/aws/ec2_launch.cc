// The calls of ec2.h about launch templates, fleets and instances. parity: aws-sdk-go-v2 service/ec2 serializers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <pugixml.hpp>

#include "aws/ec2.h"
#include "aws/ec2_wire.h"

namespace tenon::aws {
namespace {

using ec2_wire::add_filters;
using ec2_wire::add_tag_specifications;
using ec2_wire::collect;
using ec2_wire::kVersion;

constexpr int64_t kTemplatePage = 200;
constexpr int64_t kInstancePage = 1000;

LaunchTemplate read_template(const pugi::xml_node& item) {
  return {text_at(item, "launchTemplateId"), text_at(item, "launchTemplateName"), time_at(item, "createTime"),
          tags_at(item, "tagSet")};
}

void set_if(Form& form, const std::string& name, const std::optional<int64_t>& value) {
  if (value) form.set(name, *value);
}
void set_if(Form& form, const std::string& name, const std::optional<bool>& value) {
  if (value) form.set(name, *value);
}

void add_devices(Form& form, const std::vector<EbsDevice>& devices) {
  int number = 0;
  for (const EbsDevice& device : devices) {
    const std::string at = "LaunchTemplateData.BlockDeviceMapping." + std::to_string(++number);
    form.set(at + ".DeviceName", std::string_view(device.device_name));
    form.set(at + ".Ebs.VolumeType", std::string_view(device.volume_type));
    form.set(at + ".Ebs.KmsKeyId", std::string_view(device.kms_key_id));
    form.set(at + ".Ebs.SnapshotId", std::string_view(device.snapshot_id));
    set_if(form, at + ".Ebs.VolumeSize", device.size_gib);
    set_if(form, at + ".Ebs.Iops", device.iops);
    set_if(form, at + ".Ebs.Throughput", device.throughput);
    set_if(form, at + ".Ebs.VolumeInitializationRate", device.initialization_rate);
    set_if(form, at + ".Ebs.Encrypted", device.encrypted);
    set_if(form, at + ".Ebs.DeleteOnTermination", device.delete_on_termination);
  }
}

void add_metadata_options(Form& form, const LaunchTemplateInput& input) {
  const std::string at = "LaunchTemplateData.MetadataOptions.";
  form.set(at + "HttpEndpoint", std::string_view(input.http_endpoint));
  form.set(at + "HttpProtocolIpv6", std::string_view(input.http_protocol_ipv6));
  form.set(at + "HttpPutResponseHopLimit", input.http_hop_limit);
  form.set(at + "HttpTokens", std::string_view(input.http_tokens));
  form.set(at + "InstanceMetadataTags", "disabled");
}

void add_tracking(Form& form, const std::string& at, const ConnectionTracking& tracking) {
  set_if(form, at + "TcpEstablishedTimeout", tracking.tcp_established);
  set_if(form, at + "UdpStreamTimeout", tracking.udp_stream);
  set_if(form, at + "UdpTimeout", tracking.udp);
}

void add_interfaces(Form& form, const LaunchTemplateInput& input) {
  int number = 0;
  for (const TemplateInterface& interface : input.interfaces) {
    const std::string at = "LaunchTemplateData.NetworkInterface." + std::to_string(++number) + ".";
    if (!interface.type.empty()) {
      form.set(at + "NetworkCardIndex", interface.card).set(at + "InterfaceType", std::string_view(interface.type));
    }
    form.set(at + "DeviceIndex", interface.device).list(at + "SecurityGroupId", input.security_group_ids);
    if (interface.type == "efa-only") continue;
    set_if(form, at + "AssociatePublicIpAddress", input.associate_public_ip);
    set_if(form, at + (input.ipv6 ? "Ipv6PrefixCount" : "Ipv4PrefixCount"), input.ip_prefixes);
    if (input.ipv6) {
      const bool primary = interface.card == 0 && interface.device == 0;
      if (primary) form.set(at + "PrimaryIpv6", true);
      form.set(at + "Ipv6AddressCount", int64_t{1});
    }
    if (input.connection_tracking) {
      add_tracking(form, at + "ConnectionTrackingSpecification.", *input.connection_tracking);
    }
  }
}

Form template_form(const LaunchTemplateInput& input) {
  const std::string data = "LaunchTemplateData.";
  Form form("CreateLaunchTemplate", kVersion);
  form.set("LaunchTemplateName", std::string_view(input.name));
  form.set("ClientToken", std::string_view(input.client_token));
  form.set(data + "ImageId", std::string_view(input.image_id));
  form.set(data + "IamInstanceProfile.Name", std::string_view(input.instance_profile));
  form.set(data + "UserData", std::string_view(input.user_data));
  form.set(data + "Monitoring.Enabled", input.detailed_monitoring);
  form.set(data + "EnclaveOptions.Enabled", input.enclaves)
      .set(data + "Placement.Tenancy", std::string_view(input.tenancy));
  form.set(data + "CpuOptions.NestedVirtualization", std::string_view(input.nested_virtualization));
  form.set(data + "CapacityReservationSpecification.CapacityReservationPreference",
           std::string_view(input.reservation_preference));
  form.set(data + "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId",
           std::string_view(input.reservation_id));
  form.set(data + "InstanceMarketOptions.MarketType", std::string_view(input.market_type));
  form.set(data + "Placement.GroupId", std::string_view(input.placement_group_id));
  if (input.partition > 0) form.set(data + "Placement.PartitionNumber", input.partition);
  add_devices(form, input.devices);
  add_metadata_options(form, input);
  add_interfaces(form, input);
  add_tag_specifications(form, data + "TagSpecification", input.resource_tags);
  add_tag_specifications(form, "TagSpecification", {{"launch-template", input.tags}});
  return form;
}

void add_overrides(Form& form, const std::string& config, const std::vector<FleetOverride>& overrides) {
  int number = 0;
  for (const FleetOverride& choice : overrides) {
    const std::string at = config + ".Overrides." + std::to_string(++number);
    form.set(at + ".InstanceType", std::string_view(choice.instance_type));
    form.set(at + ".SubnetId", std::string_view(choice.subnet_id));
    form.set(at + ".AvailabilityZone", std::string_view(choice.zone));
    form.set(at + ".ImageId", std::string_view(choice.image_id));
    form.set(at + ".Priority", std::string_view(choice.priority));
  }
}

Form fleet_form(const FleetInput& input) {
  Form form("CreateFleet", kVersion);
  form.set("Type", "instant").set("ClientToken", std::string_view(input.client_token));
  form.set("Context", std::string_view(input.context));
  if (input.dry_run) form.set("DryRun", true);
  form.set("TargetCapacitySpecification.TotalTargetCapacity", input.target_capacity);
  const std::string_view target = input.spot ? "spot" : "on-demand";
  form.set("TargetCapacitySpecification.DefaultTargetCapacityType",
           input.target_type.empty() ? target : std::string_view(input.target_type));
  form.set(input.spot ? "SpotOptions.AllocationStrategy" : "OnDemandOptions.AllocationStrategy",
           std::string_view(input.allocation_strategy));
  if (input.target_type == "reserved-capacity") {
    form.set("ReservedCapacityOptions.ReservationType.1", "interruptible-capacity-reservation");
  }
  int number = 0;
  for (const FleetConfig& config : input.configs) {
    const std::string at = "LaunchTemplateConfigs." + std::to_string(++number);
    form.set(at + ".LaunchTemplateSpecification.LaunchTemplateName", std::string_view(config.launch_template_name));
    form.set(at + ".LaunchTemplateSpecification.Version", "$Latest");
    add_overrides(form, at, config.overrides);
  }
  add_tag_specifications(form, "TagSpecification", input.tags);
  return form;
}

FleetOverride read_override(const pugi::xml_node& item) {
  const pugi::xml_node node = item.child("launchTemplateAndOverrides").child("overrides");
  return {text_at(node, "instanceType"), text_at(node, "subnetId"), text_at(node, "availabilityZone"),
          text_at(node, "imageId"), text_at(node, "priority")};
}

InstanceInfo read_instance(const pugi::xml_node& item) {
  InstanceInfo instance;
  instance.id = text_at(item, "instanceId");
  instance.type = text_at(item, "instanceType");
  instance.image_id = text_at(item, "imageId");
  instance.state = text_at(item.child("instanceState"), "name");
  instance.state_reason = text_at(item.child("stateReason"), "code");
  instance.zone = text_at(item.child("placement"), "availabilityZone");
  instance.subnet_id = text_at(item, "subnetId");
  instance.private_dns_name = text_at(item, "privateDnsName");
  instance.private_ip = text_at(item, "privateIpAddress");
  instance.instance_profile_arn = text_at(item.child("iamInstanceProfile"), "arn");
  instance.spot = text_at(item, "instanceLifecycle") == "spot" || !text_at(item, "spotInstanceRequestId").empty();
  instance.reservation_id = text_at(item, "capacityReservationId");
  instance.reservation_preference =
      text_at(item.child("capacityReservationSpecification"), "capacityReservationPreference");
  instance.placement_group_id = text_at(item.child("placement"), "groupId");
  instance.partition = int_at(item.child("placement"), "partitionNumber");
  instance.launched_at = time_at(item, "launchTime");
  for (const pugi::xml_node group : item.child("groupSet")) {
    instance.security_group_ids.push_back(text_at(group, "groupId"));
  }
  instance.tags = tags_at(item, "tagSet");
  return instance;
}

}  // namespace

Result<LaunchTemplate> Ec2::create_launch_template(const LaunchTemplateInput& input, const std::stop_token& stop) {
  const XmlReply reply = TRY(query(client_, kEc2, template_form(input), stop));
  return read_template(reply.root().child("launchTemplate"));
}

Result<LaunchTemplate> Ec2::find_launch_template(const std::string& name, const std::stop_token& stop) {
  Form form("DescribeLaunchTemplates", kVersion);
  form.list("LaunchTemplateName", {name});
  auto found = TRY(collect(client_, form, "launchTemplates", read_template, stop));
  if (found.empty()) return fail(Code::kNotFound, "ec2 DescribeLaunchTemplates: no launch template " + name);
  return std::move(found.front());
}

Result<std::vector<LaunchTemplate>> Ec2::describe_launch_templates(const Filters& filters,
                                                                   const std::stop_token& stop) {
  Form form("DescribeLaunchTemplates", kVersion);
  add_filters(form, filters);
  form.set("MaxResults", kTemplatePage);
  return collect(client_, form, "launchTemplates", read_template, stop);
}

Status Ec2::delete_launch_template(const std::string& id, const std::stop_token& stop) {
  Form form("DeleteLaunchTemplate", kVersion);
  form.set("LaunchTemplateId", std::string_view(id));
  TRY(query(client_, kEc2, form, stop));
  return ok();
}

Result<Fleet> Ec2::create_fleet(const FleetInput& input, const std::stop_token& stop) {
  auto answer = query(client_, kEc2, fleet_form(input), stop, {.max_attempts = input.dry_run ? 1 : 0});
  if (input.dry_run) {
    TRY(ec2_wire::judge_dry_run(answer));
    return Fleet{};
  }
  const XmlReply reply = TRY(std::move(answer));
  Fleet fleet;
  fleet.id = text_at(reply.root(), "fleetId");
  for (const pugi::xml_node item : reply.root().child("fleetInstanceSet")) {
    fleet.instances.push_back({texts_at(item, "instanceIds"), text_at(item, "instanceType"), text_at(item, "lifecycle"),
                               read_override(item)});
  }
  for (const pugi::xml_node item : reply.root().child("errorSet")) {
    fleet.errors.push_back(
        {text_at(item, "errorCode"), text_at(item, "errorMessage"), text_at(item, "lifecycle"), read_override(item)});
  }
  return fleet;
}

Status Ec2::dry_run_instances(const RunInstancesDryRun& input, const std::stop_token& stop) {
  Form form("RunInstances", kVersion);
  form.set("DryRun", true).set("MinCount", int64_t{1}).set("MaxCount", int64_t{1});
  form.set("ClientToken", std::string_view(client_.make_token()));
  form.set("InstanceType", std::string_view(input.instance_type));
  form.set("LaunchTemplate.LaunchTemplateName", std::string_view(input.launch_template_name));
  form.set("LaunchTemplate.Version", "$Latest");
  form.set("NetworkInterface.1.DeviceIndex", int64_t{0});
  form.set("NetworkInterface.1.SubnetId", std::string_view(input.subnet_id));
  add_tag_specifications(form, "TagSpecification", input.tags);
  return ec2_wire::judge_dry_run(query(client_, kEc2, form, stop, {.max_attempts = 1}));
}

Result<std::vector<InstanceInfo>> Ec2::describe_instances(const std::vector<std::string>& ids, const Filters& filters,
                                                          const std::stop_token& stop) {
  Form form("DescribeInstances", kVersion);
  form.list("InstanceId", ids);
  add_filters(form, filters);
  if (ids.empty()) form.set("MaxResults", kInstancePage);  // EC2 rejects it together with ids
  std::vector<InstanceInfo> instances;
  const auto take = [&](const pugi::xml_node& reservation) {
    for (const pugi::xml_node item : reservation.child("instancesSet")) instances.push_back(read_instance(item));
  };
  TRY(ec2_wire::for_each_item(client_, form, "reservationSet", take, stop));
  return instances;
}

Result<std::vector<StateChange>> Ec2::terminate_instances(const std::vector<std::string>& ids,
                                                          const std::stop_token& stop) {
  Form form("TerminateInstances", kVersion);
  form.list("InstanceId", ids);
  const XmlReply reply = TRY(query(client_, kEc2, form, stop));
  std::vector<StateChange> changes;
  for (const pugi::xml_node item : reply.root().child("instancesSet")) {
    changes.push_back({text_at(item, "instanceId"), text_at(item.child("currentState"), "name"),
                       text_at(item.child("previousState"), "name")});
  }
  return changes;
}

Status Ec2::create_tags(const std::vector<std::string>& resources, const Tags& tags, const std::stop_token& stop) {
  Form form("CreateTags", kVersion);
  form.list("ResourceId", resources).tags("Tag", tags);
  TRY(query(client_, kEc2, form, stop));
  return ok();
}

Status Ec2::delete_tags(const std::vector<std::string>& resources, const std::vector<std::string>& keys,
                        const std::stop_token& stop) {
  Form form("DeleteTags", kVersion);
  form.list("ResourceId", resources);
  for (size_t i = 0; i < keys.size(); ++i) form.set("Tag." + std::to_string(i + 1) + ".Key", std::string_view(keys[i]));
  TRY(query(client_, kEc2, form, stop));
  return ok();
}

}  // namespace tenon::aws

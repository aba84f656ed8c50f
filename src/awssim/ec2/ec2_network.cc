// Subnets, security groups and the one VPC.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/ec2.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kPerPage = 1000;
constexpr std::string_view kVpcCidr = "10.0.0.0/16";

Attribute subnet_attributes(const World& world, const Subnet& subnet) {
  return [&](std::string_view name) -> Values {
    if (name == "subnet-id") return only(subnet.id);
    if (name == "vpc-id") return only(kVpcId);
    if (name == "availability-zone" || name == "availabilityZone") return only(subnet.zone);
    if (name == "availability-zone-id") return only(subnet.zone_id);
    if (name == "cidr-block" || name == "cidr") return only(subnet.cidr());
    if (name == "state") return only("available");
    if (name == "default-for-az") return only("false");
    if (name == "map-public-ip-on-launch") return only("false");
    if (name == "available-ip-address-count") return only(std::to_string(subnet.free_addresses()));
    if (name == "owner-id") return only(kAccount);
    if (name == "subnet-arn") return only(world.arn("ec2", "subnet/" + subnet.id));
    return std::nullopt;
  };
}

Attribute group_attributes(const SecurityGroup& group) {
  return [&](std::string_view name) -> Values {
    if (name == "group-id") return only(group.id);
    if (name == "group-name") return only(group.name);
    if (name == "description") return only(group.description);
    if (name == "vpc-id") return only(kVpcId);
    if (name == "owner-id") return only(kAccount);
    return std::nullopt;
  };
}

// Returns the ids that a request names, or an error that names the first unknown one.
template <class Exists>
Outcome<std::vector<std::string>> wanted_ids(const Params& params, std::string_view parameter, Exists exists,
                                             std::pair<std::string, std::string> not_found) {
  std::vector<std::string> ids = params.list(parameter);
  for (const std::string& id : ids)
    if (!exists(id)) return deny(not_found.first, "The " + not_found.second + " '" + id + "' does not exist");
  return ids;
}

bool is_wanted(const std::vector<std::string>& ids, const std::string& id) {
  return ids.empty() || std::find(ids.begin(), ids.end(), id) != ids.end();
}

void write_subnet(const World& world, const Subnet& subnet, Xml& out) {
  out.text("subnetId", subnet.id).text("subnetArn", world.arn("ec2", "subnet/" + subnet.id));
  out.text("state", "available").text("ownerId", kAccount).text("vpcId", kVpcId).text("cidrBlock", subnet.cidr());
  out.element("ipv6CidrBlockAssociationSet", [] {});
  out.number("availableIpAddressCount", subnet.free_addresses());
  out.text("availabilityZone", subnet.zone).text("availabilityZoneId", subnet.zone_id);
  out.boolean("defaultForAz", false).boolean("mapPublicIpOnLaunch", false);
  out.boolean("assignIpv6AddressOnCreation", false).boolean("ipv6Native", false);
  out.tags(subnet.tags);
}

}  // namespace

Outcome<void> describe_subnets(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  auto ids = AWS_TRY(wanted_ids(params, "SubnetId", [&](const std::string& id) { return world.subnet(id) != nullptr; },
                                {"InvalidSubnetID.NotFound", "subnet ID"}));
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const Subnet*>> found;
  for (const Subnet& subnet : world.subnets) {
    if (!is_wanted(ids, subnet.id)) continue;
    if (AWS_TRY(passes(filters, subnet.tags, subnet_attributes(world, subnet)))) found.emplace_back(subnet.id, &subnet);
  }
  return write_page(out, "subnetSet", std::move(found), AWS_TRY(page_request(params, kPerPage)),
                    [&](const Subnet* subnet) { write_subnet(world, *subnet, out); });
}

Outcome<void> describe_security_groups(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  auto ids =
      AWS_TRY(wanted_ids(params, "GroupId", [&](const std::string& id) { return world.security_group(id) != nullptr; },
                         {"InvalidGroup.NotFound", "security group"}));
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const SecurityGroup*>> found;
  for (const SecurityGroup& group : world.security_groups) {
    if (!is_wanted(ids, group.id)) continue;
    if (AWS_TRY(passes(filters, group.tags, group_attributes(group)))) found.emplace_back(group.id, &group);
  }
  return write_page(out, "securityGroupInfo", std::move(found), AWS_TRY(page_request(params, kPerPage)),
                    [&](const SecurityGroup* group) {
                      out.text("ownerId", kAccount).text("groupId", group->id).text("groupName", group->name);
                      out.text("groupDescription", group->description).text("vpcId", kVpcId);
                      out.text("securityGroupArn", world.arn("ec2", "security-group/" + group->id));
                      out.element("ipPermissions", [] {}).element("ipPermissionsEgress", [] {});
                      out.tags(group->tags);
                    });
}

Outcome<void> describe_vpcs(World& world, const Params& params, Xml& out) {
  auto ids = AWS_TRY(wanted_ids(params, "VpcId", [](const std::string& id) { return id == kVpcId; },
                                {"InvalidVpcID.NotFound", "vpc ID"}));
  Tags tags{{"Name", world.options.cluster_name}};
  auto attribute = [&](std::string_view name) -> Values {
    if (name == "vpc-id") return only(kVpcId);
    if (name == "cidr" || name == "cidr-block-association.cidr-block") return only(kVpcCidr);
    if (name == "state") return only("available");
    if (name == "is-default" || name == "isDefault") return only("false");
    if (name == "owner-id") return only(kAccount);
    return std::nullopt;
  };
  bool found = AWS_TRY(passes(filters_of(params), tags, attribute));
  out.element("vpcSet", [&] {
    if (!found) return;
    out.element("item", [&] {
      out.text("vpcId", kVpcId).text("ownerId", kAccount).text("state", "available").text("cidrBlock", kVpcCidr);
      out.text("instanceTenancy", "default").boolean("isDefault", false).tags(tags);
    });
  });
  return {};
}

}  // namespace tenon::awssim::ec2

// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/launch.h"

#include <charconv>

#include "base/check.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr size_t kMaxTags = 50, kMaxTagKeyLength = 128, kMaxTagValueLength = 256;

// Returns the request's own value of a parameter, otherwise the template's.
std::string_view from_either(const LaunchRequest& request, std::string_view name) {
  if (request.data.has(name)) return request.data.get(name);
  return request.launch_template ? request.launch_template->data.get(name) : std::string_view();
}

template <class Read>
auto list_from_either(const LaunchRequest& request, Read read) {
  auto own = read(request.data);
  if (own.empty() && request.launch_template) own = read(request.launch_template->data);
  return own;
}

Outcome<const catalog::InstanceFacts*> find_type(const World& world, std::string_view name) {
  if (name.empty()) return deny("MissingParameter", "The request must contain the parameter InstanceType");
  const catalog::InstanceFacts* facts = world.type(name);
  if (!facts)
    return deny("InvalidParameterValue",
                "The following supplied instance types do not exist: [" + std::string(name) + "]");
  return facts;
}

Outcome<const Image*> find_image(const World& world, const std::string& id, const catalog::InstanceFacts& facts) {
  if (id.empty()) return deny("MissingParameter", "The request must contain the parameter ImageId");
  if (!id.starts_with("ami-"))
    return deny("InvalidAMIID.Malformed", "Invalid id: \"" + id + "\" (expecting \"ami-...\")");
  auto found = world.images.find(id);
  if (found == world.images.end()) return deny("InvalidAMIID.NotFound", "The image id '[" + id + "]' does not exist");
  std::string wanted = facts.arch == "amd64" ? "x86_64" : facts.arch;
  if (found->second.architecture != wanted)
    return deny("InvalidParameterValue", "The architecture '" + wanted +
                                             "' of the specified instance type does not match the architecture '" +
                                             found->second.architecture + "' of the specified AMI.");
  return &found->second;
}

Outcome<Subnet*> find_subnet(World& world, const std::string& id, std::string_view zone) {
  if (id.empty()) return deny("MissingInput", "No subnet was given and there is no default VPC.");
  Subnet* found = world.subnet(id);
  if (!found) return deny("InvalidSubnetID.NotFound", "The subnet ID '" + id + "' does not exist");
  if (!zone.empty() && found->zone != zone)
    return deny("InvalidParameterValue",
                "The subnet '" + id + "' is not in the availability zone '" + std::string(zone) + "'");
  return found;
}

Outcome<std::vector<std::string>> find_groups(const World& world, const LaunchRequest& request) {
  auto groups = list_from_either(request, [](const Params& data) {
    auto ids = data.list("SecurityGroupId");
    for (const Params& interface : data.structs("NetworkInterface"))
      for (std::string& id : interface.list("SecurityGroupId")) ids.push_back(id);
    return ids;
  });
  for (const std::string& id : groups)
    if (!world.security_group(id))
      return deny("InvalidGroup.NotFound", "The security group '" + id + "' does not exist");
  return groups;
}

Outcome<std::string> find_profile(const World& world, const LaunchRequest& request) {
  std::string name(from_either(request, "IamInstanceProfile.Name"));
  std::string_view arn = from_either(request, "IamInstanceProfile.Arn");
  if (name.empty() && !arn.empty()) name = arn.substr(arn.rfind('/') + 1);
  if (name.empty()) return std::string();
  auto found = world.profiles.find(name);
  if (found == world.profiles.end())
    return deny("InvalidParameterValue", "Value (" + name +
                                             ") for parameter iamInstanceProfile.name is invalid. "
                                             "Invalid IAM Instance Profile name");
  return found->second.arn;
}

Outcome<int64_t> volume_size(const LaunchRequest& request, const Image& image) {
  auto devices = list_from_either(request, [](const Params& data) { return data.structs("BlockDeviceMapping"); });
  int64_t size = image.volume_gib;
  for (const Params& device : devices)
    if (device.get("DeviceName") == image.data_device) size = AWS_TRY(device.integer("Ebs.VolumeSize", size));
  if (size < 1) return deny("InvalidParameterValue", "Volume of size " + std::to_string(size) + "GB is too small");
  return size;
}

std::string subnet_of_interfaces(const LaunchRequest& request) {
  auto ids = list_from_either(request, [](const Params& data) {
    std::vector<std::string> found;
    for (const Params& interface : data.structs("NetworkInterface"))
      if (interface.has("SubnetId")) found.emplace_back(interface.get("SubnetId"));
    if (data.has("SubnetId")) found.emplace_back(data.get("SubnetId"));
    return found;
  });
  return ids.empty() ? std::string() : ids.front();
}

Outcome<void> read_reservation(const World& world, const LaunchRequest& request, LaunchSpec& spec) {
  spec.reservation_preference = from_either(request, "CapacityReservationSpecification.CapacityReservationPreference");
  const std::string id(
      from_either(request, "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId"));
  const std::string_view market = from_either(request, "InstanceMarketOptions.MarketType");
  const FakeReservation* wanted = nullptr;
  if (!id.empty()) {
    const auto found = world.reservations.find(id);
    if (found == world.reservations.end())
      return deny("InvalidCapacityReservationId.NotFound", "The capacity reservation " + id + " does not exist");
    wanted = &found->second;
    if (wanted->instance_type != spec.facts->name || wanted->zone != spec.subnet->zone)
      return deny("InvalidParameterValue", "The capacity reservation " + id + " is of another instance type or zone.");
  }
  const std::string_view kind = !wanted                 ? ""
                                : wanted->block         ? "capacity-block"
                                : wanted->interruptible ? "interruptible-capacity-reservation"
                                                        : "";
  if (market != kind)
    return deny("InvalidParameterCombination", "The market type '" + std::string(market) +
                                                   "' does not go with the capacity reservation '" + id + "'.");
  spec.capacity_reservation_id = id;
  return {};
}

Outcome<void> read_placement(const World& world, const LaunchRequest& request, LaunchSpec& spec) {
  const std::string_view tenancy = from_either(request, "Placement.Tenancy");
  if (!tenancy.empty()) spec.tenancy = tenancy;
  spec.enclaves = from_either(request, "EnclaveOptions.Enabled") == "true";
  if (spec.tenancy != "default" && spec.tenancy != "dedicated")
    return deny("InvalidParameterValue", "Tenancy " + spec.tenancy + " is not available here.");
  const std::string id(from_either(request, "Placement.GroupId"));
  if (id.empty()) return {};
  const auto found = world.placement_groups.find(id);
  if (found == world.placement_groups.end())
    return deny("InvalidPlacementGroup.Unknown", "The Placement Group '" + id + "' is unknown.");
  spec.placement_group_id = id;
  const std::string partition(from_either(request, "Placement.PartitionNumber"));
  spec.partition = partition.empty() ? (found->second.partition_count > 0 ? 1 : 0) : std::stoll(partition);
  if (spec.partition > found->second.partition_count)
    return deny("InvalidParameterValue", "The placement group has no partition " + partition + ".");
  return {};
}

// Checks that the named reservation and the placement group have room for one more instance.
Outcome<void> check_places(const World& world, const LaunchSpec& spec, Instant now) {
  if (!spec.capacity_reservation_id.empty() &&
      world.free_places(world.reservations.find(spec.capacity_reservation_id)->second, now) <= 0)
    return deny("ReservationCapacityExceeded", "The requested capacity exceeds that of the capacity reservation " +
                                                   spec.capacity_reservation_id + ".");
  if (spec.placement_group_id.empty()) return {};
  if (world.placement_groups.find(spec.placement_group_id)->second.strategy != "spread") return {};
  int64_t there = 0;
  for (const auto& [key, instance] : world.instances) {
    there += instance.placement_group_id == spec.placement_group_id && instance.zone == spec.subnet->zone &&
                     instance.state != "terminated"
                 ? 1
                 : 0;
  }
  if (there >= kSpreadLimit)
    return deny("InsufficientInstanceCapacity",
                "You have reached the limit of instances in this spread placement group in the Availability Zone.");
  return {};
}

std::string first_of(std::string given, std::string_view otherwise) {
  return given.empty() ? std::string(otherwise) : given;
}

}  // namespace

Outcome<void> check_tags(const Tags& tags) {
  if (tags.size() > kMaxTags) return deny("TagLimitExceeded", "A resource can have at most 50 tags.");
  for (const auto& [key, value] : tags) {
    if (key.empty() || key.size() > kMaxTagKeyLength)
      return deny("InvalidParameterValue", "Tag key exceeds the maximum length of 128 characters or is empty");
    if (to_lower(key).starts_with("aws:"))
      return deny("InvalidParameterValue", "Value ( " + key +
                                               " ) for parameter key is invalid. "
                                               "Tag keys starting with 'aws:' are reserved for internal use");
    if (value.size() > kMaxTagValueLength)
      return deny("InvalidParameterValue", "Tag value exceeds the maximum length of 256 characters");
  }
  return {};
}

Outcome<Tags> tags_for(const Params& params, std::string_view resource_type) {
  Tags tags;
  for (const Params& specification : params.structs("TagSpecification"))
    if (specification.get("ResourceType") == resource_type) tags = specification.tags("Tag");
  AWS_TRY(check_tags(tags));
  return tags;
}

Outcome<LaunchSpec> resolve_launch(World& world, const LaunchRequest& request) {
  LaunchSpec spec;
  spec.launch_template = request.launch_template;
  spec.spot = request.spot;
  spec.facts = AWS_TRY(find_type(world, first_of(request.instance_type, from_either(request, "InstanceType"))));
  spec.image = AWS_TRY(find_image(world, first_of(request.image_id, from_either(request, "ImageId")), *spec.facts));
  spec.subnet = AWS_TRY(find_subnet(world, first_of(request.subnet_id, subnet_of_interfaces(request)), request.zone));
  spec.security_groups = AWS_TRY(find_groups(world, request));
  spec.profile_arn = AWS_TRY(find_profile(world, request));
  spec.root_volume_gib = AWS_TRY(volume_size(request, *spec.image));
  if (!base64_decode(from_either(request, "UserData"), spec.user_data))
    return deny("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  AWS_TRY(read_reservation(world, request, spec));
  AWS_TRY(read_placement(world, request, spec));
  if (request.launch_template) spec.tags = AWS_TRY(tags_for(request.launch_template->data, "instance"));
  std::optional<model::Price> price =
      spec.spot ? world.spot_price(*spec.facts, spec.subnet->zone) : world.on_demand_price(*spec.facts);
  if (!price && !spec.capacity_reservation_id.empty()) price = model::Price(0);  // some types have no other price
  if (!price)
    return deny("InsufficientInstanceCapacity", "We currently do not have sufficient " + spec.facts->name +
                                                    " capacity in the Availability Zone you requested (" +
                                                    spec.subnet->zone + ").");
  spec.price = *price;
  return spec;
}

Outcome<Instance*> launch(World& world, const LaunchSpec& spec, const LaunchOrder& order) {
  AWS_TRY(check_places(world, spec, order.now));
  auto offset = world.take_address(*spec.subnet);
  if (!offset)
    return deny("InsufficientFreeAddressesInSubnet", "There are not enough free addresses in subnet '" +
                                                         spec.subnet->id +
                                                         "' to satisfy the requested number of instances.");
  Instance instance;
  instance.key = world.new_key();
  instance.id = world.new_id("i-");
  instance.type = spec.facts->name;
  instance.arch = spec.facts->arch;
  instance.zone = spec.subnet->zone;
  instance.zone_id = spec.subnet->zone_id;
  instance.subnet_id = spec.subnet->id;
  instance.image_id = spec.image->id;
  instance.address_offset = *offset;
  instance.private_ip = world.address_text(*spec.subnet, *offset);
  instance.private_dns_name = world.private_dns_name(instance.private_ip);
  instance.capacity_type = spec.spot ? "spot" : "on-demand";
  if (spec.spot) instance.spot_request_id = world.new_id("sir-").substr(0, 12);
  instance.reservation_preference = spec.reservation_preference;
  instance.capacity_reservation_id = spec.capacity_reservation_id;
  instance.placement_group_id = spec.placement_group_id;
  instance.partition = spec.partition;
  instance.tenancy = spec.tenancy;
  instance.enclaves = spec.enclaves;
  instance.state = "pending";
  instance.user_data = spec.user_data;
  instance.tags.insert(spec.tags.begin(), spec.tags.end());
  for (const auto& [key, value] : order.tags) instance.tags[key] = value;
  if (spec.launch_template) {
    instance.tags["aws:ec2launchtemplate:id"] = spec.launch_template->id;
    instance.tags["aws:ec2launchtemplate:version"] = "1";
  }
  if (!order.fleet_id.empty()) instance.tags["aws:ec2:fleet-id"] = order.fleet_id;
  instance.root_volume_gib = spec.root_volume_gib;
  instance.root_device = spec.image->root_device;
  instance.security_groups = spec.security_groups;
  instance.profile_arn = spec.profile_arn;
  instance.fleet_id = order.fleet_id;
  instance.reservation_id = order.reservation_id;
  instance.client_token = order.client_token;
  instance.launched_at = order.now;
  instance.running_at = order.now + world.options.pending_for;
  world.instance_keys.emplace(instance.id, instance.key);
  auto [at, inserted] = world.instances.emplace(instance.key, std::move(instance));
  CHECK(inserted);
  world.publish_state(at->second, order.now);
  return &at->second;
}

}  // namespace tenon::awssim::ec2

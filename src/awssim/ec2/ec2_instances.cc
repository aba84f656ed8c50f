// RunInstances, DescribeInstances, DescribeInstanceStatus, TerminateInstances.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "awssim/ec2/ec2.h"
#include "awssim/ec2/launch.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kInstancesPerPage = 1000;
constexpr int64_t kMaxRun = 100;

int state_code(std::string_view state) {
  if (state == "pending") return 0;
  if (state == "running") return 16;
  return state == "shutting-down" ? 32 : 48;
}

void write_state(Xml& out, std::string_view element, const std::string& state) {
  out.element(element, [&] { out.number("code", state_code(state)).text("name", state); });
}

std::string api_arch(const Instance& instance) { return instance.arch == "amd64" ? "x86_64" : instance.arch; }

bool has_address(const Instance& instance) { return instance.state != "terminated"; }

void write_interface(const World& world, const Instance& instance, Xml& out) {
  out.element("item", [&] {
    out.text("networkInterfaceId", "eni-" + instance.id.substr(2)).text("subnetId", instance.subnet_id);
    out.text("vpcId", kVpcId).text("ownerId", kAccount).text("status", "in-use").text("interfaceType", "interface");
    out.text("privateIpAddress", instance.private_ip).text("privateDnsName", instance.private_dns_name);
    out.boolean("sourceDestCheck", true);
    out.list("groupSet", instance.security_groups, [&](const std::string& id) {
      const SecurityGroup* group = world.security_group(id);
      out.text("groupId", id).text("groupName", group ? group->name : "");
    });
    out.element("attachment", [&] {
      out.text("attachmentId", "eni-attach-" + instance.id.substr(2)).number("deviceIndex", 0);
      out.number("networkCardIndex", 0).text("status", "attached").time("attachTime", instance.launched_at);
      out.boolean("deleteOnTermination", true);
    });
    out.element("privateIpAddressesSet", [&] {
      out.element("item", [&] {
        out.text("privateIpAddress", instance.private_ip).text("privateDnsName", instance.private_dns_name);
        out.boolean("primary", true);
      });
    });
  });
}

void write_place(const World& world, const Instance& instance, Xml& out) {
  out.element("placement", [&] {
    out.text("availabilityZone", instance.zone).text("availabilityZoneId", instance.zone_id);
    out.text("tenancy", instance.tenancy);
    const auto group = world.placement_groups.find(instance.placement_group_id);
    if (group == world.placement_groups.end()) {
      out.element("groupName", [] {});
    } else {
      out.text("groupName", group->second.name).text("groupId", group->first);
      if (instance.partition > 0) out.number("partitionNumber", instance.partition);
    }
  });
  if (!has_address(instance)) {
    out.element("privateDnsName", [] {}).element("groupSet", [] {}).element("networkInterfaceSet", [] {});
    return;
  }
  out.text("privateDnsName", instance.private_dns_name).text("privateIpAddress", instance.private_ip);
  out.text("subnetId", instance.subnet_id).text("vpcId", kVpcId);
  out.list("groupSet", instance.security_groups, [&](const std::string& id) {
    const SecurityGroup* group = world.security_group(id);
    out.text("groupId", id).text("groupName", group ? group->name : "");
  });
  out.element("networkInterfaceSet", [&] { write_interface(world, instance, out); });
}

void write_instance(const World& world, const Instance& instance, Xml& out) {
  out.text("instanceId", instance.id).text("imageId", instance.image_id);
  write_state(out, "instanceState", instance.state);
  out.text("instanceType", instance.type).time("launchTime", instance.launched_at).number("amiLaunchIndex", 0);
  write_place(world, instance, out);
  if (!instance.state_reason.empty())
    out.element("stateReason",
                [&] { out.text("code", "Client.UserInitiatedShutdown").text("message", instance.state_reason); });
  out.text("architecture", api_arch(instance))
      .text("rootDeviceType", "ebs")
      .text("rootDeviceName", instance.root_device);
  out.element("blockDeviceMapping", [&] {
    if (!has_address(instance)) return;
    out.element("item", [&] {
      out.text("deviceName", instance.root_device);
      out.element("ebs", [&] {
        out.text("volumeId", "vol-" + instance.id.substr(2)).text("status", "attached");
        out.time("attachTime", instance.launched_at).boolean("deleteOnTermination", true);
      });
    });
  });
  out.text("virtualizationType", "hvm").text("hypervisor", "xen").text("clientToken", instance.client_token);
  if (!instance.spot_request_id.empty())
    out.text("instanceLifecycle", "spot").text("spotInstanceRequestId", instance.spot_request_id);
  const auto home = world.reservations.find(instance.capacity_reservation_id);
  if (home != world.reservations.end() && World::state_of(home->second, world.runtime.now()) == "active")
    out.text("capacityReservationId", home->first);
  if (!instance.reservation_preference.empty())
    out.element("capacityReservationSpecification", [&] {
      out.text("capacityReservationPreference", instance.reservation_preference);
      if (instance.capacity_reservation_id.empty()) return;
      out.element("capacityReservationTarget",
                  [&] { out.text("capacityReservationId", instance.capacity_reservation_id); });
    });
  if (!instance.profile_arn.empty()) out.element("iamInstanceProfile", [&] { out.text("arn", instance.profile_arn); });
  out.element("monitoring", [&] { out.text("state", "disabled"); });
  out.element("enclaveOptions", [&] { out.boolean("enabled", instance.enclaves); });
  out.boolean("ebsOptimized", false).boolean("enaSupport", true);
  out.tags(Tags(instance.tags.begin(), instance.tags.end()));
}

Attribute instance_attributes(const Instance& instance) {
  return [&](std::string_view name) -> Values {
    if (name == "instance-id") return only(instance.id);
    if (name == "instance-state-name") return only(instance.state);
    if (name == "instance-state-code") return only(std::to_string(state_code(instance.state)));
    if (name == "instance-type") return only(instance.type);
    if (name == "instance-lifecycle")
      return instance.spot_request_id.empty() ? Values(std::vector<std::string>{}) : only("spot");
    if (name == "availability-zone") return only(instance.zone);
    if (name == "availability-zone-id") return only(instance.zone_id);
    if (name == "subnet-id") return only(instance.subnet_id);
    if (name == "vpc-id") return only(kVpcId);
    if (name == "image-id") return only(instance.image_id);
    if (name == "architecture") return only(api_arch(instance));
    if (name == "private-dns-name") return only(instance.private_dns_name);
    if (name == "private-ip-address") return only(instance.private_ip);
    if (name == "client-token") return only(instance.client_token);
    if (name == "reservation-id") return only(instance.reservation_id);
    if (name == "instance.group-id") return instance.security_groups;
    return std::nullopt;
  };
}

bool is_instance_id(std::string_view id) {
  return id.starts_with("i-") && id.size() >= 10 &&
         std::all_of(id.begin() + 2, id.end(), [](unsigned char c) { return std::isxdigit(c) && !std::isupper(c); });
}

// Errors: InvalidInstanceID.Malformed; InvalidInstanceID.NotFound naming all that are missing.
Outcome<std::vector<Instance*>> named_instances(World& world, const std::vector<std::string>& ids) {
  std::vector<Instance*> found;
  std::string missing;
  size_t missing_count = 0;
  for (const std::string& id : ids) {
    if (!is_instance_id(id)) return deny("InvalidInstanceID.Malformed", "Invalid id: \"" + id + "\"");
    if (Instance* instance = world.instance(id)) {
      found.push_back(instance);
    } else {
      missing += (missing.empty() ? "" : ", ") + id;
      ++missing_count;
    }
  }
  if (missing_count == 1) return deny("InvalidInstanceID.NotFound", "The instance ID '" + missing + "' does not exist");
  if (missing_count > 1) return deny("InvalidInstanceID.NotFound", "The instance IDs '" + missing + "' do not exist");
  return found;
}

void write_reservation(const World& world, const std::vector<const Instance*>& instances, Xml& out) {
  out.text("reservationId", instances.front()->reservation_id).text("ownerId", kAccount);
  out.element("groupSet", [] {});
  out.list("instancesSet", instances, [&](const Instance* instance) { write_instance(world, *instance, out); });
}

struct RunCount {
  int64_t min = 1, max = 1;
};
Outcome<RunCount> read_count(const Params& params) {
  if (!params.has("MinCount") || !params.has("MaxCount"))
    return deny("MissingParameter", "The request must contain the parameters MinCount and MaxCount");
  RunCount count{AWS_TRY(params.integer("MinCount", 1)), AWS_TRY(params.integer("MaxCount", 1))};
  if (count.min < 1 || count.max < count.min || count.max > kMaxRun)
    return deny("InvalidParameterValue", "Value for parameter minCount or maxCount is invalid");
  return count;
}

Outcome<LaunchSpec> read_run(World& world, const Params& params) {
  LaunchRequest request;
  Params specification = params.sub("LaunchTemplate");
  if (!specification.empty()) request.launch_template = AWS_TRY(world.launch_template(specification));
  request.zone = params.get("Placement.AvailabilityZone");
  std::string_view market = params.get("InstanceMarketOptions.MarketType");
  if (market.empty() && request.launch_template)
    market = request.launch_template->data.get("InstanceMarketOptions.MarketType");
  request.spot = market == "spot";
  request.data = params;
  return resolve_launch(world, request);
}

}  // namespace

Outcome<void> run_instances(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  {
    std::lock_guard lock(world.mutex);
    world.settle(now);
    if (auto answer = AWS_TRY(world.recall("RunInstances", params, now))) {
      out.raw(*answer);
      return {};
    }
    RunCount count = AWS_TRY(read_count(params));
    LaunchSpec spec = AWS_TRY(read_run(world, params));
    Tags tags = AWS_TRY(tags_for(params, "instance"));
    if (spec.subnet->free_addresses() < count.min)
      return deny("InsufficientFreeAddressesInSubnet",
                  "The specified subnet does not have enough free addresses to satisfy "
                  "the request.");
    if (params.flag("DryRun")) return dry_run_succeeded();
    LaunchOrder order{tags, {}, world.new_id("r-"), std::string(params.get("ClientToken")), now};
    std::vector<const Instance*> launched;
    for (int64_t i = 0; i < count.max; ++i) {
      auto instance = launch(world, spec, order);
      if (!instance) break;
      launched.push_back(*instance);
    }
    Xml answer;
    write_reservation(world, launched, answer);
    world.remember("RunInstances", params, answer.str(), now);
    out.raw(answer.str());
  }
  world.announce();
  return {};
}

Outcome<void> describe_instances(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  auto ids = params.list("InstanceId");
  if (!ids.empty() && params.has("MaxResults"))
    return deny("InvalidParameterCombination",
                "The parameter instancesSet cannot be used with the parameter maxResults");
  std::vector<Instance*> wanted = AWS_TRY(named_instances(world, ids));
  if (ids.empty())
    for (auto& [key, instance] : world.instances) wanted.push_back(&instance);
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const Instance*>> found;
  for (const Instance* instance : wanted) {
    Tags tags(instance->tags.begin(), instance->tags.end());
    if (AWS_TRY(passes(filters, tags, instance_attributes(*instance)))) found.emplace_back(instance->key, instance);
  }
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return write_page(out, "reservationSet", std::move(found), AWS_TRY(page_request(params, kInstancesPerPage)),
                    [&](const Instance* instance) { write_reservation(world, {instance}, out); });
}

namespace {

// Only running instances have status checks.
std::string check_status(const Instance& instance, const std::optional<Instant>& failed_since) {
  if (instance.state != "running") return "not-applicable";
  return failed_since ? "impaired" : "ok";
}

void write_check(std::string_view element, const Instance& instance, const std::optional<Instant>& failed_since,
                 Xml& out) {
  out.element(element, [&] {
    out.text("status", check_status(instance, failed_since));
    if (instance.state != "running") return;
    out.element("details", [&] {
      out.element("item", [&] {
        out.text("name", "reachability").text("status", failed_since ? "failed" : "passed");
        if (failed_since) out.time("impairedSince", *failed_since);
      });
    });
  });
}

void write_status(const Instance& instance, Xml& out) {
  out.text("instanceId", instance.id).text("availabilityZone", instance.zone);
  out.text("availabilityZoneId", instance.zone_id);
  write_state(out, "instanceState", instance.state);
  if (instance.retired_at) {
    out.element("eventsSet", [&] {
      out.element("item", [&] {
        out.text("instanceEventId", "instance-event-" + instance.id.substr(2)).text("code", "instance-retirement");
        out.text("description", "The instance is running on degraded hardware");
        out.time("notBefore", *instance.retired_at);
      });
    });
  }
  write_check("systemStatus", instance, instance.system_failed_since, out);
  write_check("instanceStatus", instance, instance.instance_failed_since, out);
}

Attribute status_attributes(const Instance& instance) {
  return [&](std::string_view name) -> Values {
    if (name == "instance-status.status") return only(check_status(instance, instance.instance_failed_since));
    if (name == "system-status.status") return only(check_status(instance, instance.system_failed_since));
    if (name == "attached-ebs-status.status") return only(check_status(instance, std::nullopt));
    if (name == "event.code" && instance.retired_at) return only("instance-retirement");
    if (name.starts_with("event.")) return std::vector<std::string>{};
    return instance_attributes(instance)(name);
  };
}

}  // namespace

Outcome<void> describe_instance_status(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  world.settle(now);
  auto ids = params.list("InstanceId");
  std::vector<Instance*> wanted = AWS_TRY(named_instances(world, ids));
  if (ids.empty())
    for (auto& [key, instance] : world.instances) wanted.push_back(&instance);
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const Instance*>> found;
  for (const Instance* instance : wanted) {
    if (instance->state != "running" && !params.flag("IncludeAllInstances")) continue;
    if (AWS_TRY(passes(filters, {}, status_attributes(*instance)))) found.emplace_back(instance->key, instance);
  }
  return write_page(out, "instanceStatusSet", std::move(found), AWS_TRY(page_request(params, kInstancesPerPage)),
                    [&](const Instance* instance) { write_status(*instance, out); });
}

Outcome<void> terminate_instances(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  {
    std::lock_guard lock(world.mutex);
    world.settle(now);
    auto ids = params.list("InstanceId");
    if (ids.empty()) return deny("MissingParameter", "The request must contain the parameter InstanceId");
    std::vector<Instance*> wanted = AWS_TRY(named_instances(world, ids));
    if (params.flag("DryRun")) return dry_run_succeeded();
    out.list("instancesSet", wanted, [&](Instance* instance) {
      std::string before = instance->state;
      world.end(*instance, "Client.UserInitiatedShutdown: User initiated shutdown", now);
      out.text("instanceId", instance->id);
      write_state(out, "currentState", instance->state);
      write_state(out, "previousState", before);
    });
  }
  world.announce();
  return {};
}

}  // namespace tenon::awssim::ec2

// CreateFleet of type instant: launches from the overrides in order of price or priority; reports an error for each
// failure.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

#include "awssim/ec2/ec2.h"
#include "awssim/ec2/launch.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kMaxCapacity = 10'000;
constexpr size_t kMaxConfigs = 50;

struct Override {
  Params config;  // LaunchTemplateSpecification
  Params wanted;  // InstanceType, SubnetId, AvailabilityZone, ImageId, Priority
  double priority = 0;
  std::string fault;  // the error code that the fault hook injects; empty: none
};

struct Request {
  bool spot = false;
  std::string strategy;
  int64_t capacity = 1;
  std::vector<Override> overrides;
};

struct Failure {
  const Override* what;
  const LaunchTemplate* launch_template;
  AwsError error;
};
struct FleetInstances {
  const Override* what;
  LaunchSpec spec;
  std::vector<std::string> ids;
};

Outcome<void> read_target(const Params& params, Request& request) {
  if (params.get("Type") != "instant")
    return deny("InvalidParameterValue",
                "Only fleets of type instant are available here; Type was '" + std::string(params.get("Type")) + "'");
  Params target = params.sub("TargetCapacitySpecification");
  std::string kind(target.has("DefaultTargetCapacityType") ? target.get("DefaultTargetCapacityType") : "on-demand");
  if (kind == "reserved-capacity" &&
      params.get("ReservedCapacityOptions.ReservationType.1") != "interruptible-capacity-reservation")
    return deny("InvalidParameterCombination", "A target of reserved-capacity needs ReservedCapacityOptions.");
  if (kind != "on-demand" && kind != "spot" && kind != "capacity-block" && kind != "reserved-capacity")
    return deny("InvalidParameterValue", "Value (" + kind + ") for parameter DefaultTargetCapacityType is invalid.");
  request.spot = kind == "spot";
  request.capacity = AWS_TRY(target.integer("TotalTargetCapacity", 0));
  if (request.capacity < 1 || request.capacity > kMaxCapacity)
    return deny("InvalidParameterValue", "TotalTargetCapacity must be between 1 and 10000");
  request.strategy = params.get(request.spot ? "SpotOptions.AllocationStrategy" : "OnDemandOptions.AllocationStrategy");
  const std::set<std::string> known = request.spot ? std::set<std::string>{"",
                                                                           "lowest-price",
                                                                           "diversified",
                                                                           "capacity-optimized",
                                                                           "capacity-optimized-prioritized",
                                                                           "price-capacity-optimized"}
                                                   : std::set<std::string>{"", "lowest-price", "prioritized"};
  if (!known.contains(request.strategy))
    return deny("InvalidParameterValue",
                "Value (" + request.strategy + ") for parameter AllocationStrategy is invalid.");
  return {};
}

Outcome<Request> read_request(const Params& params) {
  Request request;
  AWS_TRY(read_target(params, request));
  auto configs = params.structs("LaunchTemplateConfigs");
  if (configs.empty() || configs.size() > kMaxConfigs)
    return deny("InvalidParameterValue", "LaunchTemplateConfigs must have between 1 and 50 elements");
  for (const Params& config : configs) {
    Params specification = config.sub("LaunchTemplateSpecification");
    auto overrides = config.structs("Overrides");
    if (overrides.empty()) overrides.emplace_back();
    for (Params& wanted : overrides) {
      double priority = std::strtod(std::string(wanted.get("Priority")).c_str(), nullptr);
      request.overrides.push_back({specification, std::move(wanted), priority, {}});
    }
  }
  return request;
}

// "/racks/2": the template's placement group and partition number. The caller holds world.mutex.
std::string group_of(const World& world, const Params& specification) {
  const auto t = world.launch_template(specification);
  if (!t) return {};
  const auto group = world.placement_groups.find(std::string((*t)->data.get("Placement.GroupId")));
  if (group == world.placement_groups.end()) return {};
  const std::string partition((*t)->data.get("Placement.PartitionNumber"));
  return "/" + group->second.name + (partition.empty() ? "" : "/" + partition);
}

// Calls the fault hook, which is the test's code, without the world's lock.
void ask_faults(World& world, Request& request) {
  if (!world.options.fault) return;
  std::map<std::string, std::string, std::less<>> zones;
  std::vector<std::string> groups;
  {
    const std::lock_guard lock(world.mutex);
    for (const Subnet& subnet : world.subnets) zones[subnet.id] = subnet.zone;
    for (const Override& o : request.overrides) groups.push_back(group_of(world, o.config));
  }
  for (size_t i = 0; i < request.overrides.size(); ++i) {
    Override& o = request.overrides[i];
    std::string zone(o.wanted.get("AvailabilityZone"));
    if (auto home = zones.find(o.wanted.get("SubnetId")); home != zones.end()) zone = home->second;
    o.fault = world.options.fault("CreateFleet/" + std::string(o.wanted.get("InstanceType")) + "/" + zone + "/" +
                                  (request.spot ? "spot" : "on-demand") + groups[i]);
  }
}

struct Candidate {
  const Override* what;
  LaunchSpec spec;
};

// Returns the overrides that can launch, best first; adds the others to `failures`.
Outcome<std::vector<Candidate>> rank(World& world, const Request& request, std::vector<Failure>& failures) {
  std::vector<Candidate> candidates;
  for (const Override& o : request.overrides) {
    const LaunchTemplate* t = AWS_TRY(world.launch_template(o.config));
    LaunchRequest launch_request{.launch_template = t,
                                 .instance_type = std::string(o.wanted.get("InstanceType")),
                                 .image_id = std::string(o.wanted.get("ImageId")),
                                 .subnet_id = std::string(o.wanted.get("SubnetId")),
                                 .zone = std::string(o.wanted.get("AvailabilityZone")),
                                 .spot = request.spot,
                                 .data = {}};
    auto spec = resolve_launch(world, launch_request);
    if (spec) {
      candidates.push_back({&o, std::move(*spec)});
    } else {
      failures.push_back({&o, t, spec.error()});
    }
  }
  bool by_priority = request.strategy == "prioritized" || request.strategy == "capacity-optimized-prioritized";
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (by_priority && a.what->priority != b.what->priority) return a.what->priority < b.what->priority;
    return a.spec.price < b.spec.price;
  });
  return candidates;
}

std::string fault_message(const std::string& code, const LaunchSpec& spec) {
  if (code == "InsufficientInstanceCapacity")
    return "We currently do not have sufficient " + spec.facts->name +
           " capacity in the Availability Zone you requested (" + spec.subnet->zone + ").";
  return "The request for " + spec.facts->name + " in " + spec.subnet->zone + " could not be fulfilled.";
}

void write_override(const Override& o, const LaunchTemplate* t, Xml& out) {
  out.element("launchTemplateAndOverrides", [&] {
    out.element("launchTemplateSpecification", [&] {
      if (!t) return;
      out.text("launchTemplateId", t->id).text("launchTemplateName", t->name).text("version", "1");
    });
    out.element("overrides", [&] {
      constexpr std::pair<const char*, const char*> kNames[] = {{"InstanceType", "instanceType"},
                                                                {"SubnetId", "subnetId"},
                                                                {"AvailabilityZone", "availabilityZone"},
                                                                {"Priority", "priority"},
                                                                {"ImageId", "imageId"}};
      for (const auto& [parameter, element] : kNames)
        if (o.wanted.has(parameter)) out.text(element, o.wanted.get(parameter));
    });
  });
}

std::string write_answer(const std::string& fleet_id, bool spot, const std::vector<FleetInstances>& launched_overrides,
                         const std::vector<Failure>& failures) {
  Xml out;
  const char* lifecycle = spot ? "spot" : "on-demand";
  out.text("fleetId", fleet_id);
  out.list("errorSet", failures, [&](const Failure& failure) {
    write_override(*failure.what, failure.launch_template, out);
    out.text("lifecycle", lifecycle).text("errorCode", failure.error.code).text("errorMessage", failure.error.message);
  });
  out.list("fleetInstanceSet", launched_overrides, [&](const FleetInstances& b) {
    write_override(*b.what, b.spec.launch_template, out);
    out.text("lifecycle", lifecycle).texts("instanceIds", b.ids).text("instanceType", b.spec.facts->name);
    if (!b.spec.image->platform.empty()) out.text("platform", "Windows");
  });
  return out.str();
}

// Launches instances from the candidates in order until the target capacity is reached.
std::vector<FleetInstances> launch_instances(World& world, const Request& request, std::vector<Candidate> candidates,
                                             LaunchOrder order, std::vector<Failure>& failures) {
  std::vector<FleetInstances> launched_overrides;
  int64_t missing = request.capacity;
  for (Candidate& candidate : candidates) {
    if (missing == 0) break;
    const LaunchTemplate* t = candidate.spec.launch_template;
    if (const std::string& code = candidate.what->fault; !code.empty()) {
      failures.push_back({candidate.what, t, asked_for(code, fault_message(code, candidate.spec))});
      continue;
    }
    FleetInstances instances{candidate.what, candidate.spec, {}};
    for (; missing > 0; --missing) {
      order.reservation_id = world.new_id("r-");
      auto instance = launch(world, candidate.spec, order);
      if (!instance) {
        failures.push_back({candidate.what, t, instance.error()});
        break;
      }
      instances.ids.push_back((*instance)->id);
    }
    if (!instances.ids.empty()) launched_overrides.push_back(std::move(instances));
  }
  return launched_overrides;
}

}  // namespace

Outcome<void> create_fleet(World& world, const Params& params, Xml& out) {
  Request request = AWS_TRY(read_request(params));
  Tags tags = AWS_TRY(tags_for(params, "instance"));
  if (!params.flag("DryRun")) ask_faults(world, request);
  bool launched = false;
  {
    Instant now = world.runtime.now();
    std::lock_guard lock(world.mutex);
    world.settle(now);
    if (auto answer = AWS_TRY(world.recall("CreateFleet", params, now))) {
      out.raw(*answer);
      return {};
    }
    std::vector<Failure> failures;
    auto candidates = AWS_TRY(rank(world, request, failures));
    if (params.flag("DryRun")) return dry_run_succeeded();
    std::string fleet_id = "fleet-" + world.new_uuid();
    LaunchOrder order{tags, fleet_id, {}, std::string(params.get("ClientToken")), now};
    auto launched_overrides = launch_instances(world, request, std::move(candidates), order, failures);
    std::string answer = write_answer(fleet_id, request.spot, launched_overrides, failures);
    world.remember("CreateFleet", params, answer, now);
    out.raw(answer);
    launched = !launched_overrides.empty();
  }
  if (launched) world.announce();
  return {};
}

}  // namespace tenon::awssim::ec2

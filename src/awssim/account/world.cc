// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "awssim/account/events.h"
#include "base/check.h"
#include "base/text.h"

namespace tenon::awssim {
namespace {

constexpr uint32_t kVpcNetwork = 10u << 24;
constexpr uint32_t kReservedHead = 4, kReservedTail = 1;  // of each subnet
constexpr int kSubnetPrefix = 19;

uint64_t mixed(uint64_t z) {  // a bijection: different counters give different ids
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string hex16(uint64_t value) {
  char buffer[17];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

std::string dotted(uint32_t address, char separator) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (!out.empty()) out += separator;
    out += std::to_string((address >> shift) & 255);
  }
  return out;
}

// "us-west-2" → "usw2", the prefix of zone ids.
std::string short_region(std::string_view region) {
  auto parts = split(region, '-');
  std::string out(parts.front());
  for (size_t i = 1; i < parts.size(); ++i) out += parts[i].substr(0, 1);
  return out;
}

// The demo's zones, under their names in the region.
std::vector<ZoneInfo> zones_of(const FakeAwsOptions& options) {
  std::vector<ZoneInfo> zones;
  for (const catalog::Zone& zone : catalog::demo_zones()) {
    std::string name = options.region + zone.name.back();
    zones.push_back(
        {name, short_region(options.region) + std::string(zone.id.substr(zone.id.find('-'))), zone.spot_percent});
  }
  return zones;
}

std::vector<const catalog::InstanceFacts*> types_of(const FakeAwsOptions& options) {
  if (options.instance_types.empty()) return catalog::demo_instance_types();
  std::set<std::string> names(options.instance_types.begin(), options.instance_types.end());
  std::vector<const catalog::InstanceFacts*> types;
  for (const std::string& name : names) {
    const catalog::InstanceFacts* facts = catalog::find_instance_type(name);
    CHECK(facts != nullptr, name);
    types.push_back(facts);
  }
  return types;
}

}  // namespace

std::string Subnet::cidr() const { return dotted(network, '.') + "/" + std::to_string(prefix); }

int64_t Subnet::free_addresses() const {
  return (int64_t{1} << (32 - prefix)) - kReservedHead - kReservedTail - static_cast<int64_t>(taken.size());
}

World::World(runtime::Runtime& the_runtime, FakeAwsOptions the_options)
    : runtime(the_runtime),
      options(std::move(the_options)),
      changed(runtime.make_event()),
      arrived(runtime.make_event()),
      zones(zones_of(options)),
      types(types_of(options)) {
  const std::string discovery = "karpenter.sh/discovery";
  uint32_t network = kVpcNetwork;
  for (const ZoneInfo& zone : zones) {
    Subnet subnet;
    subnet.id = new_id("subnet-");
    subnet.zone = zone.name;
    subnet.zone_id = zone.id;
    subnet.network = network;
    subnet.prefix = kSubnetPrefix;
    subnet.tags = {{discovery, options.cluster_name}, {"Name", options.cluster_name + "-private-" + subnet.zone}};
    subnets.push_back(subnet);
    network += 1u << (32 - kSubnetPrefix);
  }
  security_groups.push_back({new_id("sg-"),
                             options.cluster_name + "-nodes",
                             "Nodes of " + options.cluster_name,
                             {{discovery, options.cluster_name}}});
  Role role{"KarpenterNodeRole-" + options.cluster_name, "AROA" + new_id(""), runtime.now()};
  roles.emplace(role.name, role);
  // That of the CloudFormation template of Karpenter v0.27, whose node templates name profiles, not roles.
  const std::string profile = "KarpenterNodeInstanceProfile-" + options.cluster_name;
  profiles.emplace(profile, InstanceProfile{profile,
                                            "/",
                                            "AIPA" + role.id.substr(4),
                                            arn("iam", "instance-profile/" + profile),
                                            runtime.now(),
                                            {},
                                            {role.name}});
  add_images(*this);
}

std::string World::new_id(std::string_view prefix) { return std::string(prefix) + "0" + hex16(mixed(++counter_)); }

std::string World::new_uuid() {
  std::string a = hex16(mixed(++counter_)), b = hex16(mixed(++counter_));
  return a.substr(0, 8) + "-" + a.substr(8, 4) + "-4" + a.substr(13, 3) + "-a" + b.substr(1, 3) + "-" + b.substr(4);
}

std::string World::new_message_id() {
  const std::string a = hex16(mixed(~++message_counter_));  // inverted: the other counter's numbers are small
  return a.substr(0, 8) + "-" + a.substr(8, 4) + "-4" + a.substr(13, 3) + "-b" + a.substr(1, 3) + "-" + a.substr(4);
}

std::string World::new_key() { return hex16(++counter_); }

std::string World::arn(std::string_view service, std::string_view resource) const {
  std::string region = service == "iam" ? "" : options.region;
  return "arn:aws:" + std::string(service) + ":" + region + ":" + std::string(kAccount) + ":" + std::string(resource);
}

std::string_view World::state_of(const FakeReservation& reservation, Instant now) {
  if (reservation.cancelled) return "cancelled";
  return now >= reservation.ends_at ? "expired" : "active";
}

int64_t World::free_places(const FakeReservation& reservation, Instant now) const {
  if (state_of(reservation, now) != "active") return 0;
  int64_t free = reservation.instances;
  for (const auto& [key, instance] : instances) {
    if (instance.capacity_reservation_id == reservation.id && instance.state != "terminated") --free;
  }
  return free;
}

// Terminates the instances of capacity blocks that end soon.
void World::empty_blocks(Instant now) {
  for (const auto& [id, reservation] : reservations) {
    if (!reservation.block || reservation.ends_at == kNever || now < reservation.ends_at - kBlockReclaimed) continue;
    for (auto& [key, instance] : instances) {
      if (instance.capacity_reservation_id == id) end(instance, "The capacity block ends", now);
    }
  }
}

void World::settle(Instant now) {
  empty_blocks(now);
  for (auto at = instances.begin(); at != instances.end();) {
    Instance& instance = at->second;
    if (instance.state == "pending" && now >= instance.running_at) {
      instance.state = "running";
      publish_state(instance, instance.running_at);
    }
    if (instance.state == "shutting-down" && now >= instance.terminated_at) {
      instance.state = "terminated";
      if (Subnet* home = subnet(instance.subnet_id)) home->taken.erase(instance.address_offset);
      publish_state(instance, instance.terminated_at);
    }
    bool forgotten = instance.state == "terminated" && now >= instance.terminated_at + kTerminatedListedFor;
    if (forgotten) instance_keys.erase(instance.id);
    at = forgotten ? instances.erase(at) : std::next(at);
  }
}

Instant World::next_change() const {
  Instant next = kNever;
  for (const auto& [key, instance] : instances) {
    if (instance.state == "pending") next = std::min(next, instance.running_at);
    if (instance.state == "shutting-down") next = std::min(next, instance.terminated_at);
    const auto home = reservations.find(instance.capacity_reservation_id);
    const bool lives = instance.state == "pending" || instance.state == "running";
    if (lives && home != reservations.end() && home->second.block) {
      next = std::min(next, home->second.ends_at - kBlockReclaimed);
    }
  }
  return next;
}

void World::publish_state(const Instance& instance, Instant at) {
  while (!deliveries.empty() && at - deliveries.front().at >= kMessageRetention) deliveries.pop_front();
  deliveries.push_back({state_change_event(*this, instance, new_message_id(), at), at});
}

void World::publish(const Instance& instance, Notice notice, Instant at) {
  deliveries.push_back({notice_event(*this, instance, notice, new_message_id(), at), at});
}

const catalog::InstanceFacts* World::type(std::string_view name) const {
  auto at = std::lower_bound(types.begin(), types.end(), name,
                             [](const catalog::InstanceFacts* facts, std::string_view n) { return facts->name < n; });
  return at != types.end() && (*at)->name == name ? *at : nullptr;
}

const ZoneInfo* World::zone(std::string_view name) const {
  for (const ZoneInfo& zone : zones)
    if (zone.name == name) return &zone;
  return nullptr;
}

model::Price World::scaled(const catalog::InstanceFacts& facts, model::Price price) const {
  auto factor = price_factors.find(facts.name);
  if (factor == price_factors.end()) return price;
  return model::Price(std::llround(static_cast<double>(price.value()) * factor->second));
}

std::optional<model::Price> World::on_demand_price(const catalog::InstanceFacts& facts) const {
  if (!facts.on_demand) return std::nullopt;
  return scaled(facts, *facts.on_demand);
}

std::optional<model::Price> World::spot_price(const catalog::InstanceFacts& facts, std::string_view name) const {
  const ZoneInfo* where = zone(name);
  if (!where) return std::nullopt;
  auto price = catalog::demo_spot_price(facts, {where->name, where->id, where->spot_percent});
  if (!price) return std::nullopt;
  return scaled(facts, *price);
}

Subnet* World::subnet(std::string_view id) {
  for (Subnet& subnet : subnets)
    if (subnet.id == id) return &subnet;
  return nullptr;
}

const SecurityGroup* World::security_group(std::string_view id) const {
  for (const SecurityGroup& group : security_groups)
    if (group.id == id) return &group;
  return nullptr;
}

Instance* World::instance(std::string_view id) {
  auto key = instance_keys.find(id);
  return key == instance_keys.end() ? nullptr : &instances.at(key->second);
}

void World::end(Instance& instance, std::string reason, Instant now) {
  if (instance.state != "pending" && instance.state != "running") return;
  instance.state = "shutting-down";
  instance.state_reason = std::move(reason);
  instance.terminated_at = now + options.shutting_down_for;
  publish_state(instance, now);
}

Outcome<const LaunchTemplate*> World::launch_template(std::string_view id, std::string_view name) const {
  for (const auto& [key, candidate] : launch_templates)
    if ((!id.empty() && key == id) || (id.empty() && candidate.name == name)) return &candidate;
  if (!id.empty())
    return deny("InvalidLaunchTemplateId.NotFound",
                "The specified launch template, with template ID " + std::string(id) + ", does not exist.");
  return deny("InvalidLaunchTemplateName.NotFoundException",
              "The specified launch template, with template name " + std::string(name) + ", does not exist.");
}

Outcome<const LaunchTemplate*> World::launch_template(const Params& specification) const {
  const LaunchTemplate* found =
      AWS_TRY(launch_template(specification.get("LaunchTemplateId"), specification.get("LaunchTemplateName")));
  std::string_view version = specification.get("Version");
  if (!version.empty() && version != "$Latest" && version != "$Default" && version != "1")
    return deny("InvalidLaunchTemplateId.VersionNotFound",
                "Could not find launch template version '" + std::string(version) + "'.");
  return found;
}

std::optional<uint32_t> World::take_address(Subnet& subnet) {
  uint32_t size = 1u << (32 - subnet.prefix);
  if (subnet.free_addresses() <= 0) return std::nullopt;
  uint32_t usable = size - kReservedHead - kReservedTail;
  while (true) {
    uint32_t offset = kReservedHead + subnet.next;
    subnet.next = (subnet.next + 1) % usable;
    if (subnet.taken.insert(offset).second) return offset;
  }
}

std::string World::address_text(const Subnet& subnet, uint32_t offset) const {
  return dotted(subnet.network + offset, '.');
}

std::string World::private_dns_name(const std::string& address) const {
  std::string host = "ip-" + address;
  std::replace(host.begin(), host.end(), '.', '-');
  return host + (options.region == "us-east-1" ? ".ec2.internal" : "." + options.region + ".compute.internal");
}

Outcome<std::optional<std::string>> World::recall(const std::string& action, const Params& params, Instant now) {
  std::string token(params.get("ClientToken"));
  if (token.empty() || params.flag("DryRun")) return std::nullopt;  // a dry run does not return an earlier launch
  std::erase_if(remembered, [&](const auto& entry) { return now - entry.second.at > kClientTokenValidFor; });
  auto found = remembered.find({action, token});
  if (found == remembered.end()) return std::nullopt;
  if (found->second.fingerprint != params.fingerprint({"DryRun"}))
    return deny("IdempotentParameterMismatch",
                "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).");
  return found->second.answer;
}

void World::remember(const std::string& action, const Params& params, std::string answer, Instant now) {
  std::string token(params.get("ClientToken"));
  if (!token.empty()) remembered[{action, token}] = {params.fingerprint({"DryRun"}), std::move(answer), now};
}

}  // namespace tenon::awssim

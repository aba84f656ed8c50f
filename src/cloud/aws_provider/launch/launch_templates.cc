// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_templates.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cloud/aws_provider/util/stable_hash.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kNamePrefix = "karpenter.k8s.aws/";
// EC2 rejects IPv6 metadata options in these regions.
constexpr std::array<std::string_view, 6> kRegionsWithoutIpv6Metadata = {
    "us-iso-east-1", "us-iso-west-1", "us-isob-east-1", "us-isob-west-1", "us-isof-south-1", "us-isof-east-1"};

std::string hash_of(const aws::LaunchTemplateInput& t) {
  StableHash hash;
  hash.add(t.image_id).add(t.instance_profile).add(t.user_data).add(t.http_endpoint).add(t.http_protocol_ipv6);
  hash.add(t.http_tokens).add_number(static_cast<uint64_t>(t.http_hop_limit)).add(t.reservation_preference);
  hash.add_optional(t.associate_public_ip).add_number(t.detailed_monitoring ? 1 : 0);
  for (const aws::TemplateInterface& interface : t.interfaces) {
    hash.add_number(static_cast<uint64_t>(interface.card)).add_number(static_cast<uint64_t>(interface.device));
    hash.add(interface.type);
  }
  const aws::ConnectionTracking tracking = t.connection_tracking.value_or(aws::ConnectionTracking{});
  hash.add_optional(tracking.tcp_established).add_optional(tracking.udp_stream).add_optional(tracking.udp);
  hash.add_optional(t.ip_prefixes).add_number(t.ipv6 ? 1 : 0).add(t.nested_virtualization).add(t.tenancy);
  hash.add(t.reservation_id).add(t.market_type).add(t.placement_group_id);
  hash.add_number(static_cast<uint64_t>(t.partition));
  for (const aws::EbsDevice& device : t.devices) {
    hash.add(device.device_name).add(device.volume_type).add(device.kms_key_id).add(device.snapshot_id);
    hash.add_optional(device.size_gib).add_optional(device.iops).add_optional(device.throughput);
    hash.add_optional(device.initialization_rate).add_optional(device.encrypted);
    hash.add_optional(device.delete_on_termination);
  }
  for (const std::string& group : t.security_group_ids) hash.add(group);
  for (const aws::TagSpecification& specification : t.resource_tags) {
    hash.add(specification.resource_type).add_map(specification.tags);
  }
  if (t.enclaves) hash.add("enclaves");
  return std::to_string(hash.add_map(t.tags).value());
}

bool has_ipv6(const std::string& address) { return address.find(':') != std::string::npos; }

// Returns the class's own interfaces; else an EFA on each of the first network cards, if pods request EFAs; else one
// plain interface.
std::vector<aws::TemplateInterface> interfaces_of(const model::NodeClass& node_class, int64_t efas) {
  std::vector<aws::TemplateInterface> interfaces;
  for (const model::NetworkInterface& own : node_class.network_interfaces) {
    interfaces.push_back({own.network_card, own.device, own.efa_only ? "efa-only" : "interface"});
  }
  if (!interfaces.empty()) return interfaces;
  for (int64_t card = 0; card < efas; ++card) interfaces.push_back({card, card == 0 ? 0 : 1, "efa"});
  return interfaces.empty() ? std::vector<aws::TemplateInterface>{{}} : interfaces;
}

}  // namespace

bool has_efas(const model::NodeClass& node_class) {
  const auto& all = node_class.network_interfaces;
  return std::any_of(all.begin(), all.end(), [](const auto& interface) { return interface.efa_only; });
}

Result<aws::LaunchTemplateInput> make_template(const TemplateInput& input) {
  const model::NodeClass& node_class = input.node_class;
  aws::LaunchTemplateInput out;
  out.image_id = input.image_id;
  out.instance_profile = node_class.resolved_instance_profile;
  out.user_data = base64_encode(TRY(render_user_data(input.bootstrap)));
  out.devices = block_devices(node_class, input.bootstrap.family);
  for (const auto& group : node_class.security_groups) out.security_group_ids.push_back(group.id);
  out.interfaces = interfaces_of(node_class, input.efa_interfaces);
  out.ip_prefixes = node_class.ip_prefix_count;
  out.ipv6 = has_ipv6(input.bootstrap.service_cidr) || has_ipv6(input.bootstrap.dns_ip);
  if (const auto& tracking = node_class.connection_tracking) {
    out.connection_tracking = {tracking->tcp_established, tracking->udp_stream, tracking->udp};
  }
  out.nested_virtualization = node_class.nested_virtualization;
  out.tenancy = input.tenancy;
  out.associate_public_ip = node_class.associate_public_ip;
  out.detailed_monitoring = node_class.detailed_monitoring.value_or(false);
  out.enclaves = input.enclaves;
  const model::MetadataOptions metadata = node_class.metadata_options.value_or(model::MetadataOptions{});
  out.http_endpoint = metadata.http_endpoint;
  const auto& without = kRegionsWithoutIpv6Metadata;
  if (std::find(without.begin(), without.end(), input.region) == without.end()) {
    out.http_protocol_ipv6 = metadata.http_protocol_ipv6;
  }
  out.http_tokens = metadata.http_tokens;
  out.http_hop_limit = metadata.http_put_response_hop_limit;
  // Instances must not start in open capacity reservations by accident.
  if (input.knows_reservations) out.reservation_preference = input.reservation_id.empty() ? "none" : kReservationsOnly;
  out.reservation_id = input.reservation_id;
  out.market_type = input.market_type;
  out.placement_group_id = input.placement_group_id;
  out.partition = input.partition;
  out.resource_tags = {{"network-interface", input.tags}};
  if (input.spot) out.resource_tags.push_back({"spot-instances-request", input.tags});
  out.tags = input.tags;
  out.name = std::string(kNamePrefix) + hash_of(out);
  return out;
}

Result<std::string> LaunchTemplates::ensure(const TemplateInput& input, const std::stop_token& stop) {
  aws::LaunchTemplateInput wanted = TRY(make_template(input));
  const Instant now = services_.client.runtime().now();
  {
    const std::scoped_lock lock(mutex_);
    used_at_[wanted.name] = now;
    const auto it = verified_until_.find(wanted.name);
    if (it != verified_until_.end() && now < it->second) {
      it->second = now + kTemplateVerified;
      return wanted.name;
    }
  }
  const auto found = services_.ec2.find_launch_template(wanted.name, stop);
  if (!found) {
    if (found.error().code != Code::kNotFound) return fail(found.error());
    wanted.client_token = services_.client.make_token();
    const auto made = services_.ec2.create_launch_template(wanted, stop);
    if (!made && made.error().code != Code::kAlreadyExists) return fail(made.error());
  }
  const std::scoped_lock lock(mutex_);
  verified_until_[wanted.name] = now + kTemplateVerified;
  return wanted.name;
}

void LaunchTemplates::forget(const std::vector<std::string>& names) {
  const std::scoped_lock lock(mutex_);
  for (const std::string& name : names) verified_until_.erase(name);
}

bool LaunchTemplates::used_lately(const std::string& name, Instant now) const {
  const std::scoped_lock lock(mutex_);
  const auto it = used_at_.find(name);
  return it != used_at_.end() && now < it->second + kTemplateIdle;
}

Status LaunchTemplates::remove(const std::string& node_class, bool only_idle, const std::stop_token& stop) {
  const aws::Filters filters = {{"tag:" + std::string(kTagCluster), {cluster_}},
                                {"tag:" + std::string(model::kLabelNodeClass), {node_class}}};
  const Instant now = services_.client.runtime().now();
  Status first = ok();  // a template that cannot be deleted does not block the others
  for (const aws::LaunchTemplate& found : TRY(services_.ec2.describe_launch_templates(filters, stop))) {
    if (!found.name.starts_with(kNamePrefix)) continue;
    if (only_idle && (used_lately(found.name, now) || now < found.created_at + kTemplateIdle)) continue;
    auto deleted = services_.ec2.delete_launch_template(found.id, stop);
    if (!deleted && deleted.error().code != Code::kNotFound) {
      if (first) first = std::move(deleted);
      continue;
    }
    const std::scoped_lock lock(mutex_);
    verified_until_.erase(found.name);
    used_at_.erase(found.name);
  }
  return first;
}

Status LaunchTemplates::remove_all(const std::string& node_class, const std::stop_token& stop) {
  return remove(node_class, false, stop);
}

Status LaunchTemplates::sweep(const std::string& node_class, const std::stop_token& stop) {
  const Instant now = services_.client.runtime().now();
  {
    const std::scoped_lock lock(mutex_);
    const auto [it, first] = next_sweep_.try_emplace(node_class, now + kTemplateIdle);
    if (first || now < it->second) return ok();
    it->second = now + kTemplateIdle;
  }
  Status removed = remove(node_class, true, stop);
  if (!removed) {
    const std::scoped_lock lock(mutex_);
    next_sweep_[node_class] = now + kSweepRetry;
  }
  return removed;
}

}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/codec/common.h"
#include "legacy/convert_parts.h"
#include "model/generations.h"

namespace tenon::kube::codec {
namespace {

std::vector<model::SelectorTerm> read_terms(const Field& terms) {
  std::vector<model::SelectorTerm> out;
  for (const Field& t : terms.items()) {
    out.push_back({.tags = t["tags"].string_map(),
                   .id = t["id"].text(),
                   .name = t["name"].text(),
                   .owner = t["owner"].text(),
                   .alias = t["alias"].text(),
                   .ssm_parameter = t["ssmParameter"].text()});
  }
  return out;
}

std::vector<model::ReservationTerm> read_reservation_terms(const Field& terms) {
  std::vector<model::ReservationTerm> out;
  for (const Field& t : terms.items()) {
    out.push_back({t["tags"].string_map(), t["id"].text(), t["ownerID"].text(), t["instanceMatchCriteria"].text()});
  }
  return out;
}

model::ResolvedReservation read_reservation(const Field& r) {
  model::ResolvedReservation out{r["id"].text(), r["availabilityZone"].text(), r["instanceType"].text(),
                                 r["ownerID"].text(), r["instanceMatchCriteria"].text()};
  out.type = r["reservationType"].text(out.type);
  out.state = r["state"].text(out.state);
  out.interruptible = r["interruptible"].boolean();
  out.ends_at = parse_rfc3339(r["endTime"].text());
  return out;
}

json::value write_reservation(const model::ResolvedReservation& r) {
  json::object out{{"id", r.id},
                   {"availabilityZone", r.zone},
                   {"instanceType", r.instance_type},
                   {"ownerID", r.owner},
                   {"instanceMatchCriteria", r.match_criteria},
                   {"reservationType", r.type},
                   {"state", r.state}};
  if (r.interruptible) out["interruptible"] = true;
  if (r.ends_at) out["endTime"] = format_rfc3339(*r.ends_at);
  return out;
}

std::vector<model::BlockDevice> read_block_devices(const Field& mappings) {
  std::vector<model::BlockDevice> out;
  for (const Field& m : mappings.items()) {
    const Field ebs = m["ebs"];
    model::BlockDevice device;
    device.device_name = m["deviceName"].text();
    device.root_volume = m["rootVolume"].boolean();
    device.volume_type = ebs["volumeType"].text();
    device.kms_key_id = ebs["kmsKeyID"].text();
    device.snapshot_id = ebs["snapshotID"].text();
    if (ebs["volumeSize"].present()) device.volume_size = ebs["volumeSize"].quantity();
    device.encrypted = ebs["encrypted"].optional_boolean();
    device.delete_on_termination = ebs["deleteOnTermination"].optional_boolean();
    device.iops = ebs["iops"].optional_integer();
    device.throughput = ebs["throughput"].optional_integer();
    device.volume_initialization_rate = ebs["volumeInitializationRate"].optional_integer();
    out.push_back(std::move(device));
  }
  return out;
}

model::KubeletConfig read_kubelet(const Field& kubelet) {
  const auto amounts = [&kubelet](std::string_view key) {
    model::StringMap out;
    for (const auto& [name, amount] : kubelet[key].members()) out.emplace(name, amount.text_or_number());
    return out;
  };
  model::KubeletConfig out;
  out.cluster_dns = kubelet["clusterDNS"].texts();
  out.max_pods = kubelet["maxPods"].optional_int32();
  out.pods_per_core = kubelet["podsPerCore"].optional_int32();
  out.system_reserved = amounts("systemReserved");
  out.kube_reserved = amounts("kubeReserved");
  out.eviction_hard = amounts("evictionHard");
  out.eviction_soft = amounts("evictionSoft");
  out.eviction_soft_grace_period = kubelet["evictionSoftGracePeriod"].string_map();
  out.eviction_max_pod_grace_period = kubelet["evictionMaxPodGracePeriod"].optional_int32();
  out.image_gc_high_threshold_percent = kubelet["imageGCHighThresholdPercent"].optional_int32();
  out.image_gc_low_threshold_percent = kubelet["imageGCLowThresholdPercent"].optional_int32();
  out.cpu_cfs_quota = kubelet["cpuCFSQuota"].optional_boolean();
  return out;
}

model::MetadataOptions read_metadata_options(const Field& options) {
  model::MetadataOptions out;
  out.http_endpoint = options["httpEndpoint"].text(out.http_endpoint);
  out.http_protocol_ipv6 = options["httpProtocolIPv6"].text(out.http_protocol_ipv6);
  out.http_tokens = options["httpTokens"].text(out.http_tokens);
  out.http_put_response_hop_limit = options["httpPutResponseHopLimit"].integer(out.http_put_response_hop_limit);
  return out;
}

std::vector<model::NetworkInterface> read_network_interfaces(const Field& interfaces) {
  std::vector<model::NetworkInterface> out;
  for (const Field& i : interfaces.items()) {
    out.push_back(
        {i["networkCardIndex"].integer(0), i["deviceIndex"].integer(0), i["interfaceType"].text() == "efa-only"});
  }
  return out;
}

void read_spec(const Field& spec, model::NodeClass& out) {
  out.ami_selector_terms = read_terms(spec["amiSelectorTerms"]);
  out.subnet_selector_terms = read_terms(spec["subnetSelectorTerms"]);
  out.security_group_selector_terms = read_terms(spec["securityGroupSelectorTerms"]);
  out.reservation_selector_terms = read_reservation_terms(spec["capacityReservationSelectorTerms"]);
  out.placement_group = {spec["placementGroupSelector"]["id"].text(), spec["placementGroupSelector"]["name"].text()};
  out.ami_family = spec["amiFamily"].text();
  out.user_data = spec["userData"].text();
  out.role = spec["role"].text();
  out.instance_profile = spec["instanceProfile"].text();
  out.context = spec["context"].text();
  out.associate_public_ip = spec["associatePublicIPAddress"].optional_boolean();
  out.detailed_monitoring = spec["detailedMonitoring"].optional_boolean();
  out.instance_store_policy = spec["instanceStorePolicy"].text();
  out.tags = spec["tags"].string_map();
  out.block_devices = read_block_devices(spec["blockDeviceMappings"]);
  out.kubelet = read_kubelet(spec["kubelet"]);
  out.network_interfaces = read_network_interfaces(spec["networkInterfaces"]);
  if (const Field tracking = spec["connectionTracking"]; tracking.present()) {
    out.connection_tracking = {tracking["tcpEstablishedTimeout"].optional_integer(),
                               tracking["udpStreamTimeout"].optional_integer(),
                               tracking["udpTimeout"].optional_integer()};
  }
  out.nested_virtualization = spec["cpuOptions"]["nestedVirtualization"].text();
  out.ip_prefix_count = spec["ipPrefixCount"].optional_integer();
  if (spec["metadataOptions"].present()) out.metadata_options = read_metadata_options(spec["metadataOptions"]);
}

// Karpenter's conversion of a v1beta1 class of Ubuntu without terms, which v1 does not have. No image has this id.
void restore_ubuntu(model::NodeClass& node_class) {
  const bool placeholder =
      node_class.ami_selector_terms.size() == 1 &&
      node_class.ami_selector_terms.front() == model::SelectorTerm{.id = std::string(legacy::kNoImage)};
  if (node_class.ami_family != "AL2" || !placeholder) return;
  node_class.ami_family = "Ubuntu";
  node_class.ami_selector_terms.clear();
}

void read_status(const Field& status, model::NodeClass& out) {
  for (const Field& s : status["subnets"].items()) {
    out.subnets.push_back({s["id"].text(), s["zone"].text(), s["zoneID"].text()});
  }
  for (const Field& g : status["securityGroups"].items()) {
    out.security_groups.push_back({g["id"].text(), g["name"].text()});
  }
  for (const Field& a : status["amis"].items()) {
    out.amis.push_back(
        {a["id"].text(), a["name"].text(), a["deprecated"].boolean(), read_requirements(a["requirements"], true)});
  }
  for (const Field& r : status["capacityReservations"].items()) out.reservations.push_back(read_reservation(r));
  out.resolved_instance_profile = status["instanceProfile"].text();
  out.conditions = read_conditions(status["conditions"]);
}

}  // namespace

Result<model::NodeClass> decode_node_class(const json::value& document, std::string* fault) {
  if (json::string_at(document, {"apiVersion"}) == "karpenter.k8s.aws/v1beta1") {
    return decode_node_class(legacy::convert_v1beta1_class(document), fault);
  }
  Problem problem(document, fault);
  const Field node_class(document, problem);
  model::NodeClass out;
  out.meta = read_meta(node_class["metadata"]);
  read_spec(node_class["spec"], out);
  restore_ubuntu(out);
  read_status(node_class["status"], out);
  return problem.take(std::move(out));
}

model::KubeletConfig decode_kubelet(const json::value& kubelet, std::string& fault) {
  Problem problem(kubelet, &fault);
  return *problem.take(read_kubelet(Field(kubelet, problem)));  // a fault is no error
}

json::value encode(const model::NodeClass& node_class) {
  json::array subnets, groups, amis, reservations;
  for (const model::ResolvedSubnet& s : node_class.subnets) {
    json::object subnet{{"id", s.id}, {"zone", s.zone}};
    if (!s.zone_id.empty()) subnet["zoneID"] = s.zone_id;
    subnets.push_back(std::move(subnet));
  }
  for (const model::ResolvedSecurityGroup& g : node_class.security_groups) {
    json::object group{{"id", g.id}};
    if (!g.name.empty()) group["name"] = g.name;
    groups.push_back(std::move(group));
  }
  for (const model::ResolvedAmi& a : node_class.amis) {
    json::object ami{{"id", a.id}, {"requirements", write_requirements(a.requirements)}};
    if (!a.name.empty()) ami["name"] = a.name;
    if (a.deprecated) ami["deprecated"] = true;
    amis.push_back(std::move(ami));
  }
  for (const model::ResolvedReservation& r : node_class.reservations) reservations.push_back(write_reservation(r));
  json::object status;
  if (!subnets.empty()) status["subnets"] = std::move(subnets);
  if (!groups.empty()) status["securityGroups"] = std::move(groups);
  if (!amis.empty()) status["amis"] = std::move(amis);
  if (!reservations.empty()) status["capacityReservations"] = std::move(reservations);
  if (!node_class.resolved_instance_profile.empty()) status["instanceProfile"] = node_class.resolved_instance_profile;
  if (!node_class.conditions.empty()) status["conditions"] = write_conditions(node_class.conditions);
  if (model::is_inline_provider(node_class.meta.name)) {  // the rest of the status belongs to the pool
    json::object of_the_class = std::move(status);
    status = json::object{{"provider", std::move(of_the_class)}};
  }
  return json::object{{"apiVersion", "karpenter.k8s.aws/v1"},
                      {"kind", "EC2NodeClass"},
                      {"metadata", write_meta(node_class.meta)},
                      {"status", std::move(status)}};
}

}  // namespace tenon::kube::codec

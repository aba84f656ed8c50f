// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/instance_types.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "catalog/formulas.h"
#include "cloud/aws_provider/resources/amis.h"
#include "cloud/aws_provider/types/compatibility.h"
#include "cloud/aws_provider/types/reserved_offerings.h"
#include "cloud/aws_provider/util/kubelet_hash.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr Duration kMarketRetry = 1min;
constexpr size_t kMaxCachedClasses = 256;
constexpr size_t kUnpricedNamed = 5;  // number of types without a price that a warning names

std::string label_text(const std::string& name) {
  std::string text = to_lower(name);
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void set_devices(const aws::InstanceTypeInfo& info, catalog::InstanceFacts& facts) {
  for (const aws::GpuInfo& gpu : info.gpus) {
    facts.gpus.push_back({label_text(gpu.name), label_text(gpu.manufacturer), gpu.count, gpu.memory_mib});
  }
  const bool neuron = !info.neuron_devices.empty();
  const auto& devices = neuron ? info.neuron_devices : info.inference_accelerators;
  if (devices.size() != 1) return;
  const aws::AcceleratorInfo& device = devices.front();
  facts.accelerator = catalog::Accelerator{label_text(device.name), neuron ? "aws" : label_text(device.manufacturer),
                                           device.count, device.count * device.cores};
}

void hash_requirements(StableHash& hash, const std::vector<model::RequirementSpec>& requirements) {
  for (const model::RequirementSpec& spec : requirements) {
    hash.add(spec.key).add(model::to_string(spec.op));
    for (const std::string& value : spec.values) hash.add(value);
  }
}

// Labels the type with the partitions in which one of its offerings is available; with all partitions if none is.
void add_group_labels(const aws::PlacementGroup& group, const OfferingContext& context, model::InstanceType& type) {
  type.labels[std::string(model::kLabelPlacementGroupId)] = {group.id};
  std::set<int64_t> open;
  for (const model::Offering& offering : type.offerings) {
    if (!offering.available) continue;
    open.merge(open_partitions({type.name, offering.zone, offering.capacity_type, group.id}, context));
  }
  std::vector<std::string> partitions;
  for (int64_t partition = 1; partition <= group.partitions; ++partition) {
    if (open.empty() || open.contains(partition)) partitions.push_back(std::to_string(partition));
  }
  if (!partitions.empty()) type.labels[std::string(model::kLabelPlacementGroupPartition)] = std::move(partitions);
}

// Returns true if a list that was built with `before` would be the same with `now`: each type has the memory that `now`
// gives it. The memory of a new node is often the estimate.
bool has_memory(const std::vector<model::InstanceType>& types, const BytesByType& before, const BytesByType& now) {
  const auto is_known = [&now](const auto& entry) { return now.contains(entry.first); };
  if (!std::all_of(before.begin(), before.end(), is_known)) return false;  // its value expired
  return std::all_of(now.begin(), now.end(), [&](const auto& entry) {
    const auto known = before.find(entry.first);
    if (known != before.end()) return known->second == entry.second;
    const auto type = std::lower_bound(types.begin(), types.end(), entry.first,
                                       [](const auto& a, const std::string& name) { return a.name < name; });
    return type == types.end() || type->name != entry.first || type->capacity.get(model::kMemory) == entry.second;
  });
}

}  // namespace

catalog::InstanceFacts to_facts(const aws::InstanceTypeInfo& info) {
  catalog::InstanceFacts facts;
  facts.name = info.name;
  catalog::set_name_facts(facts, info.name);
  // The first architecture that Kubernetes has a name for.
  for (const std::string& architecture : info.architectures) {
    if (architecture != "x86_64" && architecture != "arm64") continue;
    facts.arch = architecture == "x86_64" ? "amd64" : "arm64";
    break;
  }
  facts.cpu_manufacturer = to_lower(info.cpu_manufacturer);
  facts.hypervisor = info.hypervisor;
  facts.bare_metal = info.bare_metal;
  facts.encryption_in_transit = info.encryption_in_transit;
  facts.nested_virtualization = info.nested_virtualization;
  facts.ena = info.ena;
  facts.placement_strategies = info.placement_strategies;
  facts.spot = contains(info.usage_classes, "spot");
  facts.vcpus = info.vcpus;
  facts.memory_mib = info.memory_mib;
  facts.clock_mhz = std::llround(info.clock_ghz * 1000);
  facts.local_disk_gb = info.instance_store_gb;
  facts.local_nvme_gb = info.instance_store_nvme ? info.instance_store_gb : 0;
  facts.ebs_mbps = info.ebs_optimized_default ? info.ebs_max_mbps : 0;
  facts.enis = info.max_enis;
  facts.network_cards = std::max<int64_t>(1, info.network_cards);
  facts.default_card_enis = info.default_card_enis;
  facts.ipv4_per_eni = info.ipv4_per_eni;
  facts.efas = info.efa_interfaces;
  set_devices(info, facts);
  const catalog::NetworkFacts unreported = catalog::network_facts(info.name);
  facts.network_mbps = unreported.network_mbps;
  facts.branch_enis = unreported.branch_enis;
  return facts;
}

std::set<int64_t> open_partitions(OfferingKey place, const OfferingContext& context) {
  std::set<int64_t> open;
  for (place.partition = 1; place.partition <= context.partitions; ++place.partition) {
    if (!context.unavailable.unavailable(place, context.now)) open.insert(place.partition);
  }
  return open;
}

std::vector<model::Offering> offerings_of(const Market::Entry& entry, const std::vector<model::ResolvedSubnet>& subnets,
                                          const OfferingContext& context) {
  struct ZoneInfo {
    std::string id;
    bool has_addresses = false;
  };
  std::map<std::string, ZoneInfo> zones;
  for (const model::ResolvedSubnet& subnet : subnets) {
    if (!entry.zones.contains(subnet.zone)) continue;
    ZoneInfo& zone = zones[subnet.zone];
    zone.id = subnet.zone_id;
    zone.has_addresses |= !context.unavailable.subnet_unavailable(subnet.id, context.now);
  }
  std::vector<model::Offering> offerings;
  const auto add = [&](const std::string& zone, const ZoneInfo& info, std::string_view capacity_type,
                       std::optional<model::Price> price) {
    if (!price && !context.node_overlays) return;
    model::Offering offering;
    offering.zone = zone;
    offering.zone_id = info.id;
    offering.capacity_type = capacity_type;
    offering.price = price.value_or(model::Price());
    const OfferingKey place{entry.facts.name, zone, offering.capacity_type, context.placement_group};
    offering.available = info.has_addresses && !context.unavailable.zone_shifted(info.id) &&
                         !context.unavailable.unavailable(place, context.now) &&
                         (context.partitions == 0 || !open_partitions(place, context).empty());
    offering.only_lacks_price = !price && std::exchange(offering.available, false);
    offerings.push_back(std::move(offering));
  };
  for (const auto& [zone, info] : zones) {
    if (entry.on_demand) {
      add(zone, info, model::kCapacityOnDemand, context.prices.on_demand_price(entry.facts.name));
    }
    if (entry.spot) add(zone, info, model::kCapacitySpot, context.prices.spot_price(entry.facts.name, zone));
  }
  return offerings;
}

InstanceTypeList::InstanceTypeList(Services services, Options options)
    : services_(services),
      options_(std::move(options)),
      market_(services.runtime, {.good_for = kTypeTtl, .retry_after = kMarketRetry}) {}

Result<Market> InstanceTypeList::load(const std::stop_token& stop) {
  std::map<std::string, std::set<std::string>> zones;
  for (const aws::InstanceTypeOffering& offering : TRY(services_.ec2.describe_instance_type_offerings(stop))) {
    zones[offering.instance_type].insert(offering.zone);
  }
  Market market;
  for (const aws::InstanceTypeInfo& info : TRY(services_.ec2.describe_instance_types(stop))) {
    Market::Entry entry{to_facts(info), zones[info.name]};
    entry.on_demand = contains(info.usage_classes, "on-demand");
    entry.spot = contains(info.usage_classes, "spot");
    if (!entry.facts.arch.empty()) market.types.push_back(std::move(entry));
  }
  std::sort(market.types.begin(), market.types.end(),
            [](const auto& a, const auto& b) { return a.facts.name < b.facts.name; });
  return market;
}

std::string InstanceTypeList::cache_key(const model::NodeClass& node_class, uint64_t price_version) const {
  StableHash hash;
  for (const model::ResolvedSubnet& subnet : node_class.subnets)
    hash.add(subnet.id).add(subnet.zone).add(subnet.zone_id);
  for (const model::ResolvedAmi& ami : node_class.amis) hash_requirements(hash, ami.requirements);
  for (const model::ResolvedReservation& reservation : node_class.reservations) {
    hash.add(reservation.id).add(reservation.zone).add(reservation.instance_type).add(reservation.state);
    hash.add_number(static_cast<uint64_t>(services_.reservations.left(reservation.id)));
  }
  if (const auto group = services_.placement_groups.known(node_class)) {
    hash.add(group->id).add_number(static_cast<uint64_t>(group->partitions));
  }
  hash.add_number(node_class.pod_eni ? 1 : 0).add_number(node_class.eni_limited_pods ? 1 : 0);  // no new generation
  return node_class.meta.uid + "/" + std::to_string(node_class.meta.generation) + "/" + std::to_string(hash.value()) +
         "/" + std::to_string(price_version) + "/" +
         std::to_string(options_.price_file.commitments.empty() ? 0 : services_.running.version()) + "/" +
         std::to_string(services_.unavailable.version(services_.runtime.now()));
}

Result<std::vector<model::InstanceType>> InstanceTypeList::build(const model::NodeClass& node_class,
                                                                 const Market& market, const PriceBook& prices,
                                                                 const BytesByType& learned) const {
  const AmiFamily family = TRY(family_of(node_class));
  catalog::NodeSettings settings = node_settings(node_class, family, options_.limits);
  const AmiChooser amis(node_class.amis);
  const auto group = services_.placement_groups.known(node_class);
  const OfferingContext context{prices,
                                services_.unavailable,
                                services_.runtime.now(),
                                group ? group->id : "",
                                group ? group->partitions : 0,
                                options_.node_overlays};
  std::vector<model::InstanceType> types;
  for (const Market::Entry& entry : market.types) {
    auto offerings = offerings_of(entry, node_class.subnets, context);
    if (options_.reserved_capacity) {
      for (auto& offering : reserved_offerings_of(entry, node_class, services_.reservations, context)) {
        offerings.push_back(std::move(offering));
      }
    }
    if (offerings.empty()) continue;
    const auto memory = learned.find(entry.facts.name);
    settings.memory_bytes = memory == learned.end() ? std::nullopt : std::optional(memory->second);
    model::InstanceType type = TRY(catalog::assemble(entry.facts, settings, options_.region, std::move(offerings)));
    if (group) add_group_labels(*group, context, type);
    type.problem = incompatibility(entry.facts, node_class, {family, group ? group->strategy : ""});
    const bool any_image = !node_class.launch_template.empty() || amis.pick(type) != nullptr;
    if (type.problem.empty() && !any_image) type.problem = "no AMI of the node class boots it";
    if (!type.problem.empty()) {
      for (model::Offering& offering : type.offerings) offering.available = offering.only_lacks_price = false;
    }
    types.push_back(std::move(type));
  }
  catalog::apply_price_file(options_.price_file, options_.region, services_.running.on_demand(), context.now, types);
  return types;
}

Status InstanceTypeList::refresh(const std::stop_token& stop) {
  const auto market = market_.get([&] { return load(stop); }, stop);
  services_.prices.refresh(stop);
  if (!market) return fail(market.error());
  warn_unpriced(**market, *services_.prices.book());
  return ok();
}

Status InstanceTypeList::ensure_known(const std::stop_token& stop) {
  return market_.known() && services_.prices.known() ? ok() : refresh(stop);
}

// Warns once, and again when the list of types changes.
void InstanceTypeList::warn_unpriced(const Market& market, const PriceBook& prices) {
  std::vector<std::string> unpriced;
  for (const Market::Entry& entry : market.types) {
    if (entry.on_demand && !prices.on_demand_price(entry.facts.name)) unpriced.push_back(entry.facts.name);
  }
  {
    const std::scoped_lock lock(mutex_);
    if (unpriced == unpriced_) return;
    unpriced_ = unpriced;
  }
  if (unpriced.empty()) return;
  const size_t named = std::min(unpriced.size(), kUnpricedNamed);
  std::string names = join(std::vector(unpriced.begin(), unpriced.begin() + static_cast<ptrdiff_t>(named)), ", ");
  if (unpriced.size() > named) names += " and " + std::to_string(unpriced.size() - named) + " more";
  options_.log.warn("no on-demand price is known in " + options_.region + " of " + names +
                    ": they are not launched on demand" +
                    (options_.node_overlays ? " unless a NodeOverlay sets one" : ""));
}

Result<InstanceTypes> InstanceTypeList::known(const model::NodeClass& node_class) {
  const auto market = market_.known();
  const auto prices = services_.prices.known();
  if (!market || !prices) return fail(Code::kUnavailable, "the instance types and prices are not known yet");
  return cached(node_class, market, *prices);
}

Result<InstanceTypes> InstanceTypeList::cached(const model::NodeClass& node_class,
                                               const std::shared_ptr<const Market>& market, const PriceBook& prices) {
  const std::string key = cache_key(node_class, prices.version);
  StableHash kubelet;  // Provisioners that share an AWSNodeTemplate may differ in it
  add_kubelet(kubelet, node_class.kubelet);
  const std::string entry = node_class.meta.name + "/" + std::to_string(kubelet.value());
  BytesByType learned = services_.learned.of(node_class.amis, services_.runtime.now());
  const auto find = [&]() -> InstanceTypes {
    const std::scoped_lock lock(mutex_);
    const auto it = cached_.find(entry);
    if (it == cached_.end() || it->second.key != key || it->second.market != market) return nullptr;
    return has_memory(*it->second.types, it->second.learned, learned) ? it->second.types : nullptr;
  };
  if (auto types = find()) return types;
  // A change of the inputs reaches several threads at once, and a list has 10 MB: the first of them builds it.
  const std::scoped_lock one(building_);
  if (auto types = find()) return types;
  auto types =
      std::make_shared<const std::vector<model::InstanceType>>(TRY(build(node_class, *market, prices, learned)));
  const std::scoped_lock lock(mutex_);
  if (cached_.size() >= kMaxCachedClasses) cached_.clear();
  cached_[entry] = {key, market, std::move(learned), types};
  return types;
}

}  // namespace tenon::cloud

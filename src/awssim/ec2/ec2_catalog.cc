// The offer of EC2: instance types, the places that offer them, spot prices.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <set>

#include "awssim/ec2/ec2.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

using catalog::InstanceFacts;

constexpr int64_t kTypesPerPage = 100, kOfferingsPerPage = 1000, kPricesPerPage = 1000;
constexpr Duration kPriceAge = 2h;  // age of the current spot prices
constexpr std::string_view kProduct = "Linux/UNIX";

std::string api_arch(const InstanceFacts& facts) { return facts.arch == "amd64" ? "x86_64" : facts.arch; }

std::string maker_name(const std::string& maker) {
  static const std::map<std::string, std::string> kNames{{"intel", "Intel"},   {"amd", "AMD"},
                                                         {"aws", "AWS"},       {"nvidia", "NVIDIA"},
                                                         {"habana", "Habana"}, {"qualcomm", "Qualcomm"}};
  auto found = kNames.find(maker);
  return found == kNames.end() ? maker : found->second;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// These Xen families predate the Elastic Network Adapter. Of m4, only m4.16xlarge has it.
bool has_ena(const InstanceFacts& facts) {
  static const std::set<std::string_view> kWithout = {"c1", "c3", "c4", "d2", "g2", "i2", "m1",
                                                      "m2", "m3", "m4", "r3", "t1", "t2"};
  return !kWithout.contains(facts.family) || facts.name == "m4.16xlarge";
}

std::vector<std::string> usage_classes(const InstanceFacts& facts) {
  if (!facts.on_demand) return {"capacity-block"};  // a type without a list price is sold in capacity blocks only
  if (!facts.spot) return {"on-demand"};
  return {"on-demand", "spot"};
}

// 3100 → "3.1"
std::string thousandth(int64_t value) {
  std::string digits = std::to_string(value % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  return std::to_string(value / 1000) + "." + digits;
}

void write_network(const InstanceFacts& facts, Xml& out) {
  std::string performance = facts.network_mbps > 0 ? thousandth(facts.network_mbps) + " Gigabit" : "Moderate";
  out.text("networkPerformance", performance);
  out.number("maximumNetworkInterfaces", facts.enis);
  out.number("maximumNetworkCards", facts.network_cards);
  out.number("defaultNetworkCardIndex", 0);
  out.element("networkCards", [&] {
    for (int64_t card = 0; card < facts.network_cards; ++card) {
      // The default card has its own limit. The others share the rest.
      int64_t others = facts.network_cards - 1;
      int64_t enis = card == 0 ? facts.default_card_enis : (facts.enis - facts.default_card_enis) / others;
      out.element("item", [&] {
        out.number("networkCardIndex", card);
        out.text("networkPerformance", performance);
        out.number("maximumNetworkInterfaces", enis);
      });
    }
  });
  out.number("ipv4AddressesPerInterface", facts.ipv4_per_eni);
  out.number("ipv6AddressesPerInterface", facts.ipv4_per_eni);
  out.boolean("ipv6Supported", true);
  out.text("enaSupport", !has_ena(facts) ? "unsupported" : facts.hypervisor == "xen" ? "supported" : "required");
  out.boolean("efaSupported", facts.efas > 0);
  if (facts.efas > 0) out.element("efaInfo", [&] { out.number("maximumEfaInterfaces", facts.efas); });
  out.boolean("encryptionInTransitSupported", facts.encryption_in_transit);
}

void write_devices(const InstanceFacts& facts, Xml& out) {
  if (!facts.gpus.empty()) {
    out.element("gpuInfo", [&] {
      int64_t total_mib = 0;
      out.element("gpus", [&] {
        for (const catalog::Gpu& gpu : facts.gpus) {
          out.element("item", [&] {
            out.text("name", upper(gpu.name)).text("manufacturer", maker_name(gpu.manufacturer));
            out.number("count", gpu.count);
            out.element("memoryInfo", [&] { out.number("sizeInMiB", gpu.memory_mib); });
          });
          total_mib += gpu.memory_mib * std::max<int64_t>(gpu.count, 1);
        }
      });
      out.number("totalGpuMemoryInMiB", total_mib);
    });
  }
  if (!facts.accelerator) return;
  const catalog::Accelerator& accelerator = *facts.accelerator;
  std::string name = accelerator.name;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  if (accelerator.manufacturer != "aws") {
    out.element("inferenceAcceleratorInfo", [&] {
      out.element("accelerators", [&] {
        out.element("member", [&] {
          out.number("count", accelerator.count).text("name", name);
          out.text("manufacturer", maker_name(accelerator.manufacturer));
        });
      });
    });
    return;
  }
  out.element("neuronInfo", [&] {
    out.element("neuronDevices", [&] {
      out.element("item", [&] {
        out.number("count", accelerator.count).text("name", name);
        out.element("coreInfo", [&] { out.number("count", accelerator.cores / accelerator.count); });
      });
    });
  });
}

void write_storage(const InstanceFacts& facts, Xml& out) {
  out.boolean("instanceStorageSupported", facts.local_nvme_gb > 0);
  if (facts.local_nvme_gb > 0) {
    out.element("instanceStorageInfo", [&] {
      out.number("totalSizeInGB", facts.local_nvme_gb);
      out.text("nvmeSupport", "required").text("encryptionSupport", "required");
    });
  }
  out.element("ebsInfo", [&] {
    out.text("ebsOptimizedSupport", facts.ebs_mbps > 0 ? "default" : "unsupported");
    out.text("encryptionSupport", "supported");
    if (facts.ebs_mbps > 0)
      out.element("ebsOptimizedInfo", [&] { out.number("maximumBandwidthInMbps", facts.ebs_mbps); });
    out.text("nvmeSupport", facts.hypervisor == "xen" ? "unsupported" : "required");
  });
}

void write_type(const InstanceFacts& facts, Xml& out) {
  out.text("instanceType", facts.name);
  out.boolean("currentGeneration", facts.generation >= "5").boolean("freeTierEligible", false);
  out.texts("supportedUsageClasses", usage_classes(facts));
  out.texts("supportedRootDeviceTypes", {"ebs"}).texts("supportedVirtualizationTypes", {"hvm"});
  out.boolean("bareMetal", facts.bare_metal);
  if (!facts.hypervisor.empty()) out.text("hypervisor", facts.hypervisor);
  out.element("processorInfo", [&] {
    out.texts("supportedArchitectures", {api_arch(facts)});
    if (facts.clock_mhz > 0) out.text("sustainedClockSpeedInGhz", thousandth(facts.clock_mhz));
    // Nested virtualization: Intel instances since the eighth generation.
    if (facts.generation == "8" && facts.cpu_manufacturer == "intel" && !facts.bare_metal)
      out.texts("supportedFeatures", {"nested-virtualization"});
    if (!facts.cpu_manufacturer.empty()) out.text("manufacturer", maker_name(facts.cpu_manufacturer));
  });
  out.element("vCpuInfo", [&] {
    int64_t threads = facts.arch == "amd64" && facts.vcpus > 1 ? 2 : 1;
    out.number("defaultVCpus", facts.vcpus).number("defaultCores", facts.vcpus / threads);
    out.number("defaultThreadsPerCore", threads);
  });
  out.element("memoryInfo", [&] { out.number("sizeInMiB", facts.memory_mib); });
  write_storage(facts, out);
  out.element("networkInfo", [&] { write_network(facts, out); });
  write_devices(facts, out);
  std::vector<std::string> strategies = {"partition", "spread"};
  if (facts.category != "t") strategies.insert(strategies.begin(), "cluster");
  out.element("placementGroupInfo", [&] { out.texts("supportedStrategies", strategies); });
  out.boolean("hibernationSupported", false).boolean("burstablePerformanceSupported", facts.category == "t");
  out.boolean("dedicatedHostsSupported", true).boolean("autoRecoverySupported", true);
}

Attribute type_attributes(const InstanceFacts& facts) {
  return [&facts](std::string_view name) -> Values {
    if (name == "instance-type") return only(facts.name);
    if (name == "processor-info.supported-architecture") return only(api_arch(facts));
    if (name == "supported-virtualization-type") return only("hvm");
    if (name == "supported-usage-class") return usage_classes(facts);
    if (name == "supported-root-device-type") return only("ebs");
    if (name == "bare-metal") return only(facts.bare_metal ? "true" : "false");
    if (name == "hypervisor") return only(facts.hypervisor);
    if (name == "current-generation") return only(facts.generation >= "5" ? "true" : "false");
    if (name == "vcpu-info.default-vcpus") return only(std::to_string(facts.vcpus));
    if (name == "memory-info.size-in-mib") return only(std::to_string(facts.memory_mib));
    return std::nullopt;
  };
}

Outcome<std::set<std::string>> wanted_types(const World& world, const Params& params) {
  std::set<std::string> wanted;
  std::string unknown;
  for (const std::string& name : params.list("InstanceType")) {
    if (!world.type(name)) unknown += (unknown.empty() ? "" : ", ") + name;
    wanted.insert(name);
  }
  if (!unknown.empty())
    return deny("InvalidInstanceType", "The following supplied instance types do not exist: [" + unknown + "]");
  return wanted;
}

struct Offer {
  std::string type, zone;
};
struct SpotPrice {
  std::string type, zone, usd;
};

}  // namespace

Outcome<void> describe_instance_types(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  PageRequest request = AWS_TRY(page_request(params, kTypesPerPage));
  std::set<std::string> wanted = AWS_TRY(wanted_types(world, params));
  if (!wanted.empty() && request.max_results > 0)
    return deny("InvalidParameterCombination",
                "The parameter InstanceTypes cannot be used with the parameter MaxResults");
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const InstanceFacts*>> found;
  for (const InstanceFacts* facts : world.types) {
    if (!wanted.empty() && !wanted.contains(facts->name)) continue;
    if (AWS_TRY(passes(filters, {}, type_attributes(*facts)))) found.emplace_back(facts->name, facts);
  }
  return write_page(out, "instanceTypeSet", std::move(found), request,
                    [&](const InstanceFacts* facts) { write_type(*facts, out); });
}

Outcome<void> describe_instance_type_offerings(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  std::string location(params.has("LocationType") ? params.get("LocationType") : "region");
  if (location != "region" && location != "availability-zone" && location != "availability-zone-id")
    return deny("InvalidParameterValue", "Value (" + location + ") for parameter LocationType is invalid.");
  std::vector<std::string> places;
  for (const ZoneInfo& zone : world.zones) places.push_back(location == "availability-zone" ? zone.name : zone.id);
  if (location == "region") places = {world.options.region};
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, Offer>> found;
  for (const std::string& place : places) {
    for (const InstanceFacts* facts : world.types) {
      auto attribute = [&](std::string_view name) -> Values {
        if (name == "instance-type") return only(facts->name);
        if (name == "location") return only(place);
        return std::nullopt;
      };
      if (AWS_TRY(passes(filters, {}, attribute)))
        found.emplace_back(place + "/" + facts->name, Offer{facts->name, place});
    }
  }
  return write_page(out, "instanceTypeOfferingSet", std::move(found), AWS_TRY(page_request(params, kOfferingsPerPage)),
                    [&](const Offer& offer) {
                      out.text("instanceType", offer.type).text("locationType", location).text("location", offer.zone);
                    });
}

Outcome<void> describe_availability_zones(World& world, const Params& params, Xml& out) {
  std::lock_guard lock(world.mutex);
  auto filters = filters_of(params);
  auto names = params.list("ZoneName");
  std::vector<const ZoneInfo*> found;
  for (const ZoneInfo& zone : world.zones) {
    auto attribute = [&](std::string_view name) -> Values {
      if (name == "zone-name") return only(zone.name);
      if (name == "zone-id") return only(zone.id);
      if (name == "region-name") return only(world.options.region);
      if (name == "zone-type") return only("availability-zone");
      if (name == "state") return only("available");
      if (name == "opt-in-status") return only("opt-in-not-required");
      return std::nullopt;
    };
    if (!names.empty() && std::find(names.begin(), names.end(), zone.name) == names.end()) continue;
    if (AWS_TRY(passes(filters, {}, attribute))) found.push_back(&zone);
  }
  out.list("availabilityZoneInfo", found, [&](const ZoneInfo* zone) {
    out.text("zoneName", zone->name).text("zoneState", "available").text("regionName", world.options.region);
    out.text("zoneId", zone->id).text("zoneType", "availability-zone").text("optInStatus", "opt-in-not-required");
    out.text("groupName", world.options.region).text("networkBorderGroup", world.options.region);
    out.element("messageSet", [] {});
  });
  return {};
}

Outcome<void> describe_spot_price_history(World& world, const Params& params, Xml& out) {
  Instant since = world.runtime.now() - kPriceAge;
  std::lock_guard lock(world.mutex);
  std::set<std::string> wanted = AWS_TRY(wanted_types(world, params));
  auto products = params.list("ProductDescription");
  bool for_linux = products.empty() || std::find(products.begin(), products.end(), kProduct) != products.end();
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, SpotPrice>> found;
  for (const InstanceFacts* facts : world.types) {
    if (!for_linux || (!wanted.empty() && !wanted.contains(facts->name))) continue;
    for (const ZoneInfo& zone : world.zones) {
      auto price = world.spot_price(*facts, zone.name);
      auto attribute = [&](std::string_view name) -> Values {
        if (name == "availability-zone") return only(zone.name);
        if (name == "instance-type") return only(facts->name);
        if (name == "product-description") return only(std::string(kProduct));
        return std::nullopt;
      };
      if (std::string_view only = params.get("AvailabilityZone"); !only.empty() && only != zone.name) continue;
      if (price && AWS_TRY(passes(filters, {}, attribute)))
        found.emplace_back(facts->name + "/" + zone.name, SpotPrice{facts->name, zone.name, model::format_usd(*price)});
    }
  }
  return write_page(out, "spotPriceHistorySet", std::move(found), AWS_TRY(page_request(params, kPricesPerPage)),
                    [&](const SpotPrice& price) {
                      out.text("instanceType", price.type).text("productDescription", kProduct);
                      out.text("spotPrice", price.usd).time("timestamp", since);
                      out.text("availabilityZone", price.zone).text("availabilityZoneId", world.zone(price.zone)->id);
                    });
}

}  // namespace tenon::awssim::ec2

// Facts about EC2 instance types and their list prices, compiled in from data/catalog. The controllers read what the
// API does not report (network bandwidth, branch interfaces), the fake AWS serves all of it, and `tenon plan` falls
// back on it.
//
//   const catalog::InstanceFacts* m5 = catalog::find_instance_type("m5.large");
//
// The tables are parsed once and never change: any thread may read them. Prices are exact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/price.h"

namespace tenon::catalog {

struct Gpu {
  std::string name;          // t4, radeon-pro-v520
  std::string manufacturer;  // nvidia, amd, habana
  int64_t count = 0;         // 0: a fraction of one GPU
  int64_t memory_mib = 0;    // of one GPU
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// Inferentia, Trainium (manufacturer aws) and inference cards of other manufacturers.
struct Accelerator {
  std::string name, manufacturer;
  int64_t count = 0;
  int64_t cores = 0;  // of all of them together; 0 if the manufacturer is not aws
  friend bool operator==(const Accelerator&, const Accelerator&) = default;
};

struct InstanceFacts {
  std::string name;                  // m7i-flex.2xlarge
  std::string category, generation;  // m, 7
  std::string family, size;          // m7i-flex, 2xlarge
  std::string arch;                  // amd64 or arm64
  std::string cpu_manufacturer;      // intel, amd, aws; empty if unknown
  std::string hypervisor;            // nitro, xen; empty for bare metal
  bool bare_metal = false;
  bool flex = false;
  bool encryption_in_transit = false;
  bool nested_virtualization = false;                  // from the API only
  bool ena = true;                                     // its interfaces are ENAs; from the API only
  std::vector<std::string> placement_strategies = {};  // cluster, partition, spread; from the API only; empty: any
  bool demo = false;                                   // in the demo's catalog
  bool spot = true;                                    // AWS offers it as spot
  int64_t vcpus = 0;
  int64_t memory_mib = 0;
  // 0 in any of these: none, or unknown.
  int64_t clock_mhz = 0;
  int64_t local_nvme_gb = 0;  // in total
  int64_t local_disk_gb = 0;  // of any kind; from the API only
  int64_t ebs_mbps = 0;
  int64_t network_mbps = 0;
  int64_t enis = 0;  // of all network cards
  int64_t network_cards = 1;
  int64_t default_card_enis = 0;
  int64_t ipv4_per_eni = 0;
  int64_t branch_enis = 0;
  int64_t efas = 0;
  std::vector<Gpu> gpus;  // one entry for each kind; labels describe GPUs only if there is exactly one kind
  std::optional<Accelerator> accelerator;
  std::optional<model::Price> on_demand;  // std::nullopt: not on the price list
  friend bool operator==(const InstanceFacts&, const InstanceFacts&) = default;
};

struct Zone {
  std::string_view name;  // us-east-1a
  std::string_view id;    // use1-az1
  int spot_percent;       // spot price in the demo, in percent of the list price
};

inline constexpr std::string_view kRegion = "us-east-1";  // of the price list and of the demo

// By name.
std::span<const InstanceFacts> all_instance_types();
// Null if there is no such type.
const InstanceFacts* find_instance_type(std::string_view name);
// Facts about a type that the API does not report. They cover more types than find_instance_type(): for the others, all
// other facts come from the API only. 0: none, or not published.
struct NetworkFacts {
  int64_t network_mbps = 0;  // sustained
  int64_t branch_enis = 0;   // trunk branch interfaces (the resource vpc.amazonaws.com/pod-eni)
};
NetworkFacts network_facts(std::string_view name);

// Returns the built-in on-demand list price of a type in a partition ("aws": that of us-east-1; "aws-us-gov"), in US
// dollars. std::nullopt: the type is not on the list, or there is no list for the partition. The list of another
// partition is never used instead: its prices differ, and in China so does the currency.
// parity: provider-aws pkg/providers/pricing (zz_generated tables), but that falls back to us-east-1 everywhere.
std::optional<model::Price> list_price(std::string_view partition, std::string_view name);

// Returns the instance types of the demo, by name.
std::vector<const InstanceFacts*> demo_instance_types();
std::span<const Zone> demo_zones();
// Returns the spot price in the demo, a share of the list price; std::nullopt if the type has no list price or no spot
// offerings.
std::optional<model::Price> demo_spot_price(const InstanceFacts& facts, const Zone& zone);

// Sets name, category, generation, family, size, flex, bare_metal and spot from the name, as Karpenter parses names.
// parity: karpenter-provider-aws pkg/providers/instancetype/types.go (instanceTypeScheme)
void set_name_facts(InstanceFacts& facts, std::string_view name);

}  // namespace tenon::catalog

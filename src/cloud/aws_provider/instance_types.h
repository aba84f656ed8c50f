// The instance types that a node class can have, with offerings and prices.
// parity: provider-aws pkg/providers/instancetype
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "catalog/catalog.h"
#include "catalog/price_file.h"
#include "cloud/aws_provider/ami_family.h"
#include "cloud/aws_provider/capacity_reservations.h"
#include "cloud/aws_provider/learned_memory.h"
#include "cloud/aws_provider/placement_groups.h"
#include "cloud/aws_provider/prices.h"
#include "cloud/aws_provider/refreshed.h"
#include "cloud/aws_provider/running_instances.h"
#include "cloud/aws_provider/unavailable_offerings.h"
#include "cloud/provider.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kTypeTtl = 12h;

// What EC2 says about a type, with what it does not say (network bandwidth, branch interfaces) from the catalog. Pure.
catalog::InstanceFacts to_facts(const aws::InstanceTypeInfo& info);

// Everything EC2 has, before any node class.
struct Market {
  struct Entry {
    catalog::InstanceFacts facts;
    std::set<std::string> zones;
    bool on_demand = false, spot = false;
  };
  std::vector<Entry> types;  // by name
};

struct OfferingContext {
  const PriceBook& prices;
  const UnavailableOfferings& unavailable;
  Instant now{};
  std::string placement_group = {};  // into which the class launches; empty: none
  bool node_overlays = false;        // what has no price is listed: an overlay may set one
};
// The offerings of one type in the zones of these subnets. Pure but for the locks of `unavailable`.
std::vector<model::Offering> offerings_of(const Market::Entry& entry, const std::vector<model::ResolvedSubnet>& subnets,
                                          const OfferingContext& context);

// Thread rule: any thread.
class InstanceTypeList {
 public:
  struct Services {
    aws::Ec2& ec2;
    Prices& prices;
    UnavailableOfferings& unavailable;
    CapacityReservations& reservations;
    PlacementGroups& placement_groups;
    const LearnedMemory& learned;
    const RunningInstancesOfCluster& running;
    runtime::Runtime& runtime;
  };
  struct Options {
    std::string region;
    NodeLimits limits;
    bool reserved_capacity = true;  // the feature gates
    bool node_overlays = false;
    catalog::PriceFile price_file = {};
  };
  InstanceTypeList(Services services, Options options);

  // By the class's status (subnets, AMIs); cached until something of it changes. A type that no AMI of the class boots
  // has no available offering. Errors: those of EC2 before the first answer; kInvalid: a kubelet setting that is no
  // quantity.
  Result<InstanceTypes> list(const model::NodeClass& node_class, const std::stop_token& stop);
  // The same without asking AWS. Errors: kUnavailable: it was not asked yet; kInvalid.
  Result<InstanceTypes> known(const model::NodeClass& node_class);

 private:
  Result<InstanceTypes> cached(const model::NodeClass& node_class, const std::shared_ptr<const Market>& market,
                               const PriceBook& prices);
  Result<Market> load(const std::stop_token& stop);
  std::string cache_key(const model::NodeClass& node_class, uint64_t price_version) const;
  Result<std::vector<model::InstanceType>> build(const model::NodeClass& node_class, const Market& market,
                                                 const PriceBook& prices) const;

  const Services services_;
  const Options options_;
  Refreshed<Market> market_;
  struct Cached {
    std::string key;
    std::shared_ptr<const Market> market;
    InstanceTypes types;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Cached> cached_;  // by class name
};

}  // namespace tenon::cloud

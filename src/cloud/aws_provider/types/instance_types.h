// The instance types that a node class can launch, with offerings and prices.
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
#include "cloud/aws_provider/resources/ami_family.h"
#include "cloud/aws_provider/resources/capacity_reservations.h"
#include "cloud/aws_provider/resources/placement_groups.h"
#include "cloud/aws_provider/types/learned_memory.h"
#include "cloud/aws_provider/types/prices.h"
#include "cloud/aws_provider/types/running_instances.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "cloud/provider.h"
#include "log/log.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kTypeTtl = 12h;

// Combines EC2's description of a type with what EC2 does not describe (network bandwidth, branch interfaces), from the
// catalog. Pure.
catalog::InstanceFacts to_facts(const aws::InstanceTypeInfo& info);

// The instance types and zones of the region, independent of any node class.
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
  std::string placement_group = {};  // id of the group that the class launches into; empty: none
  int64_t partitions = 0;            // of the group
  bool node_overlays = false;        // offerings without a price are listed: an overlay may set one
};
// Returns the partitions of the context's placement group in which the offering is not marked unavailable (`partition`
// of `place` is ignored). Pure except for the locks of `unavailable`.
std::set<int64_t> open_partitions(OfferingKey place, const OfferingContext& context);
// Returns the offerings of one type in the zones of these subnets. Pure except for the locks of `unavailable`.
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
    tenon::log::Logger log = {};  // warnings about types without a price
  };
  InstanceTypeList(Services services, Options options);

  // Requests types from EC2 and prices from AWS if the cached ones have expired, and blocks. Errors: those of EC2 if no
  // types are cached.
  Status refresh(const std::stop_token& stop);
  // Does the same, but only for what is not cached yet.
  Status ensure_known(const std::stop_token& stop);

  // Returns the types by the class's status (subnets, AMIs); cached until an input changes. Sends no request. A type
  // that is incompatible with the class, or that none of its AMIs boots, has no available offering. Errors:
  // kUnavailable before the first refresh; kInvalid: a kubelet setting that is no quantity.
  Result<InstanceTypes> known(const model::NodeClass& node_class);

 private:
  Result<InstanceTypes> cached(const model::NodeClass& node_class, const std::shared_ptr<const Market>& market,
                               const PriceBook& prices);
  Result<Market> load(const std::stop_token& stop);
  void warn_unpriced(const Market& market, const PriceBook& prices);
  std::string cache_key(const model::NodeClass& node_class, uint64_t price_version) const;
  Result<std::vector<model::InstanceType>> build(const model::NodeClass& node_class, const Market& market,
                                                 const PriceBook& prices, const BytesByType& learned) const;

  const Services services_;
  const Options options_;
  Refreshed<Market> market_;
  struct Cached {
    std::string key;
    std::shared_ptr<const Market> market;
    BytesByType learned;  // of the build
    InstanceTypes types;
  };
  std::mutex building_;  // taken before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, Cached> cached_;  // by class name and configuration of the kubelet
  std::vector<std::string> unpriced_;     // types of the last warning, by name
};

}  // namespace tenon::cloud

// The zones that a zonal shift moves the cluster's traffic away from. Nothing is launched in them (UnavailableOfferings
// holds their ids), and EC2 is not queried for their instances, since its answers about an impaired zone may be wrong.
// parity: provider-aws pkg/providers/arczonalshift
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/zonal_shift.h"
#include "cloud/aws_provider/resources/cluster.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"
#include "cloud/provider.h"

namespace tenon::cloud {

// Thread rule: any thread.
class ZonalShifts {
 public:
  struct Services {
    aws::ZonalShift& arc;
    ClusterInfo& cluster;
    UnavailableOfferings& unavailable;
  };
  explicit ZonalShifts(Services services) : services_(services) {}

  // Requests the shifted zones and stores them; after an error the last ones remain. Sorted by id; a zone has no name
  // if none was learned. Errors: kNotFound, the cluster is not enrolled.
  Result<std::vector<Zone>> refresh(const std::stop_token& stop);
  // Learns the names of zones from the subnets of a class.
  void learn_names(const model::NodeClass& node_class);

  // By name; false for a zone whose id was never learned.
  bool is_away(const std::string& zone) const;
  std::string zone_id(const std::string& zone) const;  // empty if not learned
  // Returns kUnavailable if traffic is shifted away from the zone.
  Status check(const std::string& zone) const;
  // Adds instances of earlier lists that are missing in this one and whose zone is shifted: their absence does not mean
  // that they are terminated. Stores the result for the next call.
  std::vector<Instance> with_hidden(std::vector<Instance> listed);

 private:
  const Services services_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> ids_;  // by zone name
  std::map<std::string, Instance> listed_;  // by provider id
};

}  // namespace tenon::cloud

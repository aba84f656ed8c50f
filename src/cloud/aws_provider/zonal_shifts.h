// The zones that traffic of the cluster is shifted away from. Nothing is launched there (UnavailableOfferings knows
// them), and EC2 is not asked about what runs there: the zone may answer wrongly, and what it answers must not count.
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
#include "cloud/aws_provider/cluster.h"
#include "cloud/aws_provider/unavailable_offerings.h"
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

  // Asks, and keeps the answer; after an error the last one stands. By id; without a name where none was learned.
  // Errors: kNotFound, the cluster is not enrolled.
  Result<std::vector<Zone>> refresh(const std::stop_token& stop);
  // The names of zones, from the subnets of a class.
  void learn_names(const model::NodeClass& node_class);

  // By name: a zone whose id was never learned is not shifted.
  bool is_away(const std::string& zone) const;
  std::string zone_id(const std::string& zone) const;  // empty if none was learned
  // kUnavailable if the zone is shifted away from.
  Status check(const std::string& zone) const;
  // Of every known instance, those that a list left out although their zone is shifted: it does not say that they are
  // gone. Keeps the whole for the next time.
  std::vector<Instance> with_hidden(std::vector<Instance> listed);

 private:
  const Services services_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> ids_;  // by zone name
  std::map<std::string, Instance> listed_;  // by provider id
};

}  // namespace tenon::cloud

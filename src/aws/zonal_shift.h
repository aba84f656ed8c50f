// ARC zonal shift: the zones from which AWS shifts the traffic of a resource away. Wire: REST-JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "aws/client.h"

namespace tenon::aws {

struct ManagedResource {
  std::string arn;
  // By zone id ("use1-az1"): 1, or 0 if an active shift moves traffic away from the zone.
  std::map<std::string, double> applied_weights;
};

// Thread rule: any thread.
class ZonalShift {
 public:
  explicit ZonalShift(Client& client) : client_(client) {}
  // Errors: kNotFound (the resource is not registered for zonal shifts), and those of Client::call.
  Result<ManagedResource> get_managed_resource(const std::string& arn, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws

// Reads what the cloud reports about the health of instances and zones.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/instance.h"
#include "cloud/interruption.h"

namespace tenon::cloud {

class HealthReader {
 public:
  virtual ~HealthReader() = default;

  // Returns the instances of any cluster that have been unhealthy for long enough or have a scheduled event, by id.
  // Errors: kForbidden, the permission is missing.
  virtual Result<std::vector<SickInstance>> sick_instances(const std::stop_token& stop) = 0;

  // Requests the zones, by id, that a zonal shift moves the cluster's traffic away from. Until the next result, nothing
  // is launched in them, and requests about instances in them return kUnavailable. Errors: kNotFound, the cluster is
  // not enrolled.
  virtual Result<std::vector<Zone>> shifted_zones(const std::stop_token& stop) = 0;

  virtual std::vector<RepairPolicy> repair_policies() const = 0;
};

}  // namespace tenon::cloud

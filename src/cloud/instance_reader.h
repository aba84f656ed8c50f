// Reads instances.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/instance.h"

namespace tenon::cloud {

class InstanceReader {
 public:
  virtual ~InstanceReader() = default;

  // Errors: kNotFound, the instance is terminated.
  virtual Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) = 0;
  // Returns every instance of this cluster that is not terminated.
  virtual Result<std::vector<Instance>> list(const std::stop_token& stop) = 0;

  // Returns the NodePools of lost instances, one entry for each. A lost instance was in the list() before the last one
  // but not in the last one, and neither did we terminate it nor did the cloud announce its end. Each is returned once.
  virtual std::vector<std::string> take_lost() { return {}; }
};

}  // namespace tenon::cloud

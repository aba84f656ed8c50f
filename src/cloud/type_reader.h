// Reads instance types, with offerings and prices.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/result.h"
#include "cloud/instance.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

class TypeReader {
 public:
  virtual ~TypeReader() = default;

  // Returns the types that can launch from this node class, with offerings, prices, and unavailable offerings marked.
  // Cached; sends requests to the cloud once the cache has expired. Errors: kConflict (the node class is not ready),
  // kUnavailable (its readiness is not known yet), those of the calls.
  virtual Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) = 0;

  // Returns the same from the cache: sends no request, never blocks. Errors: kConflict, as above; kUnavailable, also if
  // nothing is cached yet.
  virtual Result<InstanceTypes> known_types(const model::NodeClass& node_class) = 0;

  // Records the resources that a Node of this claim reports. Later instance_types() uses them for the claim's type
  // (AWS: memory only, the lowest value for the same AMIs).
  virtual void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
                     const model::Resources& capacity) = 0;
};

}  // namespace tenon::cloud

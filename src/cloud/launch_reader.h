// Reads facts about launches: about an instance that has joined, and about errors of a launch.
// Thread rule: every call may come from any thread; calls block on the network and honour `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/instance.h"
#include "model/instance_type.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

class LaunchReader {
 public:
  virtual ~LaunchReader() = default;

  // Determines the facts about the instance that the launch did not return, once the claim's Node has joined. Called
  // again until `pending` is empty.
  // parity: karpenter pkg/cloudprovider NodeLifecycleHook
  virtual BeforeRegistration before_registration(const model::NodeClaim&, const model::NodeClass&,
                                                 const std::stop_token&) {
    return {};
  }
  // Returns the reason of the claim's condition for a launch error: "Unauthorized", "LaunchFailed", …
  virtual std::string launch_failure(const Error& error) const = 0;
  // Returns the highest price of the offerings that a launch of the claim from `types` may request now. Pure; sends no
  // request. Errors: kInsufficientCapacity: the launch could request none; others: the price is unknown.
  virtual Result<model::Price> highest_price(const model::NodeClaim&, const std::vector<model::InstanceType>&) const {
    return fail(Code::kUnavailable, "this cloud does not predict prices");
  }
  // Returns a Warning event for the claim if the error's cause goes beyond this launch; std::nullopt for most errors.
  virtual std::optional<LaunchWarning> launch_warning(const Error&) const { return std::nullopt; }
};

}  // namespace tenon::cloud

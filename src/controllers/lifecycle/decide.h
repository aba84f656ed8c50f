// What a NodeClaim needs next, from its own state and the Node that joined for it. Pure.
// parity: karpenter pkg/controllers/nodeclaim/lifecycle
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cloud/provider.h"
#include "plan/plan.h"

namespace tenon::controllers::lifecycle {

inline constexpr Duration kLaunchTtl = 5min;         // Launched must not stay Unknown longer
inline constexpr Duration kRegistrationTtl = 15min;  // nor Registered
inline constexpr size_t kMaxConditionMessage = 300;  // characters of a launch error that a condition carries

struct View {
  model::NodeClaim claim;
  std::vector<model::Node> nodes;  // with the claim's provider id
  Instant now{};
  cloud::BeforeRegistration before_registration = {};  // if it is due
};

// A Node has joined and waits for its registration: the provider is to be asked what it must know.
bool registers(const View& view);
// Our finalizer holds the claim and Launched is still open: the cloud must be asked.
bool needs_launch(const model::NodeClaim& claim);
// The claim after the cloud answered.
plan::Plan decide_launched(const View& view, const cloud::Instance& instance);
// `reason`: the provider's word for the error. `warning`: what it says of it beside that.
plan::Plan decide_launch_failed(const View& view, const Error& error, const std::string& reason = "LaunchFailed",
                                const std::optional<cloud::LaunchWarning>& warning = {});
// There is no node class of that name, or not for much longer: the claim goes. parity: cloudprovider.go Create
plan::Plan decide_class_missing(const View& view, bool deleting);
// The launch would pass a limit of the NodePool: the claim goes.
plan::Plan decide_over_limits(const View& view, const std::string& which);

// Finalizer, node class label, registration, initialization and liveness of a claim that is not being deleted.
plan::Plan decide(const View& view);

// What a plan of decide() says of the NodePool's health: a claim registered, or was given up and why.
struct Outcome {
  bool registered = false;
  std::string reason, message;  // of the failure
};
std::optional<Outcome> outcome_of(const plan::Plan& plan);

// A claim that is being deleted: its Nodes first, then (`instance_gone`: what the cloud answered last, nothing if it
// was not asked yet) the instance, then the finalizer.
struct Ending {
  plan::Plan plan;
  bool ask_cloud = false;  // the instance is to be ended now
};
Ending decide_ending(const View& view, std::optional<bool> instance_gone);

}  // namespace tenon::controllers::lifecycle

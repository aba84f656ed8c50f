// Decides what a NodeClaim needs next, from its own state and the Node that joined for it. Pure.
// parity: karpenter pkg/controllers/nodeclaim/lifecycle
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cloud/provider.h"
#include "plan/plan.h"
#include "state/caps.h"

namespace tenon::controllers::lifecycle {

inline constexpr Duration kLaunchTtl = 5min;         // Launched must not stay Unknown longer
inline constexpr Duration kRegistrationTtl = 15min;  // nor Registered
inline constexpr size_t kMaxConditionMessage = 300;  // characters of a launch error in a condition

struct View {
  model::NodeClaim claim;
  std::vector<model::Node> nodes;  // with the claim's provider id
  Instant now{};
  cloud::BeforeRegistration before_registration = {};  // if a registration is due
};

// True if a Node has joined and awaits its registration: the provider is called first (before_registration).
bool registers(const View& view);
// True if our finalizer is on the claim and Launched is still open: a launch is due.
bool needs_launch(const model::NodeClaim& claim);
// Returns the changes of the claim after the cloud's answer.
plan::Plan decide_launched(const View& view, const cloud::Instance& instance);
// Returns the provider id of the running instance that the claim adopts (model::kAnnotationInstance); empty: the claim
// gets a new instance.
std::string adopted_instance(const model::NodeClaim& claim);
// Returns the changes of a claim that adopts an instance, whose Node is in the view. Without an instance (std::nullopt:
// it has ended) the claim is deleted.
plan::Plan decide_adopted(const View& view, std::optional<cloud::Instance> instance);
// `reason`: the provider's reason for the error. `warning`: the provider's additional event.
plan::Plan decide_launch_failed(const View& view, const Error& error, const std::string& reason = "LaunchFailed",
                                const std::optional<cloud::LaunchWarning>& warning = {});
// Returns the changes of a claim whose launch a freeze or a cap holds back. The claim stays, for kLaunchTtl as any
// other: a launch that was sent before is repeated, not doubled, when the hold ends.
plan::Plan decide_launch_held(const View& view, const state::Hold& hold);
// The facts that a launch needs beside the claim.
struct LaunchView {
  std::shared_ptr<const model::NodeClass> node_class;  // null: it does not exist
  std::string over_limits = {};                        // the limit of the NodePool that the launch would exceed
  std::string unchecked = {};                          // why the limits cannot be checked now; empty: they were checked
  cloud::InstanceTypes types = {};                     // as plan::LaunchInstance
};
// True if the node class exists, can be read and is not being deleted.
bool usable(const LaunchView& launch);
// Returns the LaunchInstance alone; or the reason why the claim cannot be launched now. A claim whose node class does
// not exist or is being deleted, or that would exceed a limit, is deleted. parity: cloudprovider.go Create
plan::Plan decide_launch(const View& view, const LaunchView& launch);

// Returns finalizer, node class label, registration, initialization and liveness of a claim that is not being deleted.
plan::Plan decide(const View& view);

// The outcome of a plan of decide() for the NodePool's health: a claim registered, or was deleted and why. A claim
// whose launch was held back has none.
struct Outcome {
  bool registered = false;
  std::string reason, message;  // of the failure
};
std::optional<Outcome> outcome_of(const plan::Plan& plan);

// A claim that is being deleted: its Nodes end first, then the instance, then the finalizer. `instance_gone`: the last
// answer of the cloud; std::nullopt if no request was sent yet. If the answer is needed, the plan is a
// TerminateInstance alone; the answer decides the rest.
plan::Plan decide_ending(const View& view, std::optional<bool> instance_gone);

}  // namespace tenon::controllers::lifecycle

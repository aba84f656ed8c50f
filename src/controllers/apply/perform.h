// Perform: how each action of a plan is performed. Used by the Applier only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>

#include "controllers/apply/applier.h"

namespace tenon::controllers {

struct Perform {
  Applier& applier;
  const std::stop_token& stop;
  Outcome& outcome;
  size_t index = 0;          // of the action in the plan
  bool unreachable = false;  // the API server did not answer an eviction

  // perform_writes.cc: the API server.
  Status operator()(const plan::CreateNodeClaim& a);
  Status operator()(const plan::PatchNodeClaim& a);
  Status operator()(const plan::PatchNode& a);
  Status operator()(const plan::PatchNodePool& a);
  Status operator()(const plan::PatchNodeClass& a);
  Status operator()(const plan::PatchNodeOverlay& a);
  Status operator()(const plan::PatchCapacityBuffer& a);
  Status operator()(const plan::DeleteNodeClaim& a);
  Status operator()(const plan::DeleteNode& a);
  Status operator()(const plan::DeletePod& a);
  // perform_evictions.cc
  Status operator()(const plan::EvictPod& a);
  // perform_calls.cc: events, the cloud and the ledger.
  Status operator()(const plan::RecordEvent& a);
  Status operator()(const plan::RecordEvents& a);
  Status operator()(const plan::LaunchInstance& a);
  Status operator()(const plan::TerminateInstance& a);
  Status operator()(const plan::TagInstance& a);
  Status operator()(const plan::AvoidOffering& a);
  Status operator()(const plan::AnnounceEnd& a);
  Status operator()(const plan::CleanUpNodeClass& a);
  Status operator()(const plan::RemoveStrayProfiles& a);
  Status operator()(const plan::Nominate& a);
  Status operator()(const plan::MarkForDeletion& a);
  Status operator()(const plan::UnmarkForDeletion& a);
  Status operator()(const plan::PromiseRoom& a);
  Status operator()(const plan::HoldDrain& a);
  Status operator()(const plan::ReleaseDrain& a);

 private:
  const Applier::Services& services() const { return applier.services_; }
  const ApplierCallbacks& callbacks() const { return applier.callbacks_; }
  Result<model::NodeClaim> create(model::NodeClaim claim);
  Result<model::NodeClaim> create_named(const model::NodeClaim& claim);
  Status refuse(const plan::EvictPod& a, const std::string& why);
  void note(const Error& problem);
  Status remove(const kube::ResourceType& type, const kube::ObjectName& name, const std::string& uid,
                std::optional<int64_t> grace);
  template <class Action>
  Status patch(const kube::ResourceType& type, const Action& a);
  Result<boost::json::value> send(const kube::ResourceType& type, const kube::ObjectName& name,
                                  boost::json::value changes, const std::string& version,
                                  const kube::PatchOptions& options);
};

kube::EventSubject subject(const plan::ObjectRef& ref);

}  // namespace tenon::controllers

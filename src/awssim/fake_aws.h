// A wire-level AWS in this process: EC2 (query protocol, XML), SSM, EKS, Pricing, SQS (JSON), IAM, STS (query), behind
// one Handler. It checks the signature of every request against its configured keys and does not depend on Tenon's
// clients. Launched instances boot after a delay; the kubelets of the minicluster watch instances(). Events about
// instances arrive in the queue that is named after the cluster, as with EventBridge.
//
// Thread rule: serve() and the accessors may be called from any thread; time comes from the Runtime. Only polls of the
// queue block. The first interruption notice starts a task that terminates the warned instances when their time comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "awssim/account/facts.h"
#include "http/handler.h"
#include "runtime/runtime.h"

namespace tenon::awssim {

class FakeAws : public http::Handler {
 public:
  // Terminated instances stay listed for an hour, as in EC2. `visit` must not call this object.
  virtual void each_instance(const std::function<void(const FakeInstance&)>& visit) const = 0;
  std::vector<FakeInstance> instances() const;
  virtual runtime::Event& changed() = 0;                   // notified when an instance starts, ends or gets a notice
  virtual int calls(const std::string& action) const = 0;  // number of calls of an action; "*": of any
  // Test-only: multiplies every later price of this type by factor (fault injection).
  virtual void scale_price(const std::string& instance_type, double factor) = 0;
  // Starts the termination of an instance without a notice. Returns false if it is not pending or running.
  virtual bool reclaim(const std::string& instance_id) = 0;
  // Sends a notice about an instance and carries it out. Returns false if it is not pending or running.
  virtual bool warn(const std::string& instance_id, Notice notice) = 0;
  // Makes a status check of the instance fail from now on. Returns false if it is not pending or running.
  virtual bool impair(const std::string& instance_id, StatusCheck check) = 0;
  // These two return the id.
  virtual std::string reserve(FakeReservation reservation) = 0;
  virtual std::string make_placement_group(FakePlacementGroup group) = 0;
  virtual bool cancel_reservation(const std::string& id) = 0;
};

std::unique_ptr<FakeAws> make_fake_aws(runtime::Runtime& runtime, FakeAwsOptions options);

}  // namespace tenon::awssim

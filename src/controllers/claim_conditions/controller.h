// Maintains Consolidatable and Drifted of every NodeClaim, stamps the time of the last pod event on its node, and
// deletes claims older than expireAfter; see decide.h. parity: nodeclaim.disruption, nodeclaim.podevents,
// nodeclaim.expiration
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::claim_conditions {

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start();
  void stop();

 private:
  Result<Next> judge(const std::string& name, const std::stop_token& stop);
  Result<Next> stamp(const std::string& name, const std::stop_token& stop);
  void on_pod(const kube::Informer<model::Pod>::Change& change);

  Context& context_;
  Loop conditions_;
  Loop pod_events_;
};

}  // namespace tenon::controllers::claim_conditions

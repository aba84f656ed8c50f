// Maintains Consolidatable and Drifted of every NodeClaim, stamps the time of the last pod event on its node, and
// deletes claims older than expireAfter; see decide.h. parity: nodeclaim.disruption, nodeclaim.podevents,
// nodeclaim.expiration
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/node_class_reader.h"
#include "cloud/type_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::claim_conditions {

class Controller final : public controllers::Controller {
 public:
  // Registers with the caches: before Cluster::start.
  Controller(Context& context, cloud::TypeReader& types, cloud::NodeClassReader& classes);
  void start() override;
  void stop() override;

 private:
  Result<Next> judge(const std::string& name, const std::stop_token& stop);
  Result<Next> stamp(const std::string& name, const std::stop_token& stop);
  void on_pod(const kube::Informer<model::Pod>::Change& change);

  Context& context_;
  cloud::TypeReader& types_;
  cloud::NodeClassReader& classes_;
  Loop conditions_;
  Loop pod_events_;
};

}  // namespace tenon::controllers::claim_conditions

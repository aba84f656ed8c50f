// A cluster that real Karpenter left to Tenon: the objects and instances of a recording (karpenter_left/karpenter.yaml,
// made by `./run test-adopt --record`), in the embedded cluster and AWS. Ids and uids of the recording are replaced by
// those that the embedded servers assign, and its times by times before the start. The controllers start after that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/demo/world.h"

namespace tenon::simulation {

class KarpenterLeft {
 public:
  // `change` alters each recorded document before it is created; may be empty.
  explicit KarpenterLeft(const cli::Decisions& decisions, std::function<void(boost::json::value&)> change = {});

  void run_for(Duration span) { world_->sim().run_for(span); }
  void scale(int replicas);
  // Returns the parts that must survive: the uids of NodeClaims, Nodes and Pods, and the ids of live instances, each
  // behind its kind.
  std::set<std::string> inventory();
  // "NodeClaim/NAME: TYPE REASON" of each condition that announces a removal: Drifted and DisruptionReason.
  std::vector<std::string> condemned();
  std::vector<std::string> claim_names();
  const std::vector<std::string>& decided() const { return decided_; }

 private:
  class LogOfDecisions;
  void fill(cli::SimWorld& world);
  void make_instance(cli::SimWorld& world, const boost::json::value& instance);
  void map_class(cli::SimWorld& world, const boost::json::value& node_class);
  void create(cli::SimWorld& world, boost::json::value document);
  std::string translated(std::string text, Instant now) const;

  std::vector<boost::json::value> recorded_;
  std::function<void(boost::json::value&)> change_;
  std::map<std::string, std::string> names_;  // of the embedded servers, by the recorded ones
  Instant newest_;                            // time in the recording
  std::vector<std::string> decided_;
  std::unique_ptr<cli::SimWorld> world_;  // last: it writes to decided_
};

}  // namespace tenon::simulation

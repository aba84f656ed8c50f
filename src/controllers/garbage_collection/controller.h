// Terminates instances that have no NodeClaim, and deletes NodeClaims whose instance has vanished. It fails closed:
//   - Candidates come from caches only while the caches are trusted (state::Cluster::trusted()).
//   - Right before it terminates an instance, it reads from the API server all NodeClaims (to compare provider ids)
//     and the NodeClaim that the instance's tag names. Right before it deletes a NodeClaim, it reads the instance by
//     id from the cloud. Only a clear "not found" counts.
//   - One pass ends at most one tenth of the objects, but is always allowed to end one. While more are held back,
//     passes run every kInterval, and an event, a metric and a log line report it.
// parity: instance.garbagecollection, nodeclaim.garbagecollection
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cloud/instance_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/garbage_collection/loss_alarm.h"

namespace tenon::controllers::garbage_collection {

inline constexpr Duration kInstanceGrace = 30s;  // a younger instance may belong to a claim that is being written
inline constexpr Duration kFirstInterval = 10s;  // after a start, when leftovers of a crash are most likely
inline constexpr int kFirstRounds = 20;
inline constexpr Duration kInterval = 2min;
inline constexpr size_t kEndsOneIn = 10;  // of the instances, or of the NodeClaims, in one pass

// Pure: finds the instances without a NodeClaim and the claims without an instance.
struct View {
  std::vector<cloud::Instance> instances;  // listed before the claims were read
  std::vector<std::shared_ptr<const model::NodeClaim>> claims;
  std::vector<std::shared_ptr<const model::Node>> nodes;
  // Returns the number of pods to reschedule from a node, for the metric: asked about the nodes of garbage only.
  std::function<size_t(const std::string& node)> pods_on;
  Instant now{};
};
struct Garbage {
  std::vector<cloud::Instance> instances;
  std::vector<plan::DeleteNodeClaim> claims;
};
Garbage find_garbage(const View& view);
// Returns the plan that ends an instance without a NodeClaim, and its Nodes.
plan::Plan decide_end(const cloud::Instance& instance, const std::vector<std::shared_ptr<const model::Node>>& nodes);
// True if the claim may own the instance. A claim that cannot be read in full may own any instance.
bool may_own(const model::NodeClaim& claim, const cloud::Instance& instance);
// Returns how many of `known` objects may be ended in one pass.
size_t most_in_a_pass(size_t known);

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::InstanceReader& instances) : context_(context), instances_(instances) {}
  void start() override;
  void stop() override;

 private:
  Status collect(const std::stop_token& stop);
  Status report_losses(Instant now, const std::stop_token& stop);
  Status terminate(const View& view, std::vector<cloud::Instance> candidates, const std::stop_token& stop);
  Result<bool> end_unclaimed(const cloud::Instance& instance, const View& view, const std::stop_token& stop);
  Status delete_claims(const View& view, const std::vector<plan::DeleteNodeClaim>& candidates,
                       const std::stop_token& stop);
  // Reports, once until the excess is gone, that more candidates exist than one pass may end; `pools`: their NodePools.
  Status limit(const std::string& kind, size_t wanted, size_t most, const std::set<std::string>& pools,
               const std::stop_token& stop);

  Context& context_;
  cloud::InstanceReader& instances_;
  LossAlarm alarm_;
  std::set<std::string> limited_;  // kinds with more candidates in the last pass than it may end
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::garbage_collection

// Terminates instances that have no NodeClaim, and deletes NodeClaims whose instance has vanished. It fails closed:
//   - Candidates come from caches only while those are trusted (state::Cluster::trusted()).
//   - Right before an instance is terminated, the API server is asked for its NodeClaim: all NodeClaims by provider id,
//     and the one that the instance's tag names. Right before a NodeClaim is deleted, the cloud is asked for its
//     instance by id. Only a clear "not found" counts.
//   - One pass ends at most a tenth of what there is, and at least one. While more is held back, passes come every
//     kInterval, and an event, a metric and a log line tell of it.
// parity: instance.garbagecollection, nodeclaim.garbagecollection
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controllers/context.h"
#include "controllers/garbage_collection/loss_alarm.h"

namespace tenon::controllers::garbage_collection {

inline constexpr Duration kInstanceGrace = 30s;  // a younger instance may belong to a claim that is being written
inline constexpr Duration kFirstInterval = 10s;  // after a start, when what a crash left behind is most likely
inline constexpr int kFirstRounds = 20;
inline constexpr Duration kInterval = 2min;
inline constexpr size_t kEndsOneIn = 10;  // of the instances, or of the NodeClaims, in one pass

// Pure: which instances seem to be nobody's, and which claims are of instances that seem to be no more.
struct View {
  std::vector<cloud::Instance> instances;  // listed before the claims were read
  std::vector<model::NodeClaim> claims;
  std::vector<model::Node> nodes;
  std::map<std::string, size_t> pods;  // node name → pods that must move, for the metric
  Instant now{};
};
struct Garbage {
  std::vector<cloud::Instance> instances;
  std::vector<plan::DeleteNodeClaim> claims;
};
Garbage decide(const View& view);
// The claim may be that of the instance. One that cannot be read in full may be that of any.
bool may_own(const model::NodeClaim& claim, const cloud::Instance& instance);
// How many of so many may be ended in one pass.
size_t most_in_a_pass(size_t known);

class Controller {
 public:
  explicit Controller(Context& context) : context_(context) {}
  void start();
  void stop();

 private:
  Status collect(const std::stop_token& stop);
  Status tell_of_losses(Instant now, const std::stop_token& stop);
  Status terminate(const View& view, std::vector<cloud::Instance> candidates, const std::stop_token& stop);
  Result<bool> end_unclaimed(const cloud::Instance& instance, const View& view, const std::stop_token& stop);
  Status delete_claims(const View& view, const std::vector<plan::DeleteNodeClaim>& candidates,
                       const std::stop_token& stop);
  // Tells once that more is to be ended than one pass may; `pools` are the NodePools of all of it.
  Status limit(const std::string& kind, size_t wanted, size_t most, const std::set<std::string>& pools,
               const std::stop_token& stop);

  Context& context_;
  LossAlarm alarm_;
  std::set<std::string> limited_;  // kinds of which more was to be ended in the last pass than may be
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::garbage_collection

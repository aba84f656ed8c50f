// Nothing is paid for that nobody knows of, and nobody waits for what has gone: ends instances without a NodeClaim, and
// deletes NodeClaims whose instance has vanished.
// parity: instance.garbagecollection, nodeclaim.garbagecollection
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "controllers/context.h"
#include "controllers/garbage_collection/loss_alarm.h"

namespace tenon::controllers::garbage_collection {

inline constexpr Duration kInstanceGrace = 30s;  // a younger instance may belong to a claim that is being written
inline constexpr Duration kFirstInterval = 10s;  // after a start, when what a crash left behind is most likely
inline constexpr int kFirstRounds = 20;
inline constexpr Duration kInterval = 2min;

// Pure: which instances are nobody's, and which claims are of instances that are no more.
struct View {
  std::vector<cloud::Instance> instances;  // listed before the claims were read
  std::vector<model::NodeClaim> claims;
  std::vector<model::Node> nodes;
  std::map<std::string, size_t> pods;  // node name → pods that must move, for the metric
  Instant now{};
};
struct Garbage {
  std::vector<std::string> provider_ids;
  plan::Plan plan;
};
Garbage decide(const View& view);

class Controller {
 public:
  explicit Controller(Context& context) : context_(context) {}
  void start();
  void stop();

 private:
  Status collect(const std::stop_token& stop);
  Status tell_of_losses(Instant now, const std::stop_token& stop);

  Context& context_;
  LossAlarm alarm_;
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::garbage_collection

// Handles the end of capacity reservations. Runs two checks every kInterval: instances that left their reservation run
// as on-demand, and their claims and Nodes are relabeled; claims of a capacity block that is about to end are deleted
// while there is time to drain. parity: capacityreservation.capacitytype, capacityreservation.expiration
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cloud/instance_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"

namespace tenon::controllers::capacity_reservations {

inline constexpr Duration kInterval = 1min;

// Pure.
struct View {
  std::vector<model::NodeClaim> claims;  // those of reserved capacity matter
  std::vector<model::Node> nodes;
  std::vector<model::NodeClass> classes;
  std::map<std::string, std::string> capacity_types;  // provider id → the cloud's current answer
  std::map<std::string, size_t> pods;                 // node name → pods to reschedule, for the metric
};
plan::Plan decide(const View& view);

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::InstanceReader& instances) : context_(context), instances_(instances) {}
  void start() override;
  void stop() override;

 private:
  Status poll(const std::stop_token& stop);

  Context& context_;
  cloud::InstanceReader& instances_;
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::capacity_reservations

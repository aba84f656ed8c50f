// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers::interruption {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = cloud::InterruptionKind;

const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");

View view(Kind kind) {
  View v;
  v.kind = kind;
  v.now = kNow;
  v.pods = 3;
  v.claim.meta.name = "c1";
  v.claim.meta.uid = "u1";
  v.claim.provider_id = "aws:///us-east-1a/i-1";
  model::Node node;
  node.meta.name = "n1";
  node.meta.uid = "u2";
  v.nodes = {node};
  return v;
}

// "Warning SpotInterrupted NodeClaim: message", one for each event.
std::vector<std::string> events(const plan::Plan& plan) {
  std::vector<std::string> out;
  for (const auto& action : plan.actions) {
    if (const auto* e = std::get_if<plan::RecordEvent>(&action)) {
      out.push_back(e->type + " " + e->reason + " " + e->about.kind + "/" + e->about.name + ": " + e->message);
    }
  }
  return out;
}

struct Row {
  Kind kind;
  const char* why;  // the metric's reason; null: the claim is kept
  const char* type;
  const char* reason;
  const char* message;
  bool forced, avoid, hold;
  int urgency;
};
constexpr const char* kUnhealthy = "An unhealthy warning was triggered for the instance";
const Row kRows[] = {
    {Kind::kSpotInterrupted, "spot_interrupted", "Warning", "SpotInterrupted",
     "Spot interruption warning was triggered", false, true, true, 0},
    {Kind::kReservationInterrupted, "capacity_reservation_interrupted", "Warning",
     "CapacityReservationInstanceInterrupted", "Capacity Reservation interruption warning was triggered", false, true,
     true, 0},
    {Kind::kInstanceTerminated, "instance_terminated", "Warning", "InstanceTerminating", "Instance is terminating",
     false, false, false, 0},
    {Kind::kInstanceStopped, "instance_stopped", "Warning", "InstanceStopping", "Instance is stopping", false, false,
     false, 0},
    {Kind::kScheduledChange, "scheduled_change", "Warning", "InstanceUnhealthy", kUnhealthy, false, false, true, 1},
    {Kind::kEventStatus, "event_status", "Warning", "InstanceUnhealthy", kUnhealthy, false, false, true, 1},
    {Kind::kInstanceStatus, "instance_status", "Warning", "InstanceUnhealthy", kUnhealthy, true, false, false, 1},
    {Kind::kSystemStatus, "system_status", "Warning", "InstanceUnhealthy", kUnhealthy, true, false, false, 1},
    {Kind::kRebalance, nullptr, "Normal", "SpotRebalanceRecommendation", "Spot rebalance recommendation was triggered",
     false, false, false, 2},
};

TEST(Interruption, EveryKindHasItsActionAndItsEvents) {
  for (const Row& row : kRows) {
    const plan::Plan plan = decide(view(row.kind));
    const std::string word = std::string(row.type) + " " + row.reason + " ", says = std::string(": ") + row.message;
    std::vector<std::string> told = {word + "NodeClaim/c1" + says, word + "Node/n1" + says};
    const auto* gone = plan::find<plan::DeleteNodeClaim>(plan);
    ASSERT_EQ(gone != nullptr, row.why != nullptr) << row.reason;
    if (gone) {
      EXPECT_EQ(gone->why, row.why);
      EXPECT_EQ(gone->pods, 3u);
      told.push_back(
          "Warning TerminatingOnInterruption NodeClaim/c1: Interruption triggered termination for the NodeClaim");
      told.push_back("Warning TerminatingOnInterruption Node/n1: Interruption triggered termination for the Node");
    }
    EXPECT_EQ(events(plan), told) << row.reason;
    const auto* patch = plan::find<plan::PatchNodeClaim>(plan);
    ASSERT_EQ(patch != nullptr, row.forced) << row.why;
    if (patch) {
      EXPECT_EQ(patch->after.meta.annotations.at(std::string(model::kAnnotationTerminationTimestamp)),
                "2026-09-01T12:00:00Z");
    }
    EXPECT_EQ(plan::find<plan::AvoidOffering>(plan) != nullptr, row.avoid) << row.reason;
    const auto* hold = plan::find<plan::HoldDrain>(plan);
    ASSERT_EQ(hold != nullptr, row.hold) << row.reason;
    EXPECT_EQ(hold ? hold->at_most : kHeadStart, kHeadStart);
    EXPECT_EQ(plan::find<plan::AnnounceEnd>(plan) != nullptr, row.hold) << row.reason;
    EXPECT_EQ(urgency(row.kind), row.urgency) << row.reason;
  }
}

TEST(Interruption, NothingIsSaidOfNothing) {
  for (const Kind kind : {Kind::kNoOp, Kind::kMalformed}) {
    EXPECT_THAT(decide(view(kind)).actions, IsEmpty());
    EXPECT_EQ(urgency(kind), 3);
  }
}

TEST(Interruption, AClaimThatGoesAlreadyIsLeft) {
  View v = view(Kind::kSpotInterrupted);
  v.claim.meta.deleted_at = kNow;
  const plan::Plan plan = decide(v);
  EXPECT_EQ(plan::find<plan::HoldDrain>(plan), nullptr);
  EXPECT_NE(plan::find<plan::AvoidOffering>(plan), nullptr) << "its pool of capacity is short all the same";
  EXPECT_EQ(plan::find<plan::DeleteNodeClaim>(plan), nullptr);
  EXPECT_EQ(events(plan).size(), 2u) << "SpotInterrupted of both";
}

TEST(Interruption, AnEarlierDeadlineStays) {
  View v = view(Kind::kSystemStatus);
  v.claim.meta.annotations[std::string(model::kAnnotationTerminationTimestamp)] = "2026-09-01T11:00:00Z";
  EXPECT_EQ(plan::find<plan::PatchNodeClaim>(decide(v)), nullptr);
}

TEST(Interruption, WithoutANodeTheClaimIsToldAlone) {
  View v = view(Kind::kSpotInterrupted);
  v.nodes.clear();
  EXPECT_THAT(events(decide(v)),
              ElementsAre("Warning SpotInterrupted NodeClaim/c1: Spot interruption warning was triggered",
                          "Warning TerminatingOnInterruption NodeClaim/c1: Interruption triggered termination for the "
                          "NodeClaim"));
}

}  // namespace
}  // namespace tenon::controllers::interruption

// Launches into reserved capacity, and into placement groups, against the wire-level AWS.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "integration/aws_world.h"

namespace tenon::cloud {
namespace {

using awssim::FakeReservation;
using testing::some_claim;
using testing::some_class;
using testing::World;

FakeReservation reservation(const std::string& type, int64_t instances) {
  FakeReservation out;
  out.instance_type = type;
  out.zone = "us-east-1b";
  out.instances = instances;
  out.tags = {{"team", "a"}};
  return out;
}

struct ReservedWorld : World {
  explicit ReservedWorld(FakeReservation given) {
    id = fake->reserve(std::move(given));
    wanted = some_class();
    wanted.reservation_selector_terms = {{{{"team", "a"}}, "", "", ""}};
    node_class = ready_class(wanted);
  }
  Result<Instance> launch(const std::string& name) {
    model::NodeClaim claim = some_claim(name, {"m5.large"}, "reserved");
    claim.requirements[1].values = {"reserved", "on-demand"};
    return provider->create(claim, node_class, nullptr, {});
  }
  int places() {
    const auto types = provider->instance_types(node_class, {});
    for (const model::InstanceType& type : **types) {
      for (const model::Offering& offering : type.offerings) {
        if (offering.reservation_id == id) return offering.available ? offering.reservation_capacity : 0;
      }
    }
    return -1;
  }
  std::string id;
  model::NodeClass wanted, node_class;
};

TEST(Reservations, AreUsedCountedAndGivenBack) {
  ReservedWorld world(reservation("m5.large", 2));
  ASSERT_EQ(world.node_class.reservations.size(), 1u);
  EXPECT_EQ(world.node_class.reservations[0].id, world.id);
  EXPECT_EQ(world.places(), 2);
  const auto first = world.launch("default-1");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->labels.at("karpenter.sh/capacity-type"), "reserved");
  EXPECT_EQ(first->labels.at("karpenter.k8s.aws/capacity-reservation-id"), world.id);
  EXPECT_EQ(first->labels.at("karpenter.k8s.aws/capacity-reservation-type"), "default");
  EXPECT_EQ(first->labels.at("karpenter.k8s.aws/capacity-reservation-interruptible"), "false");
  EXPECT_EQ(first->zone, "us-east-1b");
  EXPECT_EQ(world.instance(first->provider_id).capacity_reservation_id, world.id);
  EXPECT_EQ(world.places(), 1) << "before EC2 is asked again";
  ASSERT_TRUE(world.launch("default-2"));
  EXPECT_EQ(world.places(), 0);
  const auto third = world.launch("default-3");
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->capacity_type, "on-demand");
  // A reserved instance has a launch template of its own: no other instance uses the reservation.
  EXPECT_EQ(world.instance(third->provider_id).capacity_reservation_id, "");
  EXPECT_EQ(world.provider->get(first->provider_id, {})->capacity_type, "reserved");

  ASSERT_TRUE(world.provider->remove(first->provider_id, {}));
  EXPECT_EQ(world.places(), 0) << "not before it has gone";
  world.runtime.advance(5s);
  EXPECT_EQ(world.provider->remove(first->provider_id, {}).error().code, Code::kNotFound);
  EXPECT_EQ(world.places(), 1);
}

TEST(Reservations, WhatIsFullIsNotOfferedUntilEc2SaysOtherwise) {
  ReservedWorld world(reservation("m5.large", 1));
  world.faults["CreateFleet/m5.large/us-east-1b/on-demand"] = "ReservationCapacityExceeded";
  EXPECT_EQ(world.launch("default-1").error().code, Code::kInsufficientCapacity);
  world.faults.clear();
  EXPECT_EQ(world.places(), 0);
  EXPECT_EQ(world.launch("default-2")->capacity_type, "on-demand") << "the offering on demand is not to blame";
  world.runtime.advance(61s);
  world.node_class = world.ready_class(world.wanted);
  EXPECT_EQ(world.places(), 1);
}

TEST(Reservations, WhatIsTakenBackIsNotOfferedUntilEc2SaysOtherwise) {
  FakeReservation lent = reservation("m5.large", 2);
  lent.interruptible = true;
  ReservedWorld world(lent);
  const auto first = world.launch("default-1");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(world.places(), 1);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "reserved");
  claim.meta.labels = first->labels;
  world.provider->taken_back(claim);
  EXPECT_EQ(world.places(), 0);
  EXPECT_EQ(world.launch("default-2")->capacity_type, "on-demand");
  world.runtime.advance(61s);
  world.node_class = world.ready_class(world.wanted);
  EXPECT_EQ(world.places(), 1);
}

TEST(Reservations, ABlockIsAskedForAsOneAndEnds) {
  FakeReservation block = reservation("m5.large", 1);
  block.block = true;
  ReservedWorld asked(block);  // without an end, for its launch only
  const auto instance = asked.launch("default-1");
  ASSERT_TRUE(instance) << instance.error().message;
  EXPECT_EQ(instance->labels.at("karpenter.k8s.aws/capacity-reservation-type"), "capacity-block");

  FakeReservation ending = reservation("m5.large", 1);
  ending.block = true;
  aws::testing::ManualRuntime clock;
  ending.ends_at = clock.now() + 41min;
  ReservedWorld world(ending);
  EXPECT_EQ(world.node_class.reservations[0].state, "active");
  world.runtime.advance(1min - 1ms);
  EXPECT_EQ(world.ready_class(world.wanted).reservations[0].state, "active");
  world.runtime.advance(1ms);  // forty minutes before the end
  world.node_class = world.ready_class(world.wanted);
  EXPECT_EQ(world.node_class.reservations[0].state, "expiring");
  EXPECT_EQ(world.places(), 0);
  world.runtime.advance(40min);
  EXPECT_TRUE(world.ready_class(world.wanted).reservations.empty());
}

TEST(Reservations, AnInterruptibleOneIsAskedForAsSuch) {
  FakeReservation lent = reservation("m5.large", 1);
  lent.interruptible = true;
  ReservedWorld world(lent);
  const auto instance = world.launch("default-1");
  ASSERT_TRUE(instance) << instance.error().message;
  EXPECT_EQ(instance->labels.at("karpenter.k8s.aws/capacity-reservation-interruptible"), "true");
}

TEST(Reservations, DriftWhenTheClassSelectsOthers) {
  ReservedWorld world(reservation("m5.large", 1));
  const auto instance = world.launch("default-1");
  ASSERT_TRUE(instance);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "reserved");
  claim.provider_id = instance->provider_id;
  claim.meta.labels = instance->labels;
  claim.meta.annotations = instance->annotations;
  EXPECT_EQ(*world.provider->drifted(claim, world.node_class, {}), "");
  model::NodeClass none = world.node_class;
  none.reservations.clear();
  EXPECT_EQ(*world.provider->drifted(claim, none, {}), "CapacityReservationDrift");
  // After a cancellation the instance runs on demand: its label changes (see controllers/capacity_reservations); that
  // is no drift.
  ASSERT_TRUE(world.fake->cancel_reservation(world.id));
  EXPECT_EQ(*world.provider->drifted(claim, none, {}), "");
  EXPECT_EQ(world.provider->get(instance->provider_id, {})->capacity_type, "on-demand");
}

// Everything has drifted at once; each reason hides the next ones until it ends.
TEST(Reservations, ReasonsOfDriftAreNamedInOrder) {
  ReservedWorld world(reservation("m5.large", 1));
  const auto instance = world.launch("default-1");
  ASSERT_TRUE(instance);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "reserved");
  claim.provider_id = instance->provider_id;
  claim.meta.labels = instance->labels;
  claim.meta.annotations = instance->annotations;
  world.fake->make_placement_group({"", "others", "cluster", 0});
  model::NodeClass changed = world.node_class;
  changed.placement_group.name = "others";
  changed.reservations.clear();
  std::erase_if(changed.subnets, [&](const auto& subnet) { return subnet.zone == instance->zone; });
  changed.security_groups.push_back({"sg-new", ""});
  std::erase_if(changed.amis, [&](const auto& ami) { return ami.id == instance->image_id; });
  const auto reason = [&] { return *world.provider->drifted(claim, changed, {}); };
  EXPECT_EQ(reason(), "NodeClassDrift");
  claim.meta.annotations.clear();  // without a hash there is no comparison
  EXPECT_EQ(reason(), "AMIDrift");
  changed.amis = world.node_class.amis;
  EXPECT_EQ(reason(), "SecurityGroupDrift");
  changed.security_groups = world.node_class.security_groups;
  EXPECT_EQ(reason(), "SubnetDrift");
  changed.subnets = world.node_class.subnets;
  EXPECT_EQ(reason(), "CapacityReservationDrift");
  changed.reservations = world.node_class.reservations;
  EXPECT_EQ(reason(), "PlacementGroupDrift");
  changed.placement_group = world.node_class.placement_group;
  EXPECT_EQ(reason(), "");
}

TEST(Reservations, WithoutTheGateNobodySpeaksOfThem) {
  World world;
  world.fake->reserve(reservation("m5.large", 1));
  AwsProviderOptions options{.cluster_name = "demo"};
  options.reserved_capacity = false;
  world.restart(options);
  model::NodeClass wanted = some_class();
  wanted.reservation_selector_terms = {{{{"team", "a"}}, "", "", ""}};
  const model::NodeClass node_class = world.ready_class(wanted);
  EXPECT_TRUE(node_class.reservations.empty());
  EXPECT_EQ(model::find_condition(node_class.conditions, "CapacityReservationsReady"), nullptr);
  EXPECT_TRUE(node_class.ready());
  EXPECT_EQ(world.fake->calls("DescribeCapacityReservations"), 0);
}

TEST(PlacementGroups, AreLaunchedIntoAndDriftedFrom) {
  World world;
  const std::string id = world.fake->make_placement_group({"", "parts", "partition", 3});
  model::NodeClass wanted = some_class();
  wanted.placement_group.name = "parts";
  model::NodeClass node_class = world.ready_class(wanted);
  EXPECT_TRUE(node_class.ready());
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  claim.requirements.push_back({"karpenter.k8s.aws/placement-group-partition", model::Operator::kIn, {"2", "3"}, {}});
  const auto made = world.provider->create(claim, node_class, nullptr, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->labels.at("karpenter.k8s.aws/placement-group-id"), id);
  EXPECT_EQ(made->labels.at("karpenter.k8s.aws/placement-group-partition"), "2");
  claim.provider_id = made->provider_id;
  claim.meta.labels = made->labels;
  claim.meta.annotations = made->annotations;
  EXPECT_EQ(*world.provider->drifted(claim, node_class, {}), "");
  world.fake->make_placement_group({"", "others", "cluster", 0});
  node_class.placement_group.name = "others";
  claim.meta.annotations.clear();
  EXPECT_EQ(*world.provider->drifted(claim, node_class, {}), "PlacementGroupDrift");
}

TEST(PlacementGroups, ThePartitionThatEc2ChoseIsKnownBeforeTheNodeTakesPods) {
  World world;
  world.fake->make_placement_group({"", "parts", "partition", 3});
  model::NodeClass wanted = some_class();
  wanted.placement_group.name = "parts";
  const model::NodeClass node_class = world.ready_class(wanted);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
  const auto made = world.provider->create(claim, node_class, nullptr, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->labels.contains("karpenter.k8s.aws/placement-group-partition"));
  claim.provider_id = made->provider_id;
  claim.meta.labels = made->labels;
  const BeforeRegistration found = world.provider->before_registration(claim, node_class, {});
  EXPECT_TRUE(found.pending.empty());
  EXPECT_EQ(found.labels, (model::StringMap{{"karpenter.k8s.aws/placement-group-partition", "1"}}));
  claim.meta.labels.merge(model::StringMap(found.labels));
  EXPECT_TRUE(world.provider->before_registration(claim, node_class, {}).labels.empty()) << "it is known";
  EXPECT_TRUE(world.provider->before_registration(claim, world.ready_class(some_class()), {}).pending.empty());
  claim.meta.labels.erase("karpenter.k8s.aws/placement-group-partition");
  claim.provider_id = "aws:///us-east-1a/i-0123456789abcdef0";
  EXPECT_EQ(world.provider->before_registration(claim, node_class, {}).pending,
            std::vector<std::string>{"placement-group-partition"});
}

TEST(PlacementGroups, OneThatIsMissingIsACondition) {
  World world;
  model::NodeClass wanted = some_class();
  wanted.placement_group.id = "pg-0";
  const model::NodeClass node_class = world.ready_class(wanted);
  const auto* condition = model::find_condition(node_class.conditions, "PlacementGroupReady");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason, "PlacementGroupNotFound");
  EXPECT_EQ(condition->message, "Placement group \"pg-0\" not found");
  EXPECT_FALSE(node_class.ready());
}

TEST(PlacementGroups, AFullSpreadIsAvoidedForAWhile) {
  World world;
  world.fake->make_placement_group({"", "apart", "spread", 0});
  model::NodeClass wanted = some_class();
  wanted.placement_group.name = "apart";
  const model::NodeClass node_class = world.ready_class(wanted);
  const auto launch = [&](int number) {
    model::NodeClaim claim = some_claim("default-" + std::to_string(number), {"m5.large"}, "on-demand");
    claim.requirements.push_back({std::string(model::kLabelZone), model::Operator::kIn, {"us-east-1a"}, {}});
    return world.provider->create(claim, node_class, nullptr, {});
  };
  for (int i = 0; i < awssim::kSpreadLimit; ++i) ASSERT_TRUE(launch(i));
  EXPECT_EQ(launch(7).error().code, Code::kInsufficientCapacity);
  const int calls = world.fake->calls("CreateFleet");
  EXPECT_EQ(launch(8).error().code, Code::kInsufficientCapacity);
  EXPECT_EQ(world.fake->calls("CreateFleet"), calls) << "known to be full";
}

}  // namespace
}  // namespace tenon::cloud

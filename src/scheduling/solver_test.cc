// SPDX-License-Identifier: Apache-2.0
#include "scheduling/solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling {
namespace {

using model::Operator;
using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using model::testing::four_types;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::launched_types;
using ::testing::SizeIs;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);
const std::string kCapacityType(model::kLabelCapacityType);
const std::string kInstanceType(model::kLabelInstanceType);

model::testing::PoolBuilder on_demand(std::string name = "default") {
  return a_pool(std::move(name)).require(kCapacityType, {"on-demand"});
}

std::multiset<std::string> zones(const Solution& s) {
  std::multiset<std::string> result;
  for (const PlannedNode& node : s.new_nodes) {
    for (size_t i = 0; i < node.pods.size(); ++i) result.insert(node.launch.zone);
  }
  return result;
}

// Walkthrough F: pods of 1Gi over c5.large, m5.large, r5.large, m5.xlarge on demand.
TEST(Solver, FiveSmallPodsNeedOneM5Large) {
  Cluster c;
  c.pool(on_demand().label("type", "karpenter").build());
  c.pending(a_pod("inflate").memory("1Gi").select("type", "karpenter").build(), 5);
  const Solution s = c.solve({.runners_up = 1});
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  const PlannedNode& node = s.new_nodes.front();
  EXPECT_EQ(node.launch.instance_type, "m5.large");
  EXPECT_EQ(node.launch.zone, "us-east-1a");
  EXPECT_THAT(node.instance_types, ElementsAre("m5.large", "r5.large", "m5.xlarge"));
  EXPECT_EQ(model::format_usd(s.price), "0.096");
  EXPECT_EQ(node.labels->at("type"), "karpenter");
  EXPECT_EQ(node.labels->at("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(node.labels->at("karpenter.k8s.aws/ec2nodeclass"), "default");
  EXPECT_EQ(node.id, "new-0");
  ASSERT_THAT(node.runners_up, SizeIs(1));
  EXPECT_EQ(node.runners_up.front().instance_type, "c5.large");
  EXPECT_EQ(node.runners_up.front().constraint, "resources");
}

TEST(Solver, KnowsWhenThereIsNothingToPlace) {
  Cluster c;
  c.pool(on_demand().build());
  EXPECT_FALSE(anything_to_place(c.snapshot(), {}));
  c.pending(a_pod("inflate").memory("1Gi").build());
  EXPECT_TRUE(anything_to_place(c.snapshot(), {}));
}

TEST(Solver, ASecondNodeForWhatTheFirstCannotHold) {
  Cluster c;
  c.pool(on_demand().build());
  std::vector<model::Pod> running;
  for (int i = 0; i < 5; ++i) running.push_back(a_pod("old-" + std::to_string(i)).memory("1Gi").build());
  c.node({.name = "n1"}, running);
  c.pending(a_pod("inflate").memory("1Gi").build(), 7);
  const Solution s = c.solve();
  ASSERT_TRUE(s.existing.contains("n1"));
  EXPECT_THAT(s.existing.at("n1"), SizeIs(1));
  EXPECT_EQ(launched_types(s), "m5.large");
}

TEST(Solver, HoldsWhatTheTypesHold) {
  for (const auto& [type, pods] : {std::pair{"c5.large", 3}, {"m5.large", 6}, {"r5.large", 14}, {"m5.xlarge", 13}}) {
    Cluster c;
    c.pool(on_demand().require(kInstanceType, {type}).build());
    c.pending(a_pod("p").memory("1Gi").build(), pods);
    EXPECT_THAT(c.solve().new_nodes, SizeIs(1)) << type;
    c.pending(a_pod("one-more").memory("1Gi").build());
    EXPECT_THAT(c.solve().new_nodes, SizeIs(2)) << type;
  }
}

TEST(Solver, SpotIsCheaperAndItsZoneStaysOpen) {
  Cluster c;
  c.pool(a_pool("default").build());
  c.pending(a_pod("a").cpu("1").memory("1Gi").build());
  const Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_EQ(s.new_nodes[0].launch.capacity_type, "spot");
  EXPECT_EQ(s.new_nodes[0].launch.zone, "us-east-1d");
  EXPECT_FALSE(s.new_nodes[0].requirements.has(kZone));
  EXPECT_EQ(s.new_nodes[0].requirements.get(kCapacityType).to_string(),
            "karpenter.sh/capacity-type In [on-demand spot]");
}

TEST(Solver, RequirementsOfPodsAreThoseOfTheNode) {
  Cluster c;
  c.pool(a_pool("default").require("team", {"a", "b"}).build());
  c.pending(a_pod("a").cpu("1").select(kZone, "us-east-1c").build());
  c.pending(a_pod("b").cpu("1").require({{"team", Operator::kNotIn, {"a"}, {}}}).build());
  c.pending(a_pod("c").cpu("1").require({{"karpenter.k8s.aws/instance-family", Operator::kIn, {"r5"}, {}}}).build());
  const Solution s = c.solve();
  EXPECT_THAT(s.unschedulable, IsEmpty());
  for (const PlannedNode& node : s.new_nodes) {
    for (const std::string& pod : node.pods) {
      if (pod == "default/a") {
        EXPECT_EQ(node.requirements.get(kZone).to_string(), kZone + " In [us-east-1c]");
      }
      if (pod == "default/b") {
        EXPECT_EQ(node.labels->at("team"), "b");
      }
      if (pod == "default/c") {
        EXPECT_THAT(node.instance_types, ElementsAre("r5.large"));
      }
    }
  }
}

TEST(Solver, AnyTermOfRequiredAffinityWillDo) {
  Cluster c;
  c.pool(a_pool("default").build());
  c.pending(a_pod("a")
                .cpu("1")
                .require({{kZone, Operator::kIn, {"mars-1a"}, {}}})
                .require({{kZone, Operator::kIn, {"us-east-1b"}, {}}})
                .build());
  const Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_EQ(s.new_nodes[0].launch.zone, "us-east-1b");
}

TEST(Solver, AllOperatorsOnATypesLabel) {
  struct Row {
    Operator op;
    std::vector<std::string> values;
    std::vector<std::string> types;
  };
  const std::string cpu = "karpenter.k8s.aws/instance-cpu";
  const Row rows[] = {
      {Operator::kIn, {"2"}, {"small"}},           {Operator::kNotIn, {"2"}, {"large", "bare"}},
      {Operator::kExists, {}, {"small", "large"}}, {Operator::kDoesNotExist, {}, {"bare"}},
      {Operator::kGt, {"2"}, {"large"}},           {Operator::kGte, {"2"}, {"small", "large"}},
      {Operator::kLt, {"4"}, {"small"}},           {Operator::kLte, {"4"}, {"small", "large"}},
  };
  for (const Row& row : rows) {
    Cluster c;
    c.types({a_type("small").cpu("2").memory("8Gi").label(cpu, {"2"}).offer("z", "on-demand", "0.1").build(),
             a_type("large").cpu("4").memory("8Gi").label(cpu, {"4"}).offer("z", "on-demand", "0.2").build(),
             a_type("bare").cpu("8").memory("8Gi").offer("z", "on-demand", "0.3").build()});
    c.pool(a_pool("default").build());
    c.pending(a_pod("a").cpu("1").require({{cpu, row.op, row.values, {}}}).build());
    const Solution s = c.solve();
    ASSERT_THAT(s.new_nodes, SizeIs(1)) << to_string(row.op);
    EXPECT_EQ(s.new_nodes[0].instance_types, row.types) << to_string(row.op);
  }
}

TEST(Solver, TaintedPoolsTakeOnlyPodsThatTolerate) {
  Cluster c;
  c.pool(on_demand("cheap").taint("dedicated", "gpu").require(kInstanceType, {"c5.large"}).build());
  c.pool(on_demand("open").require(kInstanceType, {"m5.xlarge"}).build());
  c.pending(a_pod("plain").cpu("1").build());
  c.pending(a_pod("tolerant").cpu("1").tolerate("dedicated").select("karpenter.sh/nodepool", "cheap").build());
  const Solution s = c.solve();
  EXPECT_EQ(launched_types(s), "c5.large m5.xlarge");
}

TEST(Solver, DaemonsAreCountedPerType) {
  Cluster c;
  c.pool(on_demand().build());
  c.daemon(a_pod("agent").cpu("500m").memory("1Gi").build());
  c.daemon(a_pod("only-r5")
               .memory("9Gi")
               .require({{"karpenter.k8s.aws/instance-family", Operator::kIn, {"r5"}, {}}})
               .build());
  c.daemon(a_pod("elsewhere").cpu("100").select("kubernetes.io/arch", "arm64").build());
  c.pending(a_pod("p").memory("1Gi").build(), 5);  // m5.large holds six: five and the agent
  Solution s = c.solve();
  EXPECT_EQ(launched_types(s), "m5.large");
  EXPECT_THAT(s.new_nodes[0].instance_types, ElementsAre("m5.large", "m5.xlarge"))
      << "r5.large has 14Gi, 10 of them for daemons";
  EXPECT_EQ(s.new_nodes[0].requests.get("cpu"), 500);
}

TEST(Solver, ExistingNodesKeepRoomForDaemonsToCome) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1"});
  c.daemon(a_pod("agent").memory("2Gi").build());
  c.pending(a_pod("p").memory("1Gi").build(), 6);
  const Solution s = c.solve();
  EXPECT_THAT(s.existing.at("n1"), SizeIs(4));
}

TEST(Solver, HeavierPoolFirstEvenIfDearer) {
  Cluster c;
  c.pool(on_demand("cheap").require(kInstanceType, {"c5.large"}).build());
  c.pool(on_demand("heavy").require(kInstanceType, {"m5.xlarge"}).weight(10).build());
  c.pending(a_pod("p").cpu("1").build());
  EXPECT_EQ(launched_types(c.solve()), "m5.xlarge");
}

TEST(Solver, LimitsHoldForEveryTypeLeftOpen) {
  Cluster c;
  c.pool(on_demand().limit("cpu", "4").build());
  c.pending(a_pod("p").cpu("1500m").build(), 3);
  const Solution s = c.solve();
  EXPECT_THAT(s.new_nodes, ::testing::Not(IsEmpty())) << "two nodes of two cores or one of four";
  EXPECT_THAT(s.unschedulable, SizeIs(1));
  EXPECT_THAT(s.unschedulable.begin()->second.message, HasSubstr("exceed limits for nodepool (NodePool=default)"));
}

TEST(Solver, LimitOfNodesAndUsageSoFar) {
  Cluster c;
  c.pool(on_demand().limit("nodes", "2").build());
  c.node({.name = "n1"});
  c.pending(a_pod("p").memory("6Gi").build(), 3);
  const Solution s = c.solve();
  EXPECT_THAT(s.existing, SizeIs(1));
  EXPECT_THAT(s.new_nodes, SizeIs(1));
  ASSERT_THAT(s.unschedulable, IsEmpty()) << "one r5.large or m5.xlarge holds two";
  c.pending(a_pod("q").memory("14Gi").build());
  const Solution more = c.solve();
  ASSERT_THAT(more.unschedulable, ::testing::Not(IsEmpty()));
  EXPECT_THAT(more.unschedulable.begin()->second.message, HasSubstr("node limits have been exhausted"));
}

// The first plan uses one type for all; no better one is searched for if a pod stays unschedulable.
TEST(Solver, AllOrNothingDoesNotImproveAPlanThatLeavesPodsBehind) {
  Cluster c;
  c.pool(on_demand().build());
  c.pending(a_pod("p").cpu("600m").memory("1Gi").build(), 30);
  c.pending(a_pod("q").cpu("300m").memory("5Gi").build(), 20);
  const SolveOptions quick{.improvement_steps = 0}, all{.all_or_nothing = true};
  const Solution first = solve(c.build(), quick);
  ASSERT_LT(solve(c.build(), all).price, first.price);
  c.pending(a_pod("too-large").cpu("64").build());
  const Solution behind = solve(c.build(), all);
  EXPECT_THAT(behind.unschedulable, SizeIs(1));
  EXPECT_EQ(behind.price, first.price);
  EXPECT_LT(solve(c.build(), {}).price, first.price);
}

TEST(Solver, OverflowGoesToTheLighterPool) {
  Cluster c;
  c.pool(on_demand("first").weight(10).limit("cpu", "2").build());
  c.pool(on_demand("second").build());
  c.pending(a_pod("p").cpu("1500m").build(), 2);
  const Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(2));
  EXPECT_NE(s.new_nodes[0].pool, s.new_nodes[1].pool);
}

TEST(Solver, MinValuesKeepsFamiliesOpen) {
  Cluster c;
  c.pool(on_demand().require("karpenter.k8s.aws/instance-family", {"c5", "m5", "r5"}, Operator::kIn, 3).build());
  c.pending(a_pod("p").memory("1Gi").build(), 6);
  const Solution s = c.solve();
  EXPECT_EQ(launched_types(s), "c5.large×2") << "six pods on one node would rule c5 out";
  EXPECT_EQ(s.new_nodes[0].requirements.get("karpenter.k8s.aws/instance-family").min_values(), 3);
}

TEST(Solver, MinValuesBeyondWhatThereIs) {
  Cluster c;
  c.pool(on_demand().require("karpenter.k8s.aws/instance-family", {"c5", "m5", "x9", "x8"}, Operator::kIn, 4).build());
  c.pending(a_pod("p").memory("1Gi").build());
  EXPECT_THAT(c.solve().unschedulable.at("default/p").message, HasSubstr("minValues requirement is not met"));
  SolveOptions best_effort;
  best_effort.min_values = MinValuesPolicy::kBestEffort;
  const Solution s = c.solve(best_effort);
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_TRUE(s.new_nodes[0].min_values_relaxed);
}

TEST(Solver, ZoneSpreadBalances) {
  Cluster c;
  c.pool(on_demand().build());
  c.pending(a_pod("a").cpu("1").label("app", "a").spread(kZone, "a").build(), 8);
  const Solution s = c.solve();
  const auto z = zones(s);
  for (const char* zone : {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"})
    EXPECT_EQ(z.count(zone), 2U) << zone;
  EXPECT_EQ(launched_types(s), "c5.large×8") << "one pod each, for less than four m5.xlarge with two";
}

TEST(Solver, SpreadCountsRunningPods) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1", .zone = "us-east-1a"}, {a_pod("old-1").cpu("1").label("app", "a").build()});
  c.node({.name = "n2", .zone = "us-east-1b"}, {a_pod("old-2").cpu("1900m").label("app", "a").build()});
  c.pending(a_pod("a").cpu("100m").label("app", "a").spread(kZone, "a").build(), 2);
  const Solution s = c.solve();
  EXPECT_THAT(s.existing, IsEmpty());
  EXPECT_THAT(zones(s), ElementsAre("us-east-1c", "us-east-1d"));
}

TEST(Solver, HostnameRules) {
  Cluster spread;
  spread.pool(on_demand().build());
  spread.pending(a_pod("a").cpu("100m").label("app", "a").spread(kHost, "a", 2).build(), 5);
  EXPECT_THAT(spread.solve().new_nodes, SizeIs(3));

  Cluster anti;
  anti.pool(on_demand().build());
  anti.node({.name = "n1"}, {a_pod("old").cpu("100m").label("app", "a").build()});
  anti.node({.name = "n2"});
  anti.pending(a_pod("a").cpu("100m").label("app", "a").without(kHost, "a").build(), 3);
  const Solution s = anti.solve();
  EXPECT_FALSE(s.existing.contains("n1"));
  EXPECT_TRUE(s.existing.contains("n2"));
  EXPECT_THAT(s.new_nodes, SizeIs(2));

  Cluster with;
  with.pool(on_demand().build());
  with.pending(a_pod("a").cpu("1").label("app", "a").with(kHost, "a").build(), 4);
  const Solution together = with.solve();
  EXPECT_THAT(together.new_nodes, SizeIs(1));
  EXPECT_THAT(together.unschedulable, SizeIs(1)) << "an m5.xlarge holds three";
  EXPECT_THAT(together.unschedulable.begin()->second.message, HasSubstr("pod affinity"));
}

TEST(Solver, ZoneAffinityAndAntiAffinity) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1", .zone = "us-east-1c"}, {a_pod("db").cpu("1900m").label("app", "db").build()});
  c.pending(a_pod("near").cpu("1").label("app", "near").with(kZone, "db").build(), 3);
  c.pending(a_pod("apart").cpu("1").label("app", "apart").without(kZone, "apart").build(), 5);
  const Solution s = c.solve();
  std::set<std::string> apart;
  for (const PlannedNode& node : s.new_nodes) {
    for (const std::string& pod : node.pods) {
      if (pod.starts_with("default/near")) {
        EXPECT_EQ(node.launch.zone, "us-east-1c");
      }
      if (pod.starts_with("default/apart")) {
        EXPECT_TRUE(apart.insert(node.launch.zone).second);
      }
    }
  }
  EXPECT_EQ(apart.size(), 4U);
  EXPECT_THAT(s.unschedulable, SizeIs(1));
  EXPECT_THAT(s.unschedulable.begin()->second.message,
              HasSubstr("unsatisfiable topology constraint for pod anti-affinity"));
}

TEST(Solver, RunningPodsKeepOthersAway) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1"}, {a_pod("hermit").cpu("100m").without(kHost, "crowd").build()});
  c.pending(a_pod("crowd").cpu("100m").label("app", "crowd").build());
  EXPECT_THAT(c.solve().existing, IsEmpty());
}

TEST(Solver, CustomLabelSpread) {
  Cluster c;
  c.pool(on_demand().require("rack", {"r1", "r2"}).build());
  c.pending(a_pod("a").cpu("1").label("app", "a").spread("rack", "a").build(), 4);
  const Solution s = c.solve();
  std::map<std::string, size_t> racks;
  for (const PlannedNode& node : s.new_nodes) racks[node.labels->at("rack")] += node.pods.size();
  EXPECT_EQ(racks, (std::map<std::string, size_t>{{"r1", 2}, {"r2", 2}}));
}

TEST(Solver, PreferencesAreKeptWhileTheyCanBe) {
  Cluster c;
  c.pool(on_demand().build());
  c.pending(a_pod("a")
                .cpu("1")
                .prefer(1, {{kZone, Operator::kIn, {"us-east-1d"}, {}}})
                .prefer(9, {{kZone, Operator::kIn, {"moon"}, {}}})
                .build());
  const Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_EQ(s.new_nodes[0].launch.zone, "us-east-1d");
  EXPECT_THAT(*s.new_nodes[0].relaxed, ElementsAre("preferred node affinity: " + kZone + " In [moon]"));
  SolveOptions ignore;
  ignore.preferences = PreferencePolicy::kIgnore;
  EXPECT_EQ(c.solve(ignore).new_nodes[0].launch.zone, "us-east-1a");
}

TEST(Solver, SoftRulesAreHardUntilGivenUp) {
  Cluster c;
  c.pool(on_demand().require(kZone, {"us-east-1a"}).build());
  c.pending(a_pod("a").cpu("100m").label("app", "a").spread_anyway(kZone, "a").prefer_without(5, kHost, "a").build(),
            3);
  EXPECT_THAT(c.solve().new_nodes, SizeIs(3)) << "preferred anti-affinity by hostname can be kept";
}

TEST(Solver, PreferNoScheduleIsAvoidedThenTolerated) {
  Cluster c;
  c.pool(on_demand("soft").taint("soft", "", "PreferNoSchedule").build());
  c.pending(a_pod("a").cpu("1").build());
  EXPECT_THAT(*c.solve().new_nodes[0].relaxed, ElementsAre("taints with effect PreferNoSchedule"));
  c.pool(on_demand("plain").require(kInstanceType, {"m5.xlarge"}).build());
  EXPECT_EQ(c.solve().new_nodes[0].pool, "plain");
}

TEST(Solver, HostPorts) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1"}, {a_pod("old").cpu("100m").host_port(8080).build()});
  c.pending(a_pod("a").cpu("100m").host_port(8080).build(), 2);
  c.pending(a_pod("b").cpu("100m").host_port(9090).build());
  const Solution s = c.solve();
  EXPECT_THAT(s.existing.at("n1"), ElementsAre("default/b"));
  EXPECT_THAT(s.new_nodes, SizeIs(2));
}

TEST(Solver, VolumesPinTheZoneAndCount) {
  Cluster c;
  c.pool(on_demand().build());
  for (const char* name : {"v1", "v2"}) {
    model::PersistentVolumeClaim claim;
    claim.meta.name = name;
    claim.meta.annotations["pv.kubernetes.io/bind-completed"] = "yes";
    claim.volume_name = std::string("pv-") + name;
    c.snapshot().volume_claims["default/" + std::string(name)] = claim;
    model::PersistentVolume pv;
    pv.csi_driver = "ebs.csi.aws.com";
    pv.required_node_terms = {{{{"topology.ebs.csi.aws.com/zone", Operator::kIn, {"us-east-1c"}, {}}}, {}}};
    c.snapshot().volumes["pv-" + std::string(name)] = pv;
  }
  c.pending(a_pod("a").cpu("100m").claim("v1").build());
  Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_EQ(s.new_nodes[0].launch.zone, "us-east-1c");

  c.node({.name = "n1", .zone = "us-east-1c"}, {a_pod("old").cpu("100m").claim("v2").build()});
  EXPECT_TRUE(c.solve().existing.contains("n1"));
  c.snapshot().csi_nodes["n1"].driver_limits = {{"ebs.csi.aws.com", 1}};
  EXPECT_THAT(c.solve().existing, IsEmpty()) << "the node's one volume slot is taken";

  c.pending(a_pod("lost").cpu("100m").claim("nowhere").build());
  EXPECT_THAT(c.solve().unschedulable.at("default/lost").message, HasSubstr("persistent volume claim"));
}

TEST(Solver, ReservationsAreUsedUpAndPinned) {
  Cluster c;
  c.types({a_type("m5.large")
               .cpu("2")
               .memory("8Gi")
               .offer("z", "on-demand", "0.1")
               .reserve("z", "cr-1", 1, "0.00000001")
               .build()});
  c.pool(a_pool("default").build());
  c.pending(a_pod("p").cpu("1500m").build(), 2);
  const Solution s = c.solve();
  ASSERT_THAT(s.new_nodes, SizeIs(2));
  EXPECT_EQ(s.new_nodes[0].launch.reservation_id, "cr-1");
  EXPECT_EQ(s.new_nodes[0].requirements.get(model::kLabelReservationId).to_string(),
            "karpenter.k8s.aws/capacity-reservation-id In [cr-1]");
  EXPECT_EQ(s.new_nodes[1].launch.capacity_type, "on-demand");
  SolveOptions off;
  off.reserved_capacity = false;
  EXPECT_EQ(model::format_usd(c.solve(off).price), "0.2");
}

TEST(Solver, WhatIf) {
  Cluster c;
  c.pool(on_demand().build());
  c.node({.name = "n1", .type = "m5.xlarge"}, {a_pod("p").memory("1Gi").owner("ReplicaSet", "r").build()});
  c.node({.name = "n2"});
  SolveOptions without;
  without.removed_nodes = {"n1"};
  EXPECT_THAT(c.solve(without).existing.at("n2"), ElementsAre("default/p"));
  without.closed_nodes = {"n2"};
  EXPECT_EQ(launched_types(c.solve(without)), "c5.large");
  without.launch_below = *model::parse_price("0.085");
  EXPECT_THAT(c.solve(without).unschedulable, SizeIs(1));
  without.launch_below.reset();
  without.may_launch = false;
  EXPECT_THAT(c.solve(without).unschedulable, SizeIs(1));
}

TEST(Solver, PriceCapHoldsForWhatStaysOpen) {
  Cluster c;
  c.types({a_type("t")
               .cpu("2")
               .memory("8Gi")
               .offer("za", "spot", "0.03")
               .offer("zb", "spot", "0.05")
               .offer("za", "on-demand", "0.1")
               .build(),
           a_type("u").cpu("2").memory("8Gi").offer("za", "spot", "0.035").offer("zb", "spot", "0.02").build()});
  c.pool(a_pool("default").build());
  c.pending(a_pod("p").cpu("1").build());
  SolveOptions capped;
  capped.launch_below = *model::parse_price("0.04");
  const Solution s = c.solve(capped);
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_THAT(s.new_nodes[0].instance_types, ElementsAre("u")) << "t may cost 0.05 in zb";
  capped.launch_below = *model::parse_price("0.03");
  const Solution pinned = c.solve(capped);
  ASSERT_THAT(pinned.new_nodes, SizeIs(1));
  EXPECT_EQ(pinned.new_nodes[0].launch.zone, "zb");
}

TEST(Solver, ReasonsInKarpentersWords) {
  Cluster c;
  c.pool(on_demand().taint("dedicated").build());
  c.pending(a_pod("huge").cpu("500").tolerate("dedicated").build());
  c.pending(a_pod("plain").cpu("1").build());
  c.pending(a_pod("odd").cpu("1").tolerate("dedicated").select("team", "x").build());
  c.pending(a_pod("arm").cpu("1").tolerate("dedicated").select("kubernetes.io/arch", "arm64").build());
  c.pending(a_pod("restricted").cpu("1").select("karpenter.sh/registered", "true").build());
  const Solution s = c.solve();
  EXPECT_THAT(s.unschedulable.at("default/huge").message,
              ::testing::StartsWith(
                  "no instance type has enough resources, requirements=karpenter.k8s.aws/ec2nodeclass In "
                  "[default], karpenter.sh/capacity-type In [on-demand], karpenter.sh/initialized In [true]"));
  EXPECT_THAT(s.unschedulable.at("default/huge").message, HasSubstr(R"(resources={"cpu":"500","pods":"1"})"));
  EXPECT_EQ(s.unschedulable.at("default/huge").reasons.at(0).detail, "cpu: 500 asked, 3920m is the most any type has");
  EXPECT_EQ(s.unschedulable.at("default/plain").message, "did not tolerate taint (taint=dedicated:NoSchedule)");
  EXPECT_EQ(s.unschedulable.at("default/odd").message,
            "incompatible requirements, label \"team\" does not have known values");
  EXPECT_THAT(s.unschedulable.at("default/arm").message, HasSubstr("no instance type met all requirements"));
  EXPECT_THAT(s.unschedulable.at("default/restricted").message, HasSubstr("using label karpenter.sh/registered"));
}

TEST(Solver, PodsWithoutAPool) {
  Cluster c;
  c.pending(a_pod("p").cpu("1").build());
  EXPECT_EQ(c.solve().unschedulable.at("default/p").message, "no dynamic nodepools found");
  c.pool(on_demand().require(kInstanceType, {"z9.huge"}).build());
  EXPECT_THAT(c.solve().unschedulable.at("default/p").message, HasSubstr("filtered out all available instance types"));
}

TEST(Solver, PriorityDecidesWhoStaysBehind) {
  Cluster c;
  c.pool(on_demand().limit("cpu", "2").build());
  c.pending(a_pod("big").cpu("1500m").build());
  c.pending(a_pod("vip").cpu("1").priority(100).build());
  const Solution s = c.solve();
  EXPECT_TRUE(s.unschedulable.contains("default/big"));
  EXPECT_FALSE(s.unschedulable.contains("default/vip"));
}

}  // namespace
}  // namespace tenon::scheduling

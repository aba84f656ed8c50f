// SPDX-License-Identifier: Apache-2.0
#include "console/reasons.h"

#include <gtest/gtest.h>

#include "scheduling/input/solution.h"

namespace tenon::console {
namespace {

const scheduling::Unschedulable kTwoPools{"text of the event",
                                          {{"a", "resources", "cpu: too little", "pod.x"},
                                           {"a", "taint", "taint t is not tolerated", ""},
                                           {"b", "limit", "limit of cpu", ""}}};

TEST(Reasons, InOneLine) {
  EXPECT_EQ(one_line(kTwoPools), "a: cpu: too little and taint t is not tolerated; b: limit of cpu");
  EXPECT_EQ(one_line({"no dynamic nodepools found", {}}), "no dynamic nodepools found");
  EXPECT_EQ(one_line({"event", {{"", "pod", "asks for devices", ""}}}), "asks for devices");
  scheduling::Unschedulable many;
  for (const char* pool : {"a", "b", "c", "d", "e"}) many.reasons.push_back({pool, "taint", "no", ""});
  EXPECT_EQ(one_line(many), "a: no; b: no; c: no; and 2 more NodePools");
}

TEST(Reasons, AsATree) {
  EXPECT_EQ(render_tree(why_unplaced("default/p", kTwoPools)),
            "pod/default/p is unschedulable\n"
            "├─ NodePool a: it fits only without all of these constraints\n"
            "│  ├─ cpu: too little\n"
            "│  │  └─ pod.x\n"
            "│  └─ taint t is not tolerated\n"
            "└─ NodePool b\n"
            "   └─ limit of cpu\n");
  EXPECT_EQ(render_tree(why_unplaced("default/p", {"no dynamic nodepools found", {}})),
            "pod/default/p is unschedulable\n└─ no dynamic nodepools found\n");
}

TEST(Reasons, OfANodeWithCheaperTypesByWhatRulesThemOut) {
  scheduling::PlannedNode node;
  node.id = "new-0";
  node.pool = "default";
  node.pods = {"default/a"};
  node.requests.set(model::kCpu, 1500);
  node.instance_types = {"m5.large"};
  node.launch = {"m5.large", "za", "", "on-demand", "", *model::parse_price("0.1")};
  node.min_values_relaxed = true;
  for (const char* name : {"t4", "t3", "t2", "t1"}) {
    node.runners_up.push_back({name, *model::parse_price("0.05"), "resources", "cpu: too little"});
  }
  node.runners_up.push_back({"g1", *model::parse_price("0.04"), "requirement", "the NodePool has x"});
  EXPECT_EQ(render_tree(why_node(node)),
            "node/new-0: m5.large in za (on-demand) of NodePool default at 0.1 USD/h\n"
            "├─ holds 1 pod, with DaemonSets: cpu 1500m\n"
            "├─ 1 instance type in the NodeClaim, lowest price first: m5.large\n"
            "├─ 5 cheaper types excluded:\n"
            "│  ├─ by resources: 4\n"
            "│  │  ├─ t4 at 0.05 USD/h: cpu: too little\n"
            "│  │  ├─ t3 at 0.05 USD/h: cpu: too little\n"
            "│  │  ├─ t2 at 0.05 USD/h: cpu: too little\n"
            "│  │  └─ and 1 even cheaper type\n"
            "│  └─ by requirement: 1\n"
            "│     └─ g1 at 0.04 USD/h: the NodePool has x\n"
            "└─ minValues could not be satisfied and were relaxed\n");
}

}  // namespace
}  // namespace tenon::console

// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "scheduling/input/solution.h"

namespace tenon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

scheduling::PlannedNode node(const std::string& id, model::Price price) {
  scheduling::PlannedNode n;
  n.id = id;
  n.pool = "default";
  n.pods = {"default/b", "default/a"};
  n.requests.set(model::kCpu, 1150);
  n.instance_types = {"m5.large", "c5.xlarge"};
  n.launch = {"m5.large", "east-a", "id-a", "on-demand", "", price};
  return n;
}

PlanResult provision() {
  PlanResult result;
  result.solution.new_nodes = {node("new-0", *model::parse_price("0.096"))};
  result.solution.new_nodes[0].runners_up = {{"t3.nano", *model::parse_price("0.005"), "resources", "cpu: too little"}};
  result.solution.existing = {{"n1", {"default/d", "default/c"}}};
  result.solution.unschedulable = {{"default/e", {"no room", {{"default", "resources", "cpu"}}}}};
  result.solution.price = *model::parse_price("0.096");
  result.lower_bound.price = *model::parse_price("0.095");
  result.input.unplannable = {{"default/f", "is negative"}};
  result.input.ignored = {{"default/g", "has scheduling gates"}};
  result.input.pools_not_ready = {{"other", "why"}};
  return result;
}

TEST(PlanOutput, EveryKeyIsThereEvenIfThereIsNothingToSay) {
  EXPECT_EQ(json::to_string(*json::parse(render_plan_json(plan_document({})))),
            R"({"kind":"Plan","version":1,"mode":"provision","totals":{"newNodes":0,"pricePerHour":0,)"
            R"("lowerBoundPerHour":0,"podsOnNew":0,"podsOnExisting":0,"unschedulable":0},"newNodes":[],)"
            R"("existingNodes":{},"unschedulable":{},"ignored":{},"nodePoolsNotReady":{},"disruption":[]})");
}

TEST(PlanOutput, Provisioning) {
  const json::value plan = *json::parse(render_plan_json(plan_document(provision())));
  EXPECT_EQ(json::to_string(*json::find(plan, {"totals"})),
            R"({"newNodes":1,"pricePerHour":0.096,"lowerBoundPerHour":0.095,"podsOnNew":2,"podsOnExisting":2,)"
            R"("unschedulable":2})");
  const json::value& first = json::array_at(plan, {"newNodes"}).at(0);
  EXPECT_EQ(json::to_string(*json::find(first, {"pods"})), R"(["default/a","default/b"])");
  EXPECT_EQ(json::string_at(first, {"requests", "cpu"}), "1150m");
  EXPECT_EQ(
      json::to_string(*json::find(first, {"launch"})),
      R"({"instanceType":"m5.large","zone":"east-a","capacityType":"on-demand","pricePerHour":0.096,"zoneID":"id-a"})");
  EXPECT_EQ(json::to_string(*json::find(first, {"why"})),
            R"({"typesPossible":2,"runnersUp":[{"instanceType":"t3.nano","pricePerHour":0.005,)"
            R"("excludedBy":"resources: cpu: too little"}]})");
  EXPECT_EQ(json::to_string(*json::find(plan, {"existingNodes"})), R"({"n1":["default/c","default/d"]})");
  EXPECT_EQ(json::to_string(*json::find(plan, {"unschedulable"})),
            R"({"default/e":"no room","default/f":"is negative"})");
  EXPECT_EQ(json::to_string(*json::find(plan, {"unschedulableDetail", "default/e"})),
            R"([{"nodePool":"default","constraint":"resources","detail":"cpu"}])");
}

TEST(PlanOutput, PricesAreDecimalsToTheLastDigit) {
  PlanResult result;
  result.solution.new_nodes = {node("new-0", *model::parse_price("0.0000000096")),
                               node("new-1", *model::parse_price("123456.123456789012"))};
  const json::value document = plan_document(result);
  for (const std::string& text : {render_plan_json(document), render_plan_yaml(document)}) {
    EXPECT_THAT(text, HasSubstr(": 0.0000000096"));
    EXPECT_THAT(text, HasSubstr(": 123456.123456789012"));
    EXPECT_THAT(text, HasSubstr(": 123456.123456798612"));  // the sum
    EXPECT_THAT(text, Not(HasSubstr("u0001")));
  }
}

TEST(PlanOutput, YamlSaysTheSameAsJson) {
  const json::value document = plan_document(provision());
  const auto yaml = json::parse_yaml(render_plan_yaml(document));
  ASSERT_TRUE(yaml) << yaml.error().message;
  EXPECT_EQ(json::to_string(yaml->at(0)), json::to_string(*json::parse(render_plan_json(document))));
}

TEST(PlanOutput, Disruption) {
  PlanResult result;
  result.disrupt = true;
  disruption::Move move;
  move.id = "move-0";
  move.reason = "Underutilized";
  move.method = disruption::Method::kMultiNodeConsolidation;
  move.nodes = {"n2", "n1"};
  move.replacements = {node("new-0", *model::parse_price("0.05"))};
  move.pods_to_existing = {{"n3", {"default/x"}}};
  move.savings = *model::parse_price("0.2");
  move.disruption_cost_milli = 1933;
  result.pass.moves = {move};
  result.pass.kept = {{"n4", {"DisruptionBlocked", "Pod has …", "default/y"}}};
  result.drifted = {{"n1", "NodePoolDrifted"}};
  const json::value plan = *json::parse(render_plan_json(plan_document(result)));
  EXPECT_EQ(
      json::to_string(*json::find(plan, {"totals"})),
      R"({"newNodes":1,"pricePerHour":0.05,"lowerBoundPerHour":0,"podsOnNew":2,"podsOnExisting":0,"unschedulable":0})");
  const json::value& first = json::array_at(plan, {"disruption"}).at(0);
  EXPECT_EQ(json::string_at(first, {"method"}), "consolidation");
  EXPECT_EQ(json::to_string(*json::find(first, {"nodes"})), R"(["n1","n2"])");
  EXPECT_EQ(json::to_string(*json::find(first, {"disruptionCost"})), "1.933");
  EXPECT_EQ(json::to_string(*json::find(first, {"savingsPerHour"})), "0.2");
  EXPECT_EQ(json::string_at(plan, {"blocked", "n4", "object"}), "default/y");
  EXPECT_EQ(json::to_string(*json::find(plan, {"drifted"})), R"([{"node":"n1","reason":"NodePoolDrifted"}])");
  const std::string table = render_plan_table(result);
  EXPECT_THAT(table, HasSubstr("move-0   Underutilized   n2, n1"));
  EXPECT_THAT(table, HasSubstr("1 move; saves 0.2 USD/h"));
  EXPECT_THAT(table, HasSubstr("n1             NodePoolDrifted"));
}

TEST(PlanOutput, TheTableIsForPeople) {
  EXPECT_EQ(render_plan_table(provision()),
            "NEW NODE   POOL      TYPE       ZONE     CAPACITY    USD/H   PODS   CPU   MEMORY   FITS\n"
            "new-0      default   m5.large   east-a   on-demand   0.096      2     -        -   2 types\n"
            "\n"
            "EXISTING NODE   PODS   NAMES\n"
            "n1              2      default/d, …\n"
            "\n"
            "UNSCHEDULABLE POD   WHY\n"
            "default/e           default: cpu\n"
            "default/f           is negative\n"
            "\n"
            "IGNORED POD   WHY\n"
            "default/g     has scheduling gates\n"
            "\n"
            "NODEPOOL NOT READY   WHY\n"
            "other                why\n"
            "\n"
            "1 new node for 2 pods, 2 pods on existing nodes, 2 unschedulable; 0.096 USD/h, at most 1.0% above the "
            "lowest possible price (lower bound: 0.095)\n");
}

}  // namespace
}  // namespace tenon::cli

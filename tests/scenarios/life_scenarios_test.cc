// Plays the files of life-cycle/, aws/ and faults/: the life of nodes, and of what AWS knows, in a small cluster
// (life_world.h) under virtual time; those of faults/ with several seeds. A file is one document:
//
//   kind: Life
//   gates: NodeRepair=true           # feature gates
//   seed: 1
//   interruptionQueue: demo          # that the controllers read; "demo" is there; default: none
//   options: {isolatedVPC: true, disableDryRun: true, enableZonalShift: true, eksControlPlane: true}   # of the
//                                                                                              # controllers
//   priceFile: {…}                   # as --price-file has it
//   pool: {spec: {…}}                # merged into the NodePool `default`, which buys m5.large on demand; null: none
//   nodeClass: {…}                   # the same for the EC2NodeClass `default`
//   given: [{kind: Deployment, …}]   # further objects, with their status
//   steps:
//   - pods: [a, {metadata: {name: b}, spec: {…}}]   # pods of 1.5 cpu; one fits a node
//     until: 5m
//     expect: {NodeClaim: {conditions: {Ready: True Ready}}}
//
// Ten seconds pass before the first step. The actions of a step, in the order in which they stand:
//
//   create: [object, …]         patch: {of: NodePool/default, merge: {…}, status: true}
//   pods: [name or pod, …]      condition: {of: Node#0, type: Ready, is: False KubeletNotReady}
//   delete: Node#0              terminate: NodeClaim#0           # its instance, by somebody in the cloud
//   crash: true, start: true    # of the controllers, and all that they remember
//   warn: {of: NodeClaim, notice: spot}   # EC2 does, and two minutes later takes the instance; also reservation;
//                                           rebalance and change, after which it does nothing
//   impair: {of: NodeClaim, check: instance}   # a status check fails from now on; or system
//   messages: [text or object, …]              # into the interruption queue
//   reserve: {name: a, type: m5.large, zone: us-east-1a, instances: 2, block: true, lasts: 2h}   # capacity, tagged
//   name=a cancel: a                                                                                   # that
//   reservation fail: [{call: CreateFleet/*, with: InsufficientInstanceCapacity, times: 1}]   # of AWS; [] heals
//   machines: {join: false, ready: false, dies: Node#0}   # machines that boot later do not join, or do not get Ready;
//                                                           a kubelet that does nothing any more;
//             memoryLessMiB: 100                          # they report so much less memory than the formulas say
//   shift: use1-az1             # traffic away from the zone; "": the shift is cancelled
//   call: [{iam: CreateInstanceProfile, with: {…}}]   # to AWS, by somebody else; or ec2: …
//   deleteTemplates: true       # every launch template, by somebody else
//   advance: 5m                 # time
//   until: 5m                   # time, until what is expected is there
//   hold: 5m                    # time, in all of which what is expected is there
//
// An object is named by its kind where there is only one, by its place in the order of age (Node#0 is the oldest), or
// by name (Pod/a). In every text $(Node#0) stands for a name, $(Node#0.spec.providerID) for another text and
// $(NodeClaim.instance) for the id of an instance. Expected are
//
//   NodeClaim: {metadata: {…}}  # an object that holds at least this (expectation.h); with `conditions` by type
//                                 ("Unknown NodeNotFound: Node not registered with cluster"; * is any text) and
//                                 `taints` by key:effect; null: there is no such object, condition, …
//   count: {NodeClaim: 1}       # a number, or ">=1", "<=1"
//   events: [{of: NodeClaim, reason: …, message: …, type: Warning, times: 1}]   # times: 0 is none; else at least one
//   metrics: {'karpenter_nodes_created_total{nodepool="default"}': 1}           # the sum of the series; null: none
//   instances: {running: 1, ended: 0, reserved: 0, enclaves: 0}   # of the running ones, in a capacity reservation,
//                                                                   with enclaves enabled
//   tags: {NodeClaim#0: {Name: "$(Node#0)"}}         # of its instance; null: it has no such tag
//   calls: {TerminateInstances: 1, "*": "<=9"}       # of AWS since the start; *: whatever kind
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "expectation.h"
#include "json/json.h"
#include "json/yaml.h"
#include "life_view.h"
#include "life_world.h"

namespace tenon::scenarios {
namespace {

namespace fs = std::filesystem;
using json::value;

struct Play {
  std::string name;  // "folder/name", without the ending
  int64_t seed = 0;  // 0: the file's own
};

void PrintTo(const Play& play, std::ostream* out) { *out << play.name; }

constexpr int64_t kFaultSeeds = 4;

std::vector<Play> plays() {
  std::vector<Play> plays;
  for (const std::string folder : {"life-cycle", "aws", "faults"}) {
    const int64_t seeds = folder == "faults" ? kFaultSeeds : 0;
    for (const fs::path file : scenario_files(TENON_SCENARIOS "/" + folder)) {
      for (int64_t seed = std::min<int64_t>(seeds, 1); seed <= seeds; ++seed)
        plays.push_back({folder + "/" + file.stem().string(), seed});
    }
  }
  return plays;
}

value read_life(const std::string& file) {
  std::ifstream in(file);
  const auto documents = json::parse_yaml(std::string{std::istreambuf_iterator<char>(in), {}});
  EXPECT_TRUE(documents) << (documents ? "" : documents.error().message);
  if (!documents || documents->size() != 1) return json::object();
  return documents->front();
}

class LifeScenario : public testing::TestWithParam<Play> {};

TEST_P(LifeScenario, GoesAsExpected) {
  value life = read_life(TENON_SCENARIOS "/" + GetParam().name + ".yaml");
  if (GetParam().seed > 0) life.as_object()["seed"] = GetParam().seed;
  ASSERT_EQ(json::string_at(life, {"kind"}), "Life");
  const json::array& steps = json::array_at(life, {"steps"});
  ASSERT_TRUE(std::any_of(steps.begin(), steps.end(), [](const value& step) { return json::find(step, {"expect"}); }));
  LifeWorld world(life);
  for (size_t i = 0; i < steps.size(); ++i) {
    const Status done = world.act(steps[i]);
    ASSERT_TRUE(done) << "step " << i + 1 << ": " << done.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, LifeScenario, testing::ValuesIn(plays()), [](const auto& scenario) {
  std::string name = scenario.param.name;
  if (name.starts_with("life-cycle/")) name.erase(0, std::string_view("life-cycle/").size());
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return scenario.param.seed > 0 ? name + "_" + std::to_string(scenario.param.seed) : name;
});

TEST(LifeView, ConditionsAndTaintsAreText) {
  const value view = view_of(*json::parse(
      R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule","value":"b"}]},
          "status":{"conditions":[{"type":"Ready","status":"False","reason":"Why","message":"because"}]}})"));
  EXPECT_EQ(json::string_at(view, {"conditions", "Ready"}), "False Why: because");
  EXPECT_EQ(json::string_at(view, {"taints", "a:NoSchedule"}), "b");
}

TEST(LifeView, MetricsAreSummedOverTheirOtherLabels) {
  const std::string text = "# HELP m x\nm{a=\"1\",b=\"1\"} 2\nm{a=\"1\",b=\"2\"} 3\nm{a=\"2\",b=\"1\"} 5\nmore 7\n";
  int series = 0;
  EXPECT_EQ(sum_of(text, "m{a=\"1\"}", series), 5);
  EXPECT_EQ(series, 2);
  EXPECT_EQ(sum_of(text, "m{a=\"1\",b=\"2\"}", series), 3);
  EXPECT_EQ(sum_of(text, "more", series), 7);
  (void)sum_of(text, "m{a=\"3\"}", series);
  EXPECT_EQ(series, 0);
}

TEST(LifeView, AmountsMayBeBounds) {
  EXPECT_TRUE(is_amount(value(2), 2));
  EXPECT_FALSE(is_amount(value(2), 3));
  EXPECT_TRUE(is_amount(value(">=2"), 3));
  EXPECT_FALSE(is_amount(value(">=2"), 1));
  EXPECT_TRUE(is_amount(value("<=2"), 1));
  EXPECT_FALSE(is_amount(value("<=2"), 3));
}

// A runner that finds nothing wrong would pass everything.
TEST(LifeScenarios, WhatIsWrongIsFound) {
  const value life = *json::parse(R"({"kind":"Life"})");
  LifeWorld world(life);
  const auto fails = [&](const char* step) { return !world.act(*json::parse(step)); };
  EXPECT_FALSE(fails(R"({"expect":{"NodePool/default":{"conditions":{"Ready":"True Ready"}},"NodeClaim":null}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodePool/default":{"conditions":{"Ready":"False*"}}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodePool":null}})"));
  EXPECT_TRUE(fails(R"({"expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"count":{"NodePool":2}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"events":[{"of":"NodePool","reason":"None"}]}})"));
  EXPECT_TRUE(fails(R"({"expect":{"metrics":{"karpenter_nodes_created_total":1}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"instances":{"running":1}}})"));
  EXPECT_TRUE(fails(R"({"expect":{"calls":{"TerminateInstances":1}}})"));
  EXPECT_TRUE(fails(R"({"until":"3s","expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"hold":"3s","expect":{"NodeClaim":{}}})"));
  EXPECT_TRUE(fails(R"({"fly":true})"));
}

}  // namespace
}  // namespace tenon::scenarios

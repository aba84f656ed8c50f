// The policies that `tenon install iam` prints allow every request of the walkthroughs, with their resources and
// conditions; every action in them is needed by some request.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/demo/play.h"
#include "cli/install/install_command.h"
#include "json/json.h"
#include "life_play.h"
#include "testing/aws_questions.h"
#include "testing/iam_policy.h"

namespace tenon::scenarios {
namespace {

using json::value;
using tenon::testing::allowed;
using tenon::testing::IamQuestion;

using Questions = std::set<IamQuestion>;

value policy(const std::string& name) {
  std::ostringstream out, err;
  cli::run_install({"iam", {"clusterName=demo,region=us-east-1,accountId=123456789012"}, name}, out, err);
  const auto parsed = json::parse(out.str());
  EXPECT_TRUE(parsed) << err.str();
  return parsed ? *parsed : value();
}

auto record(Questions& questions) {
  return [&questions, memory = tenon::testing::make_aws_memory()](std::unique_ptr<http::Transport> inner) {
    return tenon::testing::ask_iam(std::move(inner), memory,
                                   [&](const IamQuestion& asked) { questions.insert(asked); });
  };
}

void add_walkthrough(const std::string& name, Questions& questions) {
  auto scenario = cli::load_scenario(name);
  ASSERT_TRUE(scenario) << scenario.error().message;
  if (name == "spot-inflate") {  // the launch templates of a class end with it
    cli::Step step;
    step.title = "delete the AWSNodeTemplate";
    step.delete_kind = "AWSNodeTemplate";
    step.delete_name = "default";
    scenario->steps.push_back(step);
  }
  cli::DecisionSettings settings;
  settings.node_price = "0";
  const auto decisions = cli::make_decisions(settings);
  ASSERT_TRUE(decisions) << decisions.error().message;
  cli::SimWorld::Options options;
  options.decisions = *decisions;
  options.interruption_queue = cli::kDemoCluster;
  options.eks_control_plane = options.zonal_shift = true;
  options.aws_wire = record(questions);
  const auto world = cli::SimWorld::make(std::move(options));
  ASSERT_TRUE(world) << world.error().message;
  std::ostringstream out;
  EXPECT_EQ(cli::play(*scenario, **world, out), 0) << out.str();
}

void add_life(const std::string& name, Questions& questions) {
  const auto life = read_life(TENON_SCENARIOS "/" + name + ".yaml");
  ASSERT_TRUE(life) << life.error().message;
  const Status played = play(*life, record(questions));
  EXPECT_TRUE(played) << name << ": " << played.error().message;
}

const Questions& asked() {
  static const Questions kAll = [] {
    Questions all;
    for (const char* name :
         {"spot-inflate", "spot-inflate-v1", "gpu-notebook", "node-less", "consolidate", "consolidate-any-type",
          "consolidate-budget", "consolidate-drift", "consolidate-empty-only"}) {
      add_walkthrough(name, all);
    }
    for (const char* name :
         {"aws/instance-gets-its-names", "life-cycle/termination-of-a-class-waits-for-its-claims",
          "life-cycle/interruption-of-spot-capacity", "life-cycle/reservation-is-used-first",
          "life-cycle/interruption-by-a-scheduled-change", "faults/26-partition-of-a-placement-group-is-full"}) {
      add_life(name, all);
    }
    return all;
  }();
  return kAll;
}

std::vector<value> both() { return {policy("controller-policy"), policy("controller-policy-v0.27")}; }

TEST(Permissions, AllowTheRequestsOfTheWalkthroughs) {
  const auto policies = both();
  EXPECT_GT(asked().size(), 100u);
  for (const IamQuestion& question : asked()) EXPECT_TRUE(allowed(policies, question)) << question.text();
}

// Returns the statement without the n-th of a list of texts; nothing if there is no n-th.
std::optional<value> without(const value& statement, const char* list, size_t n) {
  const value& all = statement.at(list);
  if (!all.is_array() || n >= all.get_array().size()) return std::nullopt;
  value less = statement;
  json::array& left = less.at(list).get_array();
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(n));
  return less;
}

bool suffice(const std::vector<value>& policies) {
  for (const IamQuestion& question : asked()) {
    if (!allowed(policies, question)) return false;
  }
  return true;
}

TEST(Permissions, HoldNoActionAndNoResourceThatIsNotNeeded) {
  const auto policies = both();
  ASSERT_TRUE(suffice(policies));
  for (size_t p = 0; p < policies.size(); ++p) {
    const json::array& statements = json::array_at(policies[p], {"Statement"});
    for (size_t s = 0; s < statements.size(); ++s) {
      auto fewer = policies;
      json::array& left = fewer[p].at("Statement").get_array();
      const std::string sid(json::string_at(statements[s], {"Sid"}));
      left[s].at("Action") = "none:None";
      EXPECT_FALSE(suffice(fewer)) << sid << " is not needed";
      for (const char* list : {"Action", "Resource"}) {
        for (size_t n = 0; auto less = without(statements[s], list, n); ++n) {
          left[s] = *less;
          EXPECT_FALSE(suffice(fewer)) << sid << ": not needed: " << statements[s].at(list).at(n);
        }
      }
    }
  }
}

// An observer beside the controllers, from its start to the end of a walkthrough.
TEST(Permissions, OfAnObserverAreThoseItNeeds) {
  Questions questions;
  int wires = 0;
  cli::SimWorld::Options options;
  options.eks_control_plane = options.zonal_shift = options.observer = true;
  options.observer_wire = [&](std::unique_ptr<http::Transport> inner) {
    return wires++ % 2 == 0 ? std::move(inner) : record(questions)(std::move(inner));
  };
  const auto scenario = cli::load_scenario("consolidate");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto world = cli::SimWorld::make(std::move(options));
  ASSERT_TRUE(world) << world.error().message;
  std::ostringstream out;
  EXPECT_EQ(cli::play(*scenario, **world, out), 0) << out.str();
  EXPECT_EQ(wires, 2);
  const value observe = policy("observe-policy");
  std::set<std::string> granted, asked;
  for (const value& statement : json::array_at(observe, {"Statement"})) {
    for (const value& action : json::array_at(statement, {"Action"})) granted.emplace(action.as_string());
  }
  for (const IamQuestion& question : questions) {
    EXPECT_TRUE(allowed({observe}, question)) << question.text();
    asked.insert(question.action);
  }
  EXPECT_EQ(asked, granted);
}

// A request for what belongs to another cluster, or without the tags of the cluster, is denied.
TEST(Permissions, EndAtTheCluster) {
  const auto policies = both();
  std::set<std::string> judged;
  for (const IamQuestion& question : asked()) {
    if (question.action == "iam:GetInstanceProfile") continue;  // reads are not limited by tags
    for (const auto& [key, values] : question.context) {
      if (key.find("kubernetes.io/cluster/demo") == std::string::npos) continue;
      IamQuestion foreign = question;
      foreign.context[key] = {"shared"};
      EXPECT_FALSE(allowed(policies, foreign)) << foreign.text();
      judged.insert(question.action);
    }
  }
  for (const char* action : {"ec2:TerminateInstances", "ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateTags",
                             "ec2:DeleteLaunchTemplate", "ec2:CreateLaunchTemplate", "iam:CreateInstanceProfile",
                             "iam:DeleteInstanceProfile", "iam:AddRoleToInstanceProfile"}) {
    EXPECT_TRUE(judged.contains(action)) << action;
  }
}

}  // namespace
}  // namespace tenon::scenarios

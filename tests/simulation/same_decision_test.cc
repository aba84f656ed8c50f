// Live and offline decisions are equal: a cluster in its API server, decided by the controllers and, saved to a file,
// by `tenon plan`. The node price decides each case, so that a different default of one side is detected.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "base/text.h"
#include "cli/plan/plan_command.h"
#include "json/json.h"
#include "json/yaml.h"
#include "simulation/life.h"
#include "testing/demo_node_class.h"

namespace tenon::simulation {
namespace {

constexpr int kPods = 8;
constexpr std::string_view kKinds[] = {"NodePool/karpenter.sh/nodepools",
                                       "EC2NodeClass/karpenter.k8s.aws/ec2nodeclasses",
                                       "NodeClaim/karpenter.sh/nodeclaims", "Node//nodes", "Pod//pods"};

// Dumps the objects as `kubectl get -o json` does.
std::string saved(kubesim::Api& api) {
  json::array items;
  for (const std::string_view kind : kKinds) {
    const auto words = split(kind, '/');
    const auto list = api.list({std::string(words[1]), std::string(words[2])}, "");
    CHECK(list.has_value(), std::string(kind));
    for (const auto& item : list->items) items.push_back(*item);
  }
  return json::to_string(json::object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}});
}

// The --node-price of both sides; none: each side uses its default.
using NodePrice = std::optional<std::string>;

cli::Decision offline(kubesim::Api& api, const NodePrice& node_price, const std::string& mode, Instant now) {
  const TempFolder folder;
  cli::PlanOptions options;
  if (node_price) options.node_price = *node_price;
  options.files = {folder.write("cluster.json", saved(api))};
  options.mode = mode;
  options.now = format_rfc3339(now);
  std::ostringstream warnings;
  auto decided = cli::decide_plan(options, warnings);
  CHECK(decided.has_value(), decided ? "" : decided.error().message);
  EXPECT_EQ(warnings.str(), "");
  return *std::move(decided);
}

// "on-demand t3a.small in us-east-1a for 2 pods", sorted.
using Launches = std::vector<std::string>;

Launches planned(const std::vector<scheduling::PlannedNode>& nodes) {
  Launches out;
  for (const auto& node : nodes) {
    out.push_back(fmt::format("{} {} in {} for {} pods", node.launch.capacity_type, node.launch.instance_type,
                              node.launch.zone, node.pods.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Reads the launches from lines such as
// "nodeclaim/x: on-demand t3a.small in us-east-1a at $0.02/h for 2 pods of nodepool/default; …".
Launches launched(const std::vector<std::string>& decided) {
  Launches out;
  for (const std::string& line : decided) {
    const size_t from = line.find(": "), price = line.find(" at $"), pods = line.find("/h for "),
                 pool = line.find(" of nodepool/");
    if (!line.starts_with("nodeclaim/") || price == std::string::npos || pool == std::string::npos) continue;
    std::string text = line.substr(from + 2, price - from - 2) + line.substr(pods + 2, pool - pods - 2);
    if (text.ends_with(" 1 pod")) text += "s";
    out.push_back(std::move(text));
  }
  std::sort(out.begin(), out.end());
  return out;
}

Launches provisioned(const NodePrice& node_price) {
  LifeOptions options;
  options.types = {"t3a.nano", "t3a.small"};  // for four pods and for eight
  options.pod_millicores = 10;
  options.pod_mib = 10;
  if (node_price) options.decisions.disruption.solve.node_price = *model::parse_price(*node_price);
  Life life(options);
  life.scale(kPods);
  EXPECT_TRUE(life.run_until([&] { return life.api().list({"", "pods"}, "default")->items.size() == kPods; }, 10s));
  const Launches plan = planned(offline(life.api(), node_price, "provision", life.now()).result.solution.new_nodes);
  EXPECT_TRUE(life.run_until_running(kPods));
  EXPECT_EQ(launched(life.decided()), plan);
  return plan;
}

// Eight pods on one t3a.small, where two t3a.nano would cost less without the node price.
std::vector<std::string> consolidated(const NodePrice& node_price) {
  LifeOptions options;
  options.types = {"t3a.small"};
  options.pod_millicores = 10;
  options.pod_mib = 10;
  options.consolidate_after = "1m";
  if (node_price) options.decisions.disruption.solve.node_price = *model::parse_price(*node_price);
  Life life(options);
  life.scale(kPods);
  EXPECT_TRUE(life.run_until_running(kPods));
  life.run_for(50s);
  const auto more = json::parse(R"({"spec": {"template": {"spec": {"requirements": [
      {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
      {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["t3a.small", "t3a.nano"]}]}}}})");
  EXPECT_TRUE(life.api().merge_patch({"karpenter.sh", "nodepools"}, "", "default", *more));
  const size_t before = life.decided().size();
  std::vector<std::string> plan;
  // The controllers decide every ten seconds, and validate before they act: the plan equals their first decision.
  EXPECT_TRUE(life.run_until(
      [&] {
        const auto claims = life.api().list({"karpenter.sh", "nodeclaims"}, "");
        return std::all_of(claims->items.begin(), claims->items.end(), [](const auto& claim) {
          const json::array conditions = json::array_at(*claim, {"status", "conditions"});
          return std::any_of(conditions.begin(), conditions.end(), [](const auto& c) {
            return json::string_at(c, {"type"}) == "Consolidatable" && json::string_at(c, {"status"}) == "True";
          });
        });
      },
      5min));
  for (const auto& move : offline(life.api(), node_price, "disrupt", life.now()).result.pass.moves) {
    plan.push_back(fmt::format("{}: [{}] -> [{} replacement(s)] (savings: ${})", move.reason, join(move.nodes, ", "),
                               move.replacements.size(), model::format_usd(move.savings)));
    for (const std::string& node : planned(move.replacements)) plan.push_back(node);
  }
  life.settle();
  std::vector<std::string> live;
  for (size_t i = before; i < life.decided().size(); ++i) {
    if (life.decided()[i].starts_with("Underutilized")) live.push_back(life.decided()[i]);
  }
  EXPECT_EQ(live.empty(), plan.empty()) << join(live, "\n") << "\nplan: " << join(plan, "\n");
  // The nodes at the end are those that the plan launches.
  Launches standing;
  for (const LiveNode& node : life.nodes()) {
    standing.push_back(fmt::format("on-demand {} in {} for {} pods", node.type, node.zone, node.pods));
  }
  std::sort(standing.begin(), standing.end());
  if (!plan.empty()) {
    EXPECT_EQ(standing, Launches(plan.begin() + 1, plan.end()));
  }
  return plan;
}

TEST(SameDecision, WhatIsLaunched) {
  const Launches by_default = provisioned({}), free = provisioned("0");
  EXPECT_LT(by_default.size(), free.size()) << "the node price must decide here";
}

TEST(SameDecision, WhatIsConsolidated) {
  EXPECT_EQ(consolidated({}), std::vector<std::string>()) << "the node price must decide here";
  EXPECT_NE(consolidated("0"), std::vector<std::string>());
}

}  // namespace
}  // namespace tenon::simulation

// SPDX-License-Identifier: Apache-2.0
#include "controllers/zonal_shift/controller.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers::zonal_shift {
namespace {

const cloud::Zone kA{"us-east-1a", "use1-az1"}, kB{"us-east-1b", "use1-az2"}, kNameless{"", "use1-az3"};

std::shared_ptr<const model::NodePool> pool(const std::string& name, const std::vector<std::string>& zones,
                                            std::string_view key = model::kLabelZone) {
  auto pool = std::make_shared<model::NodePool>();
  pool->meta.name = name;
  if (!zones.empty()) {
    pool->node_template.requirements = {{std::string(key), model::Operator::kIn, zones, {}}};
  }
  return pool;
}

std::vector<std::string> told(const plan::Plan& plan) {
  std::vector<std::string> lines;
  for (const plan::Action& action : plan.actions) {
    const auto& event = std::get<plan::RecordEvent>(action);
    lines.push_back(event.about.name + " " + event.type + " " + event.reason + ": " + event.message);
  }
  return lines;
}

TEST(ZonalShift, IsToldToPoolsThatMayLaunchThere) {
  const std::vector<std::shared_ptr<const model::NodePool>> pools{
      pool("any", {}), pool("a", {"us-east-1a"}), pool("b", {"us-east-1b"}),
      pool("by-id", {"use1-az1"}, model::kLabelZoneId), pool("other-id", {"use1-az9"}, model::kLabelZoneId)};
  const std::string began =
      " Warning ZonalShiftActive: Zonal shift detected: offerings in zone us-east-1a (use1-az1) are unavailable for "
      "this NodePool";
  EXPECT_EQ(told(decide({{}, {kA}, pools})), (std::vector<std::string>{"any" + began, "a" + began, "by-id" + began}));
}

TEST(ZonalShift, IsToldOnceAndWhenItEnds) {
  const std::vector<std::shared_ptr<const model::NodePool>> pools{pool("any", {})};
  EXPECT_TRUE(told(decide({{kA}, {kA}, pools})).empty());
  const auto changed = told(decide({{kA}, {kB}, pools}));
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_NE(changed[0].find("ZonalShiftActive"), std::string::npos);
  EXPECT_NE(changed[0].find("us-east-1b"), std::string::npos);
  EXPECT_NE(changed[1].find("any Normal ZonalShiftCleared"), std::string::npos);
  EXPECT_NE(changed[1].find("us-east-1a"), std::string::npos);
}

TEST(ZonalShift, OfAZoneWithoutANameIsToldToAll) {
  const auto lines = told(decide({{}, {kNameless}, {pool("a", {"us-east-1a"})}}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("zone use1-az3 are"), std::string::npos);
}

}  // namespace
}  // namespace tenon::controllers::zonal_shift

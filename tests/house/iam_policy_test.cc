// The opt-in policies against deploy/iam/controller-policy.json: what Provisioners of v0.27 need more is what NodePools
// have, with their own tag; what a launch template of the user needs more is limited to that template.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "json/json.h"

namespace tenon {
namespace {

constexpr std::string_view kPoolTag = "karpenter.sh/nodepool", kProvisionerTag = "karpenter.sh/provisioner-name";

// The statements without their ids, as text.
std::set<std::string> statements(const std::string& file) {
  std::ifstream in(std::string(TENON_SOURCE_DIR) + "/deploy/iam/" + file);
  std::stringstream text;
  text << in.rdbuf();
  const auto policy = json::parse(text.str());
  EXPECT_TRUE(policy) << file;
  std::set<std::string> out;
  for (json::value statement : policy ? json::array_at(*policy, {"Statement"}) : json::array()) {
    json::erase(statement, {"Sid"});
    out.insert(json::to_string(statement));
  }
  return out;
}

TEST(IamPolicy, OfProvisionersIsThatOfNodePoolsWithTheirTag) {
  std::set<std::string> wanted;
  for (std::string statement : statements("controller-policy.json")) {
    const size_t at = statement.find(kPoolTag);
    if (at == std::string::npos) continue;
    wanted.insert(statement.replace(at, kPoolTag.size(), kProvisionerTag));
  }
  EXPECT_EQ(wanted.size(), 5u);
  EXPECT_EQ(statements("controller-policy-v0.27.json"), wanted);
}

TEST(IamPolicy, OfAUsersLaunchTemplateNamesIt) {
  const auto all = statements("controller-policy-launch-template.json");
  EXPECT_EQ(all.size(), 2u);
  for (const std::string& statement : all) {
    EXPECT_NE(statement.find(":launch-template/${LAUNCH_TEMPLATE_ID}"), std::string::npos) << statement;
    EXPECT_EQ(statement.find(":launch-template/*"), std::string::npos) << statement;
    EXPECT_EQ(statement.find("Delete"), std::string::npos) << statement;
  }
}

}  // namespace
}  // namespace tenon

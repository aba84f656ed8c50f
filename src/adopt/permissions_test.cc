// SPDX-License-Identifier: Apache-2.0
#include "adopt/permissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::adopt {
namespace {

using ::testing::ElementsAre;

Documents policies(const std::string& statements) { return {*json::parse("{\"Statement\": [" + statements + "]}")}; }

TEST(Permissions, AreJudgedActionByAction) {
  struct Row {
    std::string statements;
    bool lacks;
  };
  const std::string allow = R"({"Effect": "Allow", "Action": "ec2:*", "Resource": "*"})";
  for (const auto& [statements, lacks] : std::initializer_list<Row>{
           {allow, false},
           {"", true},
           {R"({"Effect": "Allow", "Action": ["s3:*", "ec2:Create?leet"], "Resource": "a"})", false},
           {R"({"Effect": "Allow", "Action": "EC2:createfleet", "Resource": "*"})", false},
           {R"({"Effect": "Allow", "Action": "ec2:CreateFleets", "Resource": "*"})", true},
           {R"({"Effect": "Allow", "Action": "ec2:Create", "Resource": "*"})", true},
           {R"({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"})", false},
           {R"({"Effect": "Allow", "NotAction": "ec2:*", "Resource": "*"})", true},
           {R"({"Effect": "Deny", "Action": "*", "Resource": "*"})", true},
           {allow + R"(, {"Effect": "Deny", "Action": "ec2:CreateFleet", "Resource": "*"})", true},
           {allow + R"(, {"Effect": "Deny", "NotAction": "iam:*", "Resource": ["*"]})", true},
           {allow + R"(, {"Effect": "Deny", "Action": "ec2:CreateFleet", "Resource": "arn:a"})", false},
           {allow + R"(, {"Effect": "Deny", "Action": "ec2:*", "Resource": "*", "Condition": {}})", false},
       }) {
    EXPECT_EQ(!lacking_actions(policies(statements), {"ec2:CreateFleet"}).empty(), lacks) << statements;
  }
}

TEST(Permissions, ADenialInOnePolicyOutweighsAnother) {
  Documents all = policies(R"({"Effect": "Allow", "Action": "*", "Resource": "*"})");
  EXPECT_THAT(lacking_actions(all, {"ec2:CreateFleet", "ec2:RunInstances"}), ElementsAre());
  // One statement instead of a list of one.
  all.push_back(*json::parse(R"({"Statement": {"Effect": "Deny", "Action": "ec2:RunInstances", "Resource": "*"}})"));
  EXPECT_THAT(lacking_actions(all, {"ec2:CreateFleet", "ec2:RunInstances"}), ElementsAre("ec2:RunInstances"));
}

TEST(Permissions, ActionsOfAPolicyAreThoseItAllows) {
  const Documents one = policies(R"({"Effect": "Allow", "Action": ["a:B", "a:C"]}, {"Effect": "Deny", "Action": "a:D"},
                                    {"Effect": "Allow", "Action": "a:E"})");
  EXPECT_THAT(actions_of(one.front()), ElementsAre("a:B", "a:C", "a:E"));
}

}  // namespace
}  // namespace tenon::adopt

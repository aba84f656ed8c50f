// Labels of planned nodes, and the verdicts of check_solution() on wrong ones.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling {
namespace {

using model::Operator;
using model::testing::a_pod;
using model::testing::a_pool;
using testing::Cluster;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// As long as "karpenter.k8s.aws/ec2nodeclass".
const std::string kInstanceCpu = "karpenter.k8s.aws/instance-cpu";

Cluster bounded_by_cpu() {
  auto types = model::testing::four_types();
  for (model::InstanceType& type : types) type.labels[kInstanceCpu] = {type.name == "m5.xlarge" ? "4" : "2"};
  Cluster c;
  c.types(std::move(types));
  c.pool(a_pool("default").require(kInstanceCpu, {"3"}, Operator::kLt).label("team", "a").build());
  c.pending(a_pod("inflate").memory("1Gi").build(), 2);
  return c;
}

TEST(Claims, NameTheClassUnderItsOwnKeyAlone) {
  Cluster c = bounded_by_cpu();
  const Solution s = c.solve({});
  ASSERT_THAT(s.new_nodes, SizeIs(1));
  EXPECT_EQ(*s.new_nodes.front().labels, (model::StringMap{{std::string(model::kLabelNodeClass), "default"},
                                                           {std::string(model::kLabelNodePool), "default"},
                                                           {"team", "a"}}));
}

struct WrongLabel {
  std::string key, value;  // no value: the label is missing
  std::string complaint;
};
void PrintTo(const WrongLabel& wrong, std::ostream* out) { *out << wrong.key << "=" << wrong.value; }

class WrongLabels : public ::testing::TestWithParam<WrongLabel> {};

TEST_P(WrongLabels, AreNoticed) {
  Cluster c = bounded_by_cpu();
  Solution s = c.solve({});
  ASSERT_TRUE(check_solution(c.build(), {}, s));
  model::StringMap& labels = s.new_nodes.front().labels.edit();
  if (GetParam().value.empty()) {
    labels.erase(GetParam().key);
  } else {
    labels[GetParam().key] = GetParam().value;
  }
  const Status valid = check_solution(c.build(), {}, s);
  ASSERT_FALSE(valid);
  EXPECT_THAT(valid.error().message, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Labels, WrongLabels,
    ::testing::Values(WrongLabel{kInstanceCpu, "default", "is not what the requirements allow"},
                      WrongLabel{kInstanceCpu, "1", "is not what the instances have"},
                      WrongLabel{std::string(model::kLabelInstanceType), "m5.metal", "is not what the instances have"},
                      WrongLabel{std::string(model::kLabelNodeClass), "other", "is not what the requirements allow"},
                      WrongLabel{std::string(model::kLabelNodeClass), "", "is missing"},
                      WrongLabel{std::string(model::kLabelNodePool), "", "is missing"},
                      WrongLabel{"team", "", "the pool's requirements do not hold"}));

}  // namespace
}  // namespace tenon::scheduling

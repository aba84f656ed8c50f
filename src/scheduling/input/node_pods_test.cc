// The totals of a node's pods equal those of its pods, after every edit and in every copy.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/node_pods.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/testing/builders.h"

namespace tenon::scheduling {
namespace {

using model::testing::a_pod;

PodPtr pod(const std::string& name, const std::string& app, const std::string& cpu) {
  return std::make_shared<const model::Pod>(a_pod(name).label("app", app).cpu(cpu).build());
}

bool lists(const NodePods& pods, const std::string& app, uint32_t position) {
  const auto found = pods.maybe_with_label(NodePods::label_hash("app", app));
  return std::find(found.begin(), found.end(), position) != found.end();
}

TEST(NodePods, EditsForgetWhatWasKnown) {
  NodePods pods{pod("a", "web", "1")};
  EXPECT_EQ(pods.totals().requests.get("cpu"), 1000);
  EXPECT_TRUE(lists(pods, "web", 0));
  EXPECT_FALSE(lists(pods, "db", 1));
  pods.edit().push_back(pod("b", "db", "2"));
  EXPECT_EQ(pods.totals().requests.get("cpu"), 3000);
  EXPECT_TRUE(lists(pods, "db", 1));
}

// More labels than the filter has bits.
TEST(NodePods, NoPodWithALabelIsMissed) {
  NodePods pods;
  for (int i = 0; i < 1000; ++i) pods.edit().push_back(pod("p" + std::to_string(i), "app-" + std::to_string(i), "1"));
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_TRUE(lists(pods, "app-" + std::to_string(i), i)) << i;
  int others = 0;
  const NodePods few{pods[0], pods[1], pods[2]};
  for (int i = 3; i < 1000; ++i)
    others += few.maybe_with_label(NodePods::label_hash("app", "app-" + std::to_string(i))).empty() ? 0 : 1;
  EXPECT_EQ(others, 0);
}

TEST(NodePods, ACopyKeepsWhatItHadWhenTheOtherIsEdited) {
  NodePods pods{pod("a", "web", "1")};
  EXPECT_EQ(pods.totals().requests.get("cpu"), 1000);
  NodePods copy = pods;
  EXPECT_EQ(&copy.totals(), &pods.totals()) << "worked out once for both";
  copy.edit().clear();
  EXPECT_EQ(copy.totals().requests.get("cpu"), 0);
  EXPECT_EQ(pods.totals().requests.get("cpu"), 1000);
  EXPECT_EQ(pods.size(), 1u);
}

TEST(NodePods, TotalsNameWhatRulesLookAt) {
  model::Pod apart = a_pod("apart").without("kubernetes.io/hostname", "web").build();
  model::Pod daemon = a_pod("daemon").cpu("250m").build();
  daemon.meta.owners = {{"apps/v1", "DaemonSet", "d", "u", true, true}};
  daemon.spec.edit().host_ports = {{"", "TCP", 80}};
  daemon.spec.edit().volumes = {{.name = "data", .claim_name = "data"}};
  const NodePods pods{std::make_shared<const model::Pod>(apart), std::make_shared<const model::Pod>(daemon)};
  const PodTotals& totals = pods.totals();
  EXPECT_EQ(totals.of_daemons.get("cpu"), 250);
  ASSERT_EQ(totals.apart.size(), 1u);
  EXPECT_EQ(totals.apart[0], pods[0]);
  ASSERT_EQ(totals.with_volumes.size(), 1u);
  EXPECT_EQ(totals.with_volumes[0], pods[1]);
  EXPECT_EQ(totals.ports.size(), 1u);
}

}  // namespace
}  // namespace tenon::scheduling

// `tenon convert --in-cluster` of a whole cluster, killed after every write: no instance ends, no node restarts.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "json/json.h"
#include "migrate/originals.h"
#include "simulation/converted_cluster.h"

namespace tenon::simulation {
namespace {

using ::testing::HasSubstr;

const kubesim::Resource kProvisioners{"karpenter.sh", "provisioners"}, kClaims{"karpenter.sh", "nodeclaims"};

constexpr int kAtMost = 200;  // writes of one conversion: far more than there are

TEST(InClusterConversion, NoNodeRestarts) {
  ConvertedCluster cluster;
  const Inventory before = cluster.inventory();
  ASSERT_EQ(before.nodes.size(), 3u);
  ASSERT_EQ(cluster.claimed().size(), 2u) << "one node is as v0.27 left it";
  const Ran ran = cluster.apply();
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(cluster.unconverted(), "") << ran.out;
  EXPECT_EQ(cluster.inventory(), before);
  cluster.life().restart();
  cluster.life().run_for(24h);
  EXPECT_EQ(cluster.inventory(), before);
  EXPECT_EQ(cluster.unconverted(), "");
  EXPECT_EQ(cluster.claimed().size(), 3u);
  EXPECT_TRUE(cluster.all({"karpenter.k8s.aws", "awsnodetemplates"}).empty()) << "its finalizer was the controller's";
  const Ran again = cluster.convert(cluster.options(false));
  EXPECT_EQ(again.out, "nothing to do\n");
}

// The policy of the Provisioner counts afterwards: empty nodes end, except the one that had do-not-consolidate.
TEST(InClusterConversion, ConsolidationGoesOn) {
  ConvertedCluster cluster;
  ASSERT_EQ(cluster.apply().code, 0);
  cluster.life().restart();
  cluster.life().scale(0);
  cluster.life().run_for(1h);
  ASSERT_EQ(cluster.inventory().nodes.size(), 1u);
  const json::value node = cluster.all({"", "nodes"}).front();
  EXPECT_EQ(json::string_at(node, {"metadata", "annotations", "karpenter.sh/do-not-disrupt"}), "true");
  EXPECT_EQ(cluster.inventory().instances.size(), 1u);
}

TEST(InClusterConversion, WithoutConsolidationNothingEnds) {
  ConvertedCluster cluster("");
  const Inventory before = cluster.inventory();
  ASSERT_EQ(cluster.apply().code, 0);
  cluster.life().restart();
  cluster.life().scale(0);
  cluster.life().run_for(24h);
  EXPECT_EQ(cluster.inventory().nodes, before.nodes);
}

class KilledInClusterConversion : public testing::TestWithParam<bool> {};

// Killed after k writes; then a controller runs for an hour; then the command runs again. With the parameter, the
// NodePool is Ready when the nodes are converted: a controller could launch for it at once.
TEST_P(KilledInClusterConversion, EndsNoInstance) {
  int kills = 0;
  for (int k = 0; k < kAtMost; ++k) {
    ConvertedCluster cluster;
    const Inventory before = cluster.inventory();
    if (GetParam()) {
      ASSERT_NE(cluster.apply(2).code, 0);
      cluster.run_controller(5min);
      ASSERT_EQ(cluster.life().condition({"karpenter.sh", "nodepools"}, "", "old", "Ready"), "True Ready");
    }
    const Ran killed = cluster.apply(k);
    if (killed.code == 0) break;
    ++kills;
    ASSERT_EQ(killed.writes, k);
    EXPECT_THAT(killed.err, HasSubstr("run the same command again to continue"));
    EXPECT_EQ(cluster.inventory(), before) << "after write " << k << "\n" << killed.out;
    cluster.wait_for_lease();
    cluster.run_controller(1h);
    EXPECT_EQ(cluster.inventory(), before) << "with a controller, after write " << k << "\n" << killed.out;
    EXPECT_EQ(cluster.life().launched_since({}).size(), 3u) << "a launch, after write " << k << "\n" << killed.out;
    const auto claimed = cluster.claimed();
    const std::set<std::string> distinct(claimed.begin(), claimed.end());
    EXPECT_EQ(distinct.size(), claimed.size()) << "two NodeClaims have one instance, after write " << k;
    EXPECT_FALSE(distinct.contains("")) << "after write " << k << "\n" << killed.out;
    const Ran again = cluster.apply();
    ASSERT_EQ(again.code, 0) << "after write " << k << ": " << again.err;
    cluster.run_controller(1h);
    EXPECT_EQ(cluster.inventory(), before) << "after write " << k;
    EXPECT_EQ(cluster.unconverted(), "") << "after write " << k;
    EXPECT_EQ(cluster.claimed().size(), before.nodes.size());
  }
  EXPECT_GE(kills, 18) << "each node alone takes some six writes";
}

INSTANTIATE_TEST_SUITE_P(PoolReady, KilledInClusterConversion, testing::Bool());

// The same without a controller in between.
TEST(InClusterConversion, ARunContinuesTheOneBefore) {
  for (int k = 0; k < kAtMost; ++k) {
    ConvertedCluster cluster;
    const Inventory before = cluster.inventory();
    const Ran killed = cluster.apply(k);
    if (killed.code == 0) break;
    cluster.wait_for_lease();
    const Ran again = cluster.apply();
    ASSERT_EQ(again.code, 0) << "after write " << k << ": " << again.err;
    EXPECT_EQ(cluster.unconverted(), "") << "after write " << k;
    EXPECT_EQ(cluster.inventory(), before) << "after write " << k;
  }
}

TEST(InClusterConversion, ADryRunWritesNothing) {
  ConvertedCluster cluster;
  const uint64_t revision = cluster.life().revision();
  const Ran ran = cluster.convert(cluster.options(false));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.writes, 0);
  EXPECT_EQ(cluster.life().revision(), revision) << "not even a lease";
  EXPECT_FALSE(std::filesystem::exists(cluster.file()));
  for (const char* line : {"create EC2NodeClass old\n", "create NodePool old\n", "delete Provisioner old\n"})
    EXPECT_THAT(ran.out, HasSubstr(line));
  const Ran applied = cluster.apply();
  EXPECT_THAT(ran.out, HasSubstr("\n" + std::to_string(applied.writes) + " writes; nothing is written\n"))
      << "it prints what is written";
}

TEST(InClusterConversion, AControllerThatLeadsForbidsIt) {
  ConvertedCluster cluster;
  cluster.life().restart();
  cluster.life().run_for(1min);
  const Inventory before = cluster.inventory();
  const Ran ran = cluster.apply();
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.writes, 0);
  EXPECT_THAT(ran.err, HasSubstr("replica-0_2 holds the lease kube-system/karpenter-leader-election"));
  EXPECT_FALSE(std::filesystem::exists(cluster.file()));
  EXPECT_EQ(cluster.inventory(), before);
}

// Karpenter's chart puts its lease into its own namespace. A holder that has not renewed it for its duration is gone.
TEST(InClusterConversion, TheLeaseOfAnyNamespaceCounts) {
  ConvertedCluster cluster;
  const auto lease = [&](const std::string& name, Instant renewed) {
    return "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: karpenter-leader-election, namespace: " +
           name + "}, spec: {holderIdentity: other, leaseDurationSeconds: 15, renewTime: \"" +
           format_rfc3339_micro(renewed) + "\"}}";
  };
  const kubesim::Resource leases{"coordination.k8s.io", "leases"};
  cluster.life().create(leases, "karpenter", lease("karpenter", cluster.life().now()));
  const Ran ran = cluster.apply();
  EXPECT_EQ(ran.writes, 0);
  EXPECT_THAT(ran.err, HasSubstr("other holds the lease karpenter/karpenter-leader-election"));
  cluster.wait_for_lease();
  EXPECT_THAT(cluster.apply().err, HasSubstr("name the controller's with --leader-election-namespace"));
  cli::ConvertOptions options = cluster.options(true);
  options.leader_namespace = "karpenter";
  const Ran named = cluster.convert(options);
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.err, HasSubstr("waiting for the lease karpenter/karpenter-leader-election"));
}

// A holder whose clock is wrong. The time is beyond what Instant can express.
TEST(InClusterConversion, ALeaseRenewedInTheFarFutureIsHeld) {
  ConvertedCluster cluster;
  cluster.life().create({"coordination.k8s.io", "leases"}, "karpenter", R"(
    {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: karpenter-leader-election, namespace: karpenter},
     spec: {holderIdentity: other, leaseDurationSeconds: 15, renewTime: "2999-01-01T00:00:00.000000Z"}})");
  const Ran ran = cluster.apply();
  EXPECT_EQ(ran.writes, 0);
  EXPECT_THAT(ran.err, HasSubstr("other holds the lease karpenter/karpenter-leader-election"));
}

TEST(InClusterConversion, NoControllerStartsInTheMiddle) {
  ConvertedCluster cluster;
  ASSERT_NE(cluster.apply(10).code, 0);
  EXPECT_THAT(cluster.lease_holder(), HasSubstr("tenon-convert_"));
  cluster.wait_for_lease();
  ASSERT_EQ(cluster.apply().code, 0);
  EXPECT_EQ(cluster.lease_holder(), "") << "released at the end";
}

// Another holder takes the lease after the fifth write, e.g. because this process was suspended.
TEST(InClusterConversion, ALostLeaseEndsTheRun) {
  ConvertedCluster cluster;
  const Inventory before = cluster.inventory();
  const Ran ran = cluster.convert(cluster.options(true), kAtMost, [&](int writes) {
    if (writes == 5) cluster.take_lease("somebody-else");
    cluster.life().sim().sleep_for(1s, {});
  });
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("lost the lease kube-system/karpenter-leader-election"));
  EXPECT_LE(ran.writes, 8) << "it renews the lease every two seconds";
  EXPECT_EQ(cluster.lease_holder(), "somebody-else");
  EXPECT_EQ(cluster.inventory(), before);
}

TEST(InClusterConversion, TheFileComesBeforeTheFirstWriteAndKeepsTheOriginals) {
  ConvertedCluster cluster;
  ASSERT_NE(cluster.apply(0).code, 0);
  ASSERT_TRUE(std::filesystem::exists(cluster.file()));
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(cluster.file()).permissions(), perms::owner_read | perms::owner_write);
  cluster.wait_for_lease();
  ASSERT_NE(cluster.apply(12).code, 0) << "some nodes are converted";
  cluster.wait_for_lease();
  ASSERT_EQ(cluster.apply().code, 0);
  std::ifstream file(cluster.file());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto originals = migrate::read_originals(text);
  ASSERT_TRUE(originals) << originals.error().message;
  std::map<std::string, int> kinds;
  for (const json::value& object : originals->objects) {
    ++kinds[std::string(json::string_at(object, {"kind"}))];
    EXPECT_EQ(json::string_at(object, {"metadata", "labels", "karpenter.sh/nodepool"}), "");
  }
  EXPECT_EQ(kinds, (std::map<std::string, int>{
                       {"AWSNodeTemplate", 1}, {"ConfigMap", 1}, {"Node", 3}, {"NodeClaim", 2}, {"Provisioner", 1}}));
  EXPECT_EQ(originals->instances.size(), 3u);
  for (const auto& [id, tags] : originals->instances) EXPECT_FALSE(tags.contains("karpenter.sh/nodepool"));
}

TEST(InClusterConversion, AFileOfAnotherClusterOrAnotherKindIsKept) {
  for (const char* text : {"apiVersion: tenon.dev/v1alpha1\nkind: ConversionRollback\ncluster: other\n", "a: b\n"}) {
    ConvertedCluster cluster;
    std::ofstream(cluster.file()) << text;
    const Ran ran = cluster.apply();
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.writes, 0);
    EXPECT_THAT(ran.err, HasSubstr(cluster.file()));
    std::ifstream file(cluster.file());
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), text);
  }
}

TEST(InClusterConversion, ANodePoolOfThatNameForbidsIt) {
  ConvertedCluster cluster;
  cluster.life().create({"karpenter.sh", "nodepools"}, "", R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: old}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
)");
  const Ran ran = cluster.apply();
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.writes, 0);
  EXPECT_THAT(ran.err, HasSubstr("NodePool/old: exists and is not what Provisioner/old becomes"));
}

// A conversion that was killed is not finished but taken back.
TEST(InClusterConversion, IsRolledBackFromTheMiddle) {
  for (int k = 1; k < kAtMost; ++k) {
    ConvertedCluster cluster;
    const Inventory before = cluster.inventory();
    if (cluster.apply(k).code == 0) break;
    cluster.wait_for_lease();
    cli::ConvertOptions back = cluster.options(true);
    back.rollback = cluster.file();
    const Ran ran = cluster.convert(back);
    ASSERT_EQ(ran.code, 0) << "after write " << k << ": " << ran.err;
    EXPECT_EQ(cluster.all({"karpenter.sh", "nodepools"}).size(), 1u) << "that of v1 alone, after write " << k;
    cluster.run_controller(30min);
    EXPECT_EQ(cluster.inventory(), before) << "after write " << k;
    EXPECT_EQ(cluster.claimed().size(), 2u) << "after write " << k;
    for (const json::value& claim : cluster.all(kClaims))
      EXPECT_EQ(json::string_at(claim, {"spec", "nodeClassRef", "kind"}), "AWSNodeTemplate");
  }
}

// All the way back, killed after every write as well.
TEST(InClusterConversion, IsRolledBack) {
  for (int k = 0; k < kAtMost; ++k) {
    ConvertedCluster cluster;
    const Inventory before = cluster.inventory();
    ASSERT_EQ(cluster.apply().code, 0);
    if (k % 2 == 1) cluster.run_controller(1h);  // of v1, in between
    cli::ConvertOptions back = cluster.options(true);
    back.rollback = cluster.file();
    const Ran killed = cluster.convert(back, k);
    if (killed.code != 0) {
      cluster.wait_for_lease();
      cluster.run_controller(1h);
      EXPECT_EQ(cluster.inventory(), before) << "with a controller, after write " << k << "\n" << killed.out;
      const Ran again = cluster.convert(back);
      ASSERT_EQ(again.code, 0) << "after write " << k << ": " << again.err;
    }
    ASSERT_EQ(cluster.all(kProvisioners).size(), 1u) << killed.err;
    const json::value provisioner = cluster.all(kProvisioners).front();
    EXPECT_EQ(cluster.claimed().size(), 2u);
    for (const json::value& claim : cluster.all(kClaims))
      EXPECT_EQ(json::string_at(claim, {"spec", "nodeClassRef", "kind"}), "AWSNodeTemplate");
    for (const json::value& node : cluster.all({"", "nodes"})) {
      EXPECT_EQ(json::string_at(node, {"metadata", "labels", "karpenter.sh/nodepool"}), "");
      EXPECT_EQ(json::array_at(node, {"metadata", "ownerReferences"}).size(), 1u);
    }
    cluster.run_controller(1h);
    EXPECT_EQ(cluster.inventory(), before) << "after write " << k;
    EXPECT_EQ(cluster.claimed().size(), 2u);
    if (killed.code == 0) break;
  }
}

}  // namespace
}  // namespace tenon::simulation

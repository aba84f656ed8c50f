// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/testing/canned.h"
#include "log/testing/capture.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Wire = aws::testing::CannedClient;

TEST(ClusterInfo, TheReleaseOfAVersion) {
  for (const auto& [version, release] : {std::pair("v1.34.1-eks-3025e55", "1.34"), std::pair("1.34", "1.34"),
                                         std::pair("1.29+", "1.29"), std::pair("v1.9.0", "1.9")}) {
    EXPECT_EQ(*release_of(version), release);
  }
  for (const char* bad : {"", "v", "1", "1.", "v1.x", "one.2"}) EXPECT_FALSE(release_of(bad)) << bad;
}

TEST(ClusterInfo, AsksTheApiServerUnlessTold) {
  Wire wire;
  aws::Eks eks(wire.client);
  std::string version = "v1.34.4";
  int asked = 0;
  std::vector<std::string> said;
  ClusterInfo::Given given{.name = "demo"};
  given.log = log::testing::messages_to(said);
  given.kubernetes_version = [&](const std::stop_token&) -> Result<std::string> {
    ++asked;
    return version;
  };
  ClusterInfo cluster(eks, wire.runtime, given);
  EXPECT_EQ(*cluster.kubernetes_version({}), "1.34");
  EXPECT_EQ(*cluster.kubernetes_version({}), "1.34");
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(said, IsEmpty());
  version = "v1.37.0";
  wire.runtime.advance(kClusterTtl);
  EXPECT_EQ(*cluster.kubernetes_version({}), "1.37");
  wire.runtime.advance(kClusterTtl);
  EXPECT_EQ(*cluster.kubernetes_version({}), "1.37");
  EXPECT_THAT(said, ElementsAre("the cluster has Kubernetes 1.37, which is not known to work: 1.26 to 1.36 are"));
  EXPECT_EQ(wire.transport.requests.size(), 0u);
  given.kubernetes_version = nullptr;  // --eks-control-plane
  wire.transport.answer(200, R"({"cluster":{"version":"1.33"}})");
  EXPECT_EQ(*ClusterInfo(eks, wire.runtime, given).kubernetes_version({}), "1.33");
}

}  // namespace
}  // namespace tenon::cloud

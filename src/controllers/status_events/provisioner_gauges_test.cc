// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/provisioner_gauges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::controllers::status_events {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const model::NodePool> pool(const std::string& key) {
  model::NodePool pool;
  pool.meta.name = key;
  pool.resources.set("cpu", 6'000);
  pool.limits.emplace();
  pool.limits->set("cpu", 24'000);
  return std::make_shared<const model::NodePool>(std::move(pool));
}

TEST(ProvisionerGauges, HaveUsageAndLimitOfProvisionersOnly) {
  metrics::Registry registry;
  ProvisionerGauges gauges(registry);
  gauges.set({pool("default"), pool("provisioner/old")});
  const std::string labels = "{provisioner=\"old\",resource_type=\"cpu\"} ";
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_usage" + labels + "6\n"));
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_limit" + labels + "24\n"));
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_usage_pct" + labels + "25\n"));
  EXPECT_THAT(registry.text(), Not(HasSubstr("provisioner=\"default\"")));
  gauges.clear();
  EXPECT_THAT(registry.text(), Not(HasSubstr(labels)));
}

}  // namespace
}  // namespace tenon::controllers::status_events

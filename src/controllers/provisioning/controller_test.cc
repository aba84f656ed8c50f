// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/controller.h"

#include <gtest/gtest.h>

#include "controllers/testing/wired.h"

namespace tenon::controllers::provisioning {
namespace {

// An index of 700 types takes 8 ms, which the first pod would wait for.
TEST(Provisioning, InstanceTypesAreIndexedBeforeAPodNeedsThem) {
  controllers::testing::Wired wired;
  auto types = std::make_shared<const std::vector<model::InstanceType>>(1);
  wired.types_of = [&](const auto&) { return state::PoolTypes{types, ""}; };
  wired.api.put("/apis/karpenter.sh/v1/nodepools", R"({"metadata":{"name":"default","uid":"u"},"spec":{"template":{)"
                                                   R"("spec":{"nodeClassRef":{"group":"karpenter.k8s.aws",)"
                                                   R"("kind":"EC2NodeClass","name":"default"}}}}})");
  Controller controller(wired.context, {}, wired.registry);
  wired.cluster.start();
  controller.start();
  wired.sim->run_for(kRemind - 1s);
  const long ours = types.use_count();
  wired.sim->run_for(2s);
  EXPECT_GT(types.use_count(), ours) << "an index holds the list";
  controller.stop();
  wired.cluster.stop();
}

}  // namespace
}  // namespace tenon::controllers::provisioning

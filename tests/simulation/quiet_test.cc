// A cluster without changes costs nearly nothing: the work of its controllers is counted, not timed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr int kHours = 4;

TEST(Quiet, AnHourTakesFewStepsAndWrites) {
  Life life({.types = {"m5.large", "m5.xlarge"}, .pod_millicores = 700, .pod_mib = 1500});
  life.scale(23);
  ASSERT_TRUE(life.settle());
  life.run_for(1h);
  const uint64_t steps = life.steps(), writes = life.revision();
  life.run_for(kHours * 1h);
  // A NodePool is counted every five seconds; each of about twenty watches gets a bookmark a minute.
  EXPECT_LT((life.steps() - steps) / kHours, 3500u);
  EXPECT_LT((life.revision() - writes) / kHours, 100u);  // events that report it, leases
}

}  // namespace
}  // namespace tenon::simulation

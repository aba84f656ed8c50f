// SPDX-License-Identifier: Apache-2.0
#include "state/pod_order.h"

#include <gtest/gtest.h>

#include <memory>

namespace tenon::state {
namespace {

scheduling::PodPtr pod(const char* ns, const char* name) {
  model::Pod made;
  made.meta.ns = ns;
  made.meta.name = name;
  return std::make_shared<const model::Pod>(std::move(made));
}

TEST(PodOrder, IsThatOfTheKeys) {
  const auto a = pod("team", "a"), b = pod("team", "b"), other = pod("team-2", "a");
  EXPECT_TRUE(before(a, b));
  EXPECT_FALSE(before(b, a));
  EXPECT_FALSE(before(a, a));
  // "team-2/a" sorts before "team/a", although the namespace "team" sorts before "team-2".
  EXPECT_TRUE(before(other, a));
  EXPECT_FALSE(before(a, other));
}

}  // namespace
}  // namespace tenon::state

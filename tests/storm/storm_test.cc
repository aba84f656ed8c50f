// A few storms in which no invariant is broken; storm_many_test.cc has more.
// SPDX-License-Identifier: Apache-2.0
#include "storm/expect_invariants_hold.h"

namespace tenon::storm {
namespace {

class Storms : public testing::TestWithParam<uint64_t> {};

TEST_P(Storms, BreakNoPromise) { expect_invariants_hold(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Seeds, Storms, testing::Range<uint64_t>(1, 6));

}  // namespace
}  // namespace tenon::storm

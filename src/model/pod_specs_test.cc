// SPDX-License-Identifier: Apache-2.0
#include "model/pod_specs.h"

#include <gtest/gtest.h>

#include "model/testing/builders.h"

namespace tenon::model {
namespace {

using testing::a_pod;

Shared<PodSpec> spec(const std::string& cpu) { return a_pod("p").cpu(cpu).select("zone", "a").build().spec; }

TEST(Shared, CopiesAreOneObjectUntilOneIsEdited) {
  Shared<PodSpec> a = spec("1");
  Shared<PodSpec> b = a;
  EXPECT_EQ(&*a, &*b);
  EXPECT_EQ(a.owners(), 2u);
  b.edit().priority = 7;
  EXPECT_NE(&*a, &*b);
  EXPECT_EQ(a->priority, 0);
  EXPECT_EQ(b->priority, 7);
  EXPECT_EQ(a.owners(), 1u);
}

TEST(Shared, AnEditOfAnUnsharedOneCopiesNothing) {
  Shared<PodSpec> a = spec("1");
  const PodSpec* before = &*a;
  a.edit().priority = 7;
  EXPECT_EQ(&*a, before);
}

TEST(Shared, OneThatWasNeverEditedReadsAsADefaultOne) {
  Shared<PodSpec> a;
  EXPECT_EQ(a->scheduler_name, "default-scheduler");
  EXPECT_EQ(a.owners(), 0u);
  EXPECT_EQ(a, Shared<PodSpec>(PodSpec{}));
  a.edit().priority = 1;
  EXPECT_NE(a, Shared<PodSpec>());
}

TEST(PodSpecs, EqualSpecsBecomeOneObject) {
  PodSpecs specs;
  const auto a = specs.share(spec("1")), b = specs.share(spec("1")), other = specs.share(spec("2"));
  EXPECT_EQ(&*a, &*b);
  EXPECT_NE(&*a, &*other);
  EXPECT_EQ(other->requests.get(kCpu), 2000);
  EXPECT_EQ(specs.size(), 2u);
}

TEST(PodSpecs, DropsWhatNoPodHasAnyMore) {
  PodSpecs specs;
  const auto kept = specs.share(spec("1"));
  for (int i = 2; i < 1'000; ++i) specs.share(spec(std::to_string(i)));
  EXPECT_LE(specs.size(), 64u);
  EXPECT_EQ(&*specs.share(spec("1")), &*kept);
}

}  // namespace
}  // namespace tenon::model

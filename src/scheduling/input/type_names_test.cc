// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/type_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

using ::testing::ElementsAre;

const TypeNames::Table kTable =
    std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"c5.large", "m5.large", "r5.large"});

TEST(TypeNames, AreChosenFromATable) {
  const TypeNames names(kTable, {2, 0});
  EXPECT_THAT(names, ElementsAre("r5.large", "c5.large"));
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.front(), "r5.large");
  EXPECT_EQ(names[1], "c5.large");
  EXPECT_THAT(names.list(), ElementsAre("r5.large", "c5.large"));
}

TEST(TypeNames, AreEqualByName) {
  EXPECT_EQ(TypeNames(kTable, {2, 0}), (TypeNames{"r5.large", "c5.large"}));
  EXPECT_FALSE(TypeNames(kTable, {2, 0}) == TypeNames(kTable, {0, 2}));
  EXPECT_EQ(TypeNames(kTable, {}), TypeNames());
  EXPECT_TRUE(TypeNames(kTable, {}).empty());
}

}  // namespace
}  // namespace tenon::scheduling

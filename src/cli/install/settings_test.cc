// SPDX-License-Identifier: Apache-2.0
#include "cli/install/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::cli::install {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(InstallSettings, AreReadAsHelmReadsThem) {
  const std::vector<std::string> arguments = {"a=1,b=x\\,y", "c.d\\.e/f=k=v", "a=", "l={x,y},b=2"};
  const auto settings = parse_settings(arguments);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(*settings, ElementsAre(Pair("a", "1"), Pair("b", "x,y"), Pair("c.d\\.e/f", "k=v"), Pair("a", ""),
                                     Pair("l", "{x,y}"), Pair("b", "2")));
}

TEST(InstallSettings, TheLastValueCounts) {
  constexpr Key kKeys[] = {{"name", "a name"}, {"role", "a role", "Role-${name}", "Role-.+", "Role- and more"}};
  const auto values = read_values(kKeys, {{"name", "a"}, {"name", "b"}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_THAT(*values, ElementsAre(Pair("name", "b"), Pair("role", "Role-b")));
  EXPECT_EQ(read_values(kKeys, {{"role", "x"}}).error().message,
            "--set role: \"x\" is invalid; expected: Role- and more");
}

}  // namespace
}  // namespace tenon::cli::install

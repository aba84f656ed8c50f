// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string_view>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, CutAtTheFirstSeparator) {
  EXPECT_EQ(cut("a=b=c", '='), (std::pair<std::string_view, std::string_view>{"a", "b=c"}));
  EXPECT_EQ(cut("a", '=').second, "");
}

TEST(Text, CountedNounsHaveTheirPlural) {
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "new node"), "2 new nodes");
}

TEST(Text, PercentEncodingRoundTrips) {
  const std::string text("a b/ü+%~\0z", 11);
  EXPECT_EQ(percent_decode(percent_encode(text)), text);
  EXPECT_EQ(percent_encode("a b"), "a%20b");
  EXPECT_EQ(percent_decode("100%"), "100%");
}

TEST(Text, Base64Vectors) {
  for (const auto& [plain, coded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    std::string back;
    EXPECT_EQ(base64_encode(plain), coded);
    EXPECT_TRUE(base64_decode(coded, back));
    EXPECT_EQ(back, plain);
  }
  std::string out;
  EXPECT_FALSE(base64_decode("Zg==Zg", out));
  EXPECT_FALSE(base64_decode("Z*", out));
}

}  // namespace
}  // namespace tenon

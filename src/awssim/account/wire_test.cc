// SPDX-License-Identifier: Apache-2.0
#include "awssim/account/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::awssim {
namespace {

using ::testing::ElementsAre;

TEST(Params, ReadsListsAndStructuresByIndex) {
  std::string form = "Filter.2.Name=b&Filter.1.Name=a%2Fb&Filter.1.Value.2=y&Filter.1.Value.1=x+z";
  for (int i = 1; i <= 12; ++i) form += "&Id." + std::to_string(i) + "=" + std::to_string(i);
  Params params = Params::parse(form);
  auto filters = filters_of(params);
  ASSERT_EQ(filters.size(), 2u);
  EXPECT_EQ(filters[0].name, "a/b");
  EXPECT_THAT(filters[0].patterns, ElementsAre("x z", "y"));
  EXPECT_TRUE(filters[1].patterns.empty());
  auto ids = params.list("Id");
  ASSERT_EQ(ids.size(), 12u);
  EXPECT_EQ(ids[9], "10");  // by number, not by spelling
}

TEST(Params, FingerprintIgnoresOrderAndTheNamed) {
  Params a = Params::parse("B=2&A=1&DryRun=true"), b = Params::parse("A=1&B=2"), c = Params::parse("A=1&B=3");
  EXPECT_EQ(a.fingerprint({"DryRun"}), b.fingerprint({"DryRun"}));
  EXPECT_NE(b.fingerprint({}), c.fingerprint({}));
  EXPECT_NE(a.fingerprint({}), b.fingerprint({}));
}

TEST(Xml, EscapesAndClosesWhatIsEmpty) {
  Xml xml;
  xml.element("a", [&] { xml.text("b", "<&\">").element("c", [] {}); });
  EXPECT_EQ(xml.str(), "<a><b>&lt;&amp;&quot;&gt;</b><c/></a>");
}

struct PatternRow {
  const char* value;
  const char* pattern;
  bool matches;
};
TEST(Pattern, StarsAndQuestionMarks) {
  const PatternRow rows[] = {
      {"abc", "abc", true},  {"abc", "ab", false},        {"abc", "a*", true},     {"abc", "*c", true},
      {"abc", "*b*", true},  {"abc", "a?c", true},        {"abc", "a?", false},    {"", "*", true},
      {"", "", true},        {"a*c", "a\\*c", true},      {"abc", "a\\*c", false}, {"abcbc", "a*bc", true},
      {"abc", "ABC", false}, {"al2023-x", "al2*-?", true}};
  for (const PatternRow& row : rows)
    EXPECT_EQ(matches_pattern(row.value, row.pattern), row.matches) << row.value << " " << row.pattern;
}

TEST(Filters, TagsAndAttributes) {
  Tags tags{{"team", "blue"}, {"empty", ""}};
  auto attribute = [](std::string_view name) -> Values { return name == "state" ? only("running") : Values(); };
  auto check = [&](const std::string& form) { return passes(filters_of(Params::parse(form)), tags, attribute); };
  EXPECT_TRUE(*check(""));
  EXPECT_TRUE(*check("Filter.1.Name=tag:team&Filter.1.Value.1=red&Filter.1.Value.2=b*"));
  EXPECT_FALSE(*check("Filter.1.Name=tag:team&Filter.1.Value.1=red"));
  EXPECT_FALSE(*check("Filter.1.Name=tag:other&Filter.1.Value.1=*"));
  EXPECT_TRUE(*check("Filter.1.Name=tag-key&Filter.1.Value.1=empty"));
  EXPECT_TRUE(*check("Filter.1.Name=tag:empty&Filter.1.Value.1="));
  EXPECT_FALSE(*check("Filter.1.Name=state&Filter.1.Value.1=running&Filter.2.Name=tag-value&Filter.2.Value.1=red"));
  EXPECT_FALSE(check("Filter.1.Name=colour&Filter.1.Value.1=x"));
}

TEST(Pages, GoOnAfterTheLastKeyWhateverChanged) {
  PageRequest request{.token = {}, .max_results = 2, .limit = 100};
  auto first = page_of({"a", "b", "c", "d"}, request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end, 2u);
  request.token = first->next_token;
  auto second = page_of({"b2", "c", "d"}, request);  // a and b were deleted
  ASSERT_TRUE(second);
  EXPECT_EQ(second->begin, 0u);
  EXPECT_EQ(second->end, 2u);
  request.token = second->next_token;
  auto third = page_of({"b2", "c", "d"}, request);
  EXPECT_EQ(third->begin, 2u);
  EXPECT_TRUE(third->next_token.empty());
  request.token = "rubbish";
  EXPECT_FALSE(page_of({"a"}, request));
}

}  // namespace
}  // namespace tenon::awssim

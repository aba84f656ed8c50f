// SPDX-License-Identifier: Apache-2.0
#include "model/requirement.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::model {
namespace {

const std::vector<std::string> kUniverse{"a", "b", "", "0", "1", "2", "3", "4", "-1", "05"};

// Every requirement over a small universe: sets, complements of sets, and bounds.
std::vector<Requirement> all_small() {
  std::vector<Requirement> all;
  const std::vector<std::string> values{"a", "1", "2", "3"};
  for (unsigned mask = 0; mask < (1U << values.size()); ++mask) {
    std::vector<std::string> chosen;
    for (size_t i = 0; i < values.size(); ++i) {
      if ((mask >> i & 1U) != 0) chosen.push_back(values[i]);
    }
    all.push_back(Requirement::in("k", chosen));
    all.push_back(*Requirement::make({"k", Operator::kNotIn, chosen, std::nullopt}));
  }
  for (const Operator op : {Operator::kGt, Operator::kLt, Operator::kGte, Operator::kLte}) {
    for (const char* bound : {"0", "1", "2", "3"}) all.push_back(*Requirement::make({"k", op, {bound}, std::nullopt}));
  }
  const size_t simple = all.size();
  for (size_t i = simple - 16; i < simple; ++i) {
    for (size_t j = simple - 16; j < simple; ++j) all.push_back(all[i].intersect(all[j]));
  }
  return all;
}

TEST(Requirement, IntersectionIsExactOnASmallUniverse) {
  const auto all = all_small();
  for (const Requirement& a : all) {
    for (const Requirement& b : all) {
      const Requirement both = a.intersect(b);
      EXPECT_EQ(both.allows("a"), a.allows("a") && b.allows("a"));
      bool some = false;
      for (const std::string& value : kUniverse) {
        const bool expected = a.allows(value) && b.allows(value);
        some |= expected;
        ASSERT_EQ(both.allows(value), expected) << a.to_string() << " & " << b.to_string() << " of " << value;
      }
      ASSERT_EQ(a.intersects(b), !both.empty()) << a.to_string() << " & " << b.to_string();
      ASSERT_TRUE(!some || a.intersects(b)) << a.to_string() << " & " << b.to_string();
      ASSERT_EQ(both, b.intersect(a)) << a.to_string() << " & " << b.to_string();
    }
  }
}

TEST(Requirement, SpecsReadBackAsTheSameSet) {
  for (const Requirement& r : all_small()) {
    if (r.complement() && !r.values().empty() && (r.greater_than() || r.less_than())) continue;  // exclusions are lost
    Requirements again;
    for (const RequirementSpec& spec : r.to_specs()) again.add(*Requirement::make(spec));
    for (const std::string& value : kUniverse)
      EXPECT_EQ(again.get("k").allows(value), r.allows(value)) << r.to_string();
  }
}

TEST(Requirement, OperatorsAndText) {
  struct Row {
    RequirementSpec spec;
    Operator op;
    const char* text;
  };
  const Row rows[] = {
      {{"k", Operator::kIn, {"b", "a"}, std::nullopt}, Operator::kIn, "k In [a b]"},
      {{"k", Operator::kNotIn, {"a"}, std::nullopt}, Operator::kNotIn, "k NotIn [a]"},
      {{"k", Operator::kExists, {}, std::nullopt}, Operator::kExists, "k Exists"},
      {{"k", Operator::kDoesNotExist, {}, std::nullopt}, Operator::kDoesNotExist, "k DoesNotExist"},
      {{"k", Operator::kGt, {"2"}, std::nullopt}, Operator::kExists, "k Exists >=3"},
      {{"k", Operator::kLt, {"2"}, std::nullopt}, Operator::kExists, "k Exists <=1"},
      {{"k", Operator::kGte, {"2"}, std::nullopt}, Operator::kExists, "k Exists >=2"},
      {{"k", Operator::kLte, {"2"}, 3}, Operator::kExists, "k Exists <=2 minValues 3"},
      {{"k", Operator::kGt, {"9223372036854775807"}, 2}, Operator::kDoesNotExist, "k DoesNotExist"},
      {{"k", Operator::kIn, {"a", "b", "c", "d", "e", "f", "g"}, std::nullopt},
       Operator::kIn,
       "k In [a b c d e and 2 others]"},
      {{"beta.kubernetes.io/arch", Operator::kIn, {"amd64"}, std::nullopt},
       Operator::kIn,
       "kubernetes.io/arch In [amd64]"},
  };
  for (const Row& row : rows) {
    const auto r = Requirement::make(row.spec);
    ASSERT_TRUE(r) << row.text;
    EXPECT_EQ(r->op(), row.op) << row.text;
    EXPECT_EQ(r->to_string(), row.text);
  }
  EXPECT_EQ(Requirement::make({"k", Operator::kGt, {"2"}, std::nullopt})->to_specs(),
            (std::vector<RequirementSpec>{{"k", Operator::kGte, {"3"}, std::nullopt}}));
}

TEST(Requirement, RefusesBadSpecs) {
  EXPECT_FALSE(Requirement::make({"k", Operator::kIn, {}, std::nullopt}));
  EXPECT_FALSE(Requirement::make({"k", Operator::kGt, {}, std::nullopt}));
  EXPECT_FALSE(Requirement::make({"k", Operator::kGt, {"x"}, std::nullopt}));
  EXPECT_FALSE(Requirement::make({"k", Operator::kLt, {"1", "2"}, std::nullopt}));
  EXPECT_FALSE(Requirement::make({"k", Operator::kLte, {"1.5"}, std::nullopt}));
}

TEST(Requirement, MinValuesKeepTheLarger) {
  Requirement a = Requirement::exists("k"), b = Requirement::exists("k");
  a.set_min_values(2);
  b.set_min_values(5);
  EXPECT_EQ(a.intersect(b).min_values(), 5);
  EXPECT_EQ(a.intersect(Requirement::exists("k")).min_values(), 2);
}

TEST(Requirement, OperatorNames) {
  for (const char* name : {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"}) {
    ASSERT_TRUE(parse_operator(name)) << name;
    EXPECT_EQ(to_string(*parse_operator(name)), name);
  }
  EXPECT_FALSE(parse_operator("in"));
}

Requirements reqs(std::vector<RequirementSpec> specs) { return *Requirements::make(specs); }

TEST(Requirements, CompatibleFollowsTheWellKnownRule) {
  const Requirements pool = reqs({{"team", Operator::kIn, {"a"}, std::nullopt}});
  const std::string zone(kLabelZone);
  struct Row {
    RequirementSpec pod;
    bool fresh, existing;
    const char* why;
  };
  const Row rows[] = {
      {{zone, Operator::kIn, {"z"}, std::nullopt}, true, false, "a pool need not define a well-known label"},
      {{"custom", Operator::kIn, {"x"}, std::nullopt}, false, false, "a custom label must be defined"},
      {{"custom", Operator::kExists, {}, std::nullopt}, false, false, "so must it to exist"},
      {{"custom", Operator::kNotIn, {"x"}, std::nullopt}, true, true, "its absence satisfies NotIn"},
      {{"custom", Operator::kDoesNotExist, {}, std::nullopt}, true, true, "and DoesNotExist"},
      {{"team", Operator::kIn, {"a", "b"}, std::nullopt}, true, true, "a value in common"},
      {{"team", Operator::kIn, {"b"}, std::nullopt}, false, false, "none in common"},
      {{"team", Operator::kDoesNotExist, {}, std::nullopt}, false, false, "the pool sets it"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(pool.compatible(reqs({row.pod}), true).has_value(), row.fresh) << row.why;
    EXPECT_EQ(pool.compatible(reqs({row.pod}), false).has_value(), row.existing) << row.why;
  }
  EXPECT_TRUE(reqs({{"k", Operator::kNotIn, {"a"}, std::nullopt}})
                  .intersects(reqs({{"k", Operator::kDoesNotExist, {}, std::nullopt}})));
}

TEST(Requirements, Messages) {
  const Requirements pool = reqs({{"team", Operator::kIn, {"a"}, std::nullopt}});
  EXPECT_EQ(pool.compatible(reqs({{"tea", Operator::kIn, {"x"}, std::nullopt}}), true).error().message,
            "label \"tea\" does not have known values (typo of \"team\"?)");
  EXPECT_EQ(pool.intersects(reqs({{"team", Operator::kIn, {"b"}, std::nullopt}})).error().message,
            "key team, team In [b] not in team In [a]");
}

TEST(Requirements, AddingIntersectsAndLabelsComeOut) {
  Requirements r = Requirements::from_labels({{"x", "1"}});
  r.add(*Requirement::make({"y", Operator::kIn, {"a", "b"}, std::nullopt}));
  r.add(*Requirement::make({"y", Operator::kNotIn, {"b"}, std::nullopt}));
  r.add(Requirement::exists("z"));
  EXPECT_EQ(r.single_values(), (StringMap{{"x", "1"}, {"y", "a"}}));
  EXPECT_EQ(r.to_specs().size(), 3U);
  r.erase("x");
  EXPECT_FALSE(r.has("x"));
  EXPECT_EQ(r.get("x").op(), Operator::kExists);
}

}  // namespace
}  // namespace tenon::model

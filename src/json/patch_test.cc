// SPDX-License-Identifier: Apache-2.0
#include "json/patch.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::json {
namespace {

value v(std::string_view text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : value();
}

struct MergeRow {
  const char *target, *patch, *expected;
};

// The examples of RFC 7386, appendix A, and nesting.
TEST(MergePatch, AsTheRfcSays) {
  const MergeRow rows[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const MergeRow& row : rows) {
    value target = v(row.target);
    apply_merge_patch(target, v(row.patch));
    EXPECT_EQ(target, v(row.expected)) << row.target << " + " << row.patch;
  }
}

TEST(MergePatch, MadeFromADifferenceGivesTheTarget) {
  const MergeRow rows[] = {
      {R"({"a":1,"b":{"c":[1],"d":2}})", R"({"b":{"c":[2],"d":2},"e":"x"})", R"({"a":null,"b":{"c":[2]},"e":"x"})"},
      {R"({"a":1})", R"({"a":1})", R"({})"},
      {R"({"a":{"b":1}})", R"({"a":2})", R"({"a":2})"},
  };
  for (const MergeRow& row : rows) {
    EXPECT_EQ(make_merge_patch(v(row.target), v(row.patch)), v(row.expected));
    value patched = v(row.target);
    apply_merge_patch(patched, make_merge_patch(v(row.target), v(row.patch)));
    EXPECT_EQ(patched, v(row.patch));
  }
}

TEST(JsonPatch, Operations) {
  const MergeRow rows[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2,3]})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"x":1}}])", R"({"a":{"x":1}})"},
      {R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/c"}])", R"({"b":2,"c":1})"},
      {R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":{"x":1},"b":{"x":1}})"},
      {R"({"a/b":1,"m~n":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"test","path":"/m~0n","value":2}])",
       R"({"m~n":2})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":[]}])", R"([])"},
  };
  for (const MergeRow& row : rows) {
    value target = v(row.target);
    const Status done = apply_json_patch(target, v(row.patch));
    EXPECT_TRUE(done.has_value()) << row.patch << ": " << (done ? "" : done.error().message);
    EXPECT_EQ(target, v(row.expected)) << row.patch;
  }
}

TEST(JsonPatch, RefusalNamesTheOperationAndChangesNothing) {
  const std::pair<const char*, const char*> rows[] = {
      {R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/nope"}])",
       "operation 1: path: nothing at \"nope\""},
      {R"([{"op":"test","path":"/a/0","value":7}])", "operation 0: test: the value at \"/a/0\" is another"},
      {R"([{"op":"frob","path":"/a"}])", "operation 0: op: \"frob\" is not an operation"},
      {R"([{"op":"add","path":"/a/5","value":1}])", "operation 0: path: \"5\" is not an index of this array"},
      {R"([{"op":"add","path":"/a/00","value":1}])", "operation 0: path: \"00\" is not an index of this array"},
      {R"([{"op":"add","path":"b","value":1}])", "operation 0: \"b\" is not a JSON pointer"},
      {R"([{"op":"add","path":"/b"}])", "operation 0: value: missing"},
      {R"([{"op":"move","from":"/a","path":"/a/0"}])", "operation 0: from: a value cannot be moved into itself"},
      {R"([{"op":"remove"}])", "operation 0: path: missing"},
      {R"({"op":"remove"})", "a JSON patch is an array of operations"},
  };
  for (const auto& [patch, message] : rows) {
    value target = v(R"({"a":[1]})");
    const Status done = apply_json_patch(target, v(patch));
    ASSERT_FALSE(done.has_value()) << patch;
    EXPECT_EQ(done.error().code, Code::kInvalid);
    EXPECT_EQ(done.error().message, message);
    EXPECT_EQ(target, v(R"({"a":[1]})"));
  }
}

}  // namespace
}  // namespace tenon::json

// SPDX-License-Identifier: Apache-2.0
#include "kube/list_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  std::vector<std::string> batches;
  Result<ListHead> head = fail(Code::kInternal, "not read");
};

Read read(std::string_view text, size_t batch = 2) {
  Read out;
  out.head = read_list(text, batch, [&](std::vector<json::value> items) {
    std::string all;
    for (const json::value& item : items) all += json::to_string(item) + ";";
    out.batches.push_back(all);
  });
  return out;
}

TEST(ListReader, DeliversTheItemsInBatches) {
  const Read got = read(
      "\n{\"kind\":\"PodList\", \"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"a\\\"b\","
      "\"remainingItemCount\":3},\"items\" : [ {\"a\":\"]}\\\\\"} ,\n{\"b\":[1,{\"c\":null}]},3 ] }\n");
  ASSERT_TRUE(got.head) << got.head.error().message;
  EXPECT_EQ(got.head->resource_version, "7");
  EXPECT_EQ(got.head->next, "a\"b");
  EXPECT_THAT(got.batches, ElementsAre(R"({"a":"]}\\"};{"b":[1,{"c":null}]};)", "3;"));
}

TEST(ListReader, AnEmptyListIsOneBatch) {
  for (const char* text :
       {R"({"items":[],"metadata":{"resourceVersion":"7"}})", R"({"metadata":{"resourceVersion":"7"}})",
        R"({"items":null,"metadata":{"resourceVersion":"7"}})"}) {
    const Read got = read(text);
    ASSERT_TRUE(got.head) << text << got.head.error().message;
    EXPECT_EQ(got.head->resource_version, "7") << text;
    EXPECT_THAT(got.batches, ElementsAre("")) << text;
  }
  EXPECT_THAT(read(R"({"items":[1,2]})").batches, ElementsAre("1;2;"));
}

TEST(ListReader, SaysWhereTheTextIsWrong) {
  const std::pair<std::string, std::string> table[] = {
      {"", "offset 0: '{' is missing"},
      {"[]", "offset 0: '{' is missing"},
      {"{\"items\":[{\"a\":1}", "offset 17: ']' is missing"},
      {"{\"items\":[{\"a\":1]}", "in the value at offset 10: "},
      {"{\"items\":[{\"a\":1", "offset 16: the text ends within a value"},
      {"{\"items\":[{\"a\":\"", "offset 16: a string does not end"},
      {"{\"items\":[1,]}", "offset 12: a value is missing"},
      {"{\"items\":[]", "offset 11: ',' is missing"},
      {"{\"items\":[]} x", "offset 13: text after the list"},
      {"{\"metadata\":nul}", "in the value at offset 12: "},
      {"{1:2}", "offset 2: a name is missing"},
      {"{\"a\\", "a string does not end"},
  };
  for (const auto& [text, message] : table) {
    const Read got = read(text);
    ASSERT_FALSE(got.head) << text;
    EXPECT_EQ(got.head.error().code, Code::kInvalid);
    EXPECT_THAT(got.head.error().message, HasSubstr(message)) << text;
  }
}

std::string streamed(std::string_view text, const std::vector<json::LeftOut>& left_out, Result<ListHead>& head) {
  std::string all;
  head = stream_list(text, left_out, [&](const json::value& item) { all += json::to_string(item) + ";"; });
  return all;
}

// The metadata of a list comes first for built-in kinds and last for others. Both orders are read.
TEST(ListReader, BuildsNoValuesOfWhatIsLeftOut) {
  const std::string items = R"("items":[{"metadata":{"name":"a","managedFields":[{"x":{}}]},"spec":{"b":1}},)"
                            R"({"metadata":{"managedFields":[],"name":"c"},"status":{"images":[1,2],"d":2}}])";
  const std::string metadata = R"("metadata":{"resourceVersion":"7","continue":"n"})";
  for (const std::string& text :
       {"{\"kind\":\"List\"," + metadata + "," + items + "}", "{" + items + "," + metadata + "}\n"}) {
    Result<ListHead> head = fail(Code::kInternal, "not read");
    EXPECT_EQ(streamed(text, {{"metadata", {{"managedFields"}}}, {"status", {{"images"}}}}, head),
              R"({"metadata":{"name":"a"},"spec":{"b":1}};{"metadata":{"name":"c"},"status":{"d":2}};)");
    ASSERT_TRUE(head) << head.error().message;
    EXPECT_EQ(head->resource_version, "7");
    EXPECT_EQ(head->next, "n");
  }
}

// The texts that the fast reader does not take, and those that no reader takes: each item is handed over once.
TEST(ListReader, AStreamSaysWhatTheListSays) {
  for (const char* text :
       {R"({"items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"7"}})", R"({"items":null,"metadata":{}})", "{}",
        "[]", "", R"({"items":[{"a":1},{"b":2},{"c")", R"({"items":[{"a":1},{"b":2)", R"({"items":[{"a":1}]} x)",
        R"({"items":[{"metadata":{"managedFields":[]},"kind":"late"},{"a":1}]})", R"({"items":[1,"x",null]})"}) {
    std::string whole;
    const auto expected = read_list(text, 1, [&](const std::vector<json::value>& items) {
      for (const json::value& item : items) whole += json::to_string(item) + ";";
    });
    Result<ListHead> head = fail(Code::kInternal, "not read");
    EXPECT_EQ(streamed(text, {{"metadata", {{"managedFields"}}}}, head), whole) << text;
    ASSERT_EQ(head.has_value(), expected.has_value()) << text;
    const std::string said = head ? head->resource_version : head.error().message;
    EXPECT_EQ(said, expected ? expected->resource_version : expected.error().message) << text;
  }
}

}  // namespace
}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"

#include <gtest/gtest.h>

namespace tenon::json {
namespace {

TEST(Json, DoublesAsGoWritesThem) {
  for (const auto& [in, out] : std::vector<std::pair<std::string, std::string>>{{"0.096", "0.096"},
                                                                                {"5.0", "5"},
                                                                                {"1e21", "1e+21"},
                                                                                {"1e-9", "1e-9"},
                                                                                {"123456.5", "123456.5"},
                                                                                {"7", "7"}}) {
    EXPECT_EQ(to_string(*parse(in)), out);
  }
}

// The result equals that of the library's own serializer, except for doubles.
TEST(Json, WritesWhatTheLibraryWouldWrite) {
  array all{nullptr, true, false, 0, -1, INT64_MIN, UINT64_MAX, "", "\xc3\xa9"};
  for (int c = 0; c < 128; ++c) all.emplace_back(std::string("a") + static_cast<char>(c) + "z");
  for (const std::string_view part : {"\"", "\\", "\n", "\x1f", " ", "\x7f", "!", "#", "[", "]", "\xc3\xa9"}) {
    for (size_t at = 0; at < 18; ++at) all.emplace_back(std::string(18, '~').replace(at, 1, part));
  }
  all.emplace_back(object{{"\"key\"\n", array{object()}}, {"", array()}});
  EXPECT_EQ(to_string(all), boost::json::serialize(all));
  EXPECT_EQ(parse(to_string(all)), value(all));
}

// A copy allocates its memory where the original does. Every thread that copies a shared object would write to an
// arena.
TEST(Json, DocumentsHaveTheirMemoryFromNobodyElse) {
  EXPECT_EQ(parse(R"({"a":[{}]})")->storage().get(), boost::json::storage_ptr().get());
}

TEST(Json, ErrorsNameTheOffset) {
  EXPECT_EQ(parse("{\"a\":}").error().code, Code::kInvalid);
  EXPECT_EQ(parse("[1] x").error().message.rfind("offset 4", 0), 0u);
  EXPECT_FALSE(parse(""));
}

TEST(Json, PathsFindEnsureAndErase) {
  value v = *parse(R"({"spec":{"nodeName":"n1","replicas":3,"paused":true}})");
  EXPECT_EQ(string_at(v, {"spec", "nodeName"}), "n1");
  EXPECT_EQ(string_at(v, {"spec", "replicas"}, "none"), "none");
  EXPECT_EQ(int_at(v, {"spec", "replicas"}), 3);
  EXPECT_TRUE(bool_at(v, {"spec", "paused"}));
  EXPECT_EQ(find(v, {"status", "phase"}), nullptr);
  ensure(v, {"status", "phase"}) = "Ready";
  EXPECT_EQ(string_at(v, {"status", "phase"}), "Ready");
  erase(v, {"spec", "nodeName"});
  erase(v, {"nothing", "here"});
  EXPECT_EQ(to_string(v), R"({"spec":{"replicas":3,"paused":true},"status":{"phase":"Ready"}})");
}

TEST(Json, PrettyIndentsByTwo) {
  EXPECT_EQ(to_pretty(*parse(R"({"a":[1,{}],"b":[]})")), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n");
}

TEST(Json, DeepDocumentsUpToTheLimit) {
  EXPECT_TRUE(parse(std::string(400, '[') + std::string(400, ']')));
  EXPECT_FALSE(parse(std::string(600, '[') + std::string(600, ']')));
}

}  // namespace
}  // namespace tenon::json

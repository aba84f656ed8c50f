// SPDX-License-Identifier: Apache-2.0
#include "json/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "json/json.h"

namespace tenon::json {
namespace {

using testing::HasSubstr;

std::string read(std::string_view text) {
  const auto documents = parse_yaml(text);
  if (!documents) return "error: " + documents.error().message;
  std::string out;
  for (const value& v : *documents) out += (out.empty() ? "" : " ; ") + to_string(v);
  return out;
}

// Expected values: the output of sigs.k8s.io/yaml for the same text.
TEST(Yaml, ScalarsAsGoReadsThem) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"yes", "true"},
      {"NO", "false"},
      {"y", "true"},
      {"n", "false"},
      {"On", "true"},
      {"oFF", R"("oFF")"},
      {"0755", "493"},
      {"-0755", "-493"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"-0x1F", "-31"},
      {"0X1f", "31"},
      {"0b11", "3"},
      {"0b2", R"("0b2")"},
      {"08", "8"},
      {"1_000", "1000"},
      {"_1", R"("_1")"},
      {"100m", R"("100m")"},
      {"1Gi", R"("1Gi")"},
      {"1e3", "1000"},
      {"1E3", "1000"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1.", "1"},
      {"12e", R"("12e")"},
      {"+12", "12"},
      {"-", "[null]"},
      {"12:30:45", R"("12:30:45")"},
      {"2025-01-01", R"("2025-01-01")"},
      {"9007199254740993", "9007199254740993"},
      {"18446744073709551615", "18446744073709551615"},
      {"1e400", R"("1e400")"},
      {"1e-400", "0"},
      {"0.1e-7", "1e-8"},
      {"1e21", "1e+21"},
      {"-0.0", "0"},
      {"0x", R"("0x")"},
      {"'1'", R"("1")"},
      {"\"yes\"", R"("yes")"},
      {"!Ref foo", R"("foo")"},
      {"!!str 1", R"("1")"},
      {"!!int \"3\"", "3"},
      {"!!float 3", "3"},
      {"!!binary aGk=", R"("hi")"},
      {"! 1", R"("1")"},
      {"nUll", R"("nUll")"},
      {"a b", R"("a b")"},
      {"...x", R"("...x")"},
  };
  for (const auto& [in, out] : table) EXPECT_EQ(read(in), out) << in;
}

TEST(Yaml, DocumentsAsGoReadsThem) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"on: yes\n1: a\n1.5: b\n1e3: c\n", R"({"true":true,"1":"a","1.5":"b","1000":"c"})"},
      {"a: 1\nb: 2\na: 3\n", R"({"a":3,"b":2})"},
      {"a: ~\nb:\nc: Null\n", R"({"a":null,"b":null,"c":null})"},
      {"x: &x {a: 1}\nz: *x\n", R"({"x":{"a":1},"z":{"a":1}})"},
      {"x: &x {a: 1}\nz:\n  <<: *x\n  a: 2\n", R"({"x":{"a":1},"z":{"a":2}})"},
      {"a: 1\n<<: {a: 2}\n", R"({"a":2})"},
      {"p: &p {a: 1}\nq: &q {a: 2, b: 3}\nz: {<<: [*p, *q], c: 1}\n",
       R"({"p":{"a":1},"q":{"a":2,"b":3},"z":{"a":1,"b":3,"c":1}})"},
      {"\"<<\": {a: 1}\n", R"({"<<":{"a":1}})"},
      {"a: 1\n---\n# nothing\n---\nb: 2\n--- null\n", R"({"a":1} ; {"b":2})"},
      {"", ""},
      {"{\"a\":\t[1, 2.5]}", R"({"a":[1,2.5]})"},
      {"a: >-\n  q\n  r\nb: |\n  x\n   y\n", R"({"a":"q r","b":"x\n y\n"})"},
      {"- a\n- - b\n  - c\n- d: e\n", R"(["a",["b","c"],{"d":"e"}])"},
  };
  for (const auto& [in, out] : table) EXPECT_EQ(read(in), out) << in;
}

TEST(Yaml, ErrorsNameLineAndColumn) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"a: b\nc: d: e\n", "line 2, column 5: mapping values are not allowed"},
      {"a: 1\n\tb: 2\n", "line 2, column 1: "},
      {"a: .inf\n", "line 1, column 4: .inf"},
      {"- a\n- *b\n", "line 2, column 3: *b has no anchor"},
      {"a: &a [*a]\n", "anchor &a contains itself"},
      {"null: a\n", "line 1, column 1: a mapping key must be a string, not null"},
      {"? [a]\n: b\n", "column 3: a mapping key must be a string, not a collection"},
      {"<<: 1\n", "<< takes a mapping"},
      {"<<: [{a: 1}, 2]\n", "<< takes a mapping"},
      {"a: !!int foo\n", "line 1, column 4: \"foo\" is not a !!int"},
      {"a: \"\\ud800\"\n", "line 1, column "},
      {"a: \x01\n", "offset 3: "},
      {"a: !!binary gICA\n", "!!binary: not UTF-8"},
      {"a: !!binary '*'\n", "!!binary: not base64"},
      {"a: [1\n", "line 2, column 1: "},
      {"%YAML 1.7\n---\na: 1\n", "incompatible"},
      {std::string(600, '[') + std::string(600, ']'), "nested deeper"},
  };
  for (const auto& [in, message] : table) {
    const auto result = parse_yaml(in);
    ASSERT_FALSE(result) << in;
    EXPECT_EQ(result.error().code, Code::kInvalid);
    EXPECT_THAT(result.error().message, HasSubstr(message)) << in;
  }
}

TEST(Yaml, AliasBombsAreRefused) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "a" + std::to_string(i), last = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [";
    for (int n = 0; n < 10; ++n) text += (n ? ", " : "") + last;
    text += "]\n";
  }
  const auto result = parse_yaml(text);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("aliases expand to more than 32 MiB"));
}

TEST(Yaml, WritesBlockStyle) {
  const value v =
      *parse(R"({"kind":"List","n":null,"items":[{"a":[],"b":{},"c":[1,[2,3]]},"x"],"script":"#!/bin/sh\necho hi\n"})");
  EXPECT_EQ(to_yaml(v),
            "kind: List\n\"n\": null\nitems:\n- a: []\n  b: {}\n  c:\n  - 1\n  - - 2\n    - 3\n- x\n"
            "script: |\n  #!/bin/sh\n  echo hi\n");
}

TEST(Yaml, WritesQuotesOnlyWhereNeeded) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"true", "\"true\""},
      {"0755", "\"0755\""},
      {"on", "\"on\""},
      {"1e3", "\"1e3\""},
      {"", "\"\""},
      {"plain", "plain"},
      {"a b", "a b"},
      {"- a", "'- a'"},
      {"-a", "-a"},
      {"a: b", "'a: b'"},
      {"a:b", "a:b"},
      {"it's", "it's"},
      {"'x'", "'''x'''"},
      {"*", "'*'"},
      {"a #b", "'a #b'"},
      {"a#b", "a#b"},
      {" a", "' a'"},
      {"a\tb", "\"a\\tb\""},
      {"~", "\"~\""},
      {".inf", "\".inf\""},
      {"<<", "\"<<\""},
      {"---", "'---'"},
      {"100m", "100m"},
      {"\x7f", "\"\\x7F\""},
      {"2025-01-01", "2025-01-01"},
      {"\xc2\x85", "\"\\x85\""},
      {"a:", "'a:'"},
      {"é", "é"},
  };
  for (const auto& [in, out] : table) EXPECT_EQ(to_yaml(value(in)), out + "\n") << in;
}

// Random documents with strings of characters that are special in YAML.
class Random {
 public:
  explicit Random(uint64_t seed) : prng_(seed) {}

  value any(int depth) {
    switch (prng_.below(depth > 4 ? 6 : 9)) {
      case 0: return nullptr;
      case 1: return prng_.chance(1, 2);
      case 2: return prng_.between(-1'000'000, 1'000'000);
      case 3: return 0.25 + double(prng_.between(-1000, 1000));
      case 4:
      case 5: return value(text());
      case 6: {
        array out;
        for (uint64_t n = prng_.below(4); n > 0; --n) out.push_back(any(depth + 1));
        return out;
      }
      default: {
        object out;
        for (uint64_t n = prng_.below(4); n > 0; --n) out[text()] = any(depth + 1);
        return out;
      }
    }
  }

 private:
  std::string text() {
    static const std::vector<std::string> kPieces = {"a",
                                                     "true",
                                                     "0755",
                                                     "1e3",
                                                     "on",
                                                     "y",
                                                     ": ",
                                                     " #",
                                                     "- ",
                                                     "\n",
                                                     "\n\n",
                                                     " ",
                                                     "\t",
                                                     "'",
                                                     "\"",
                                                     "\\",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     ",",
                                                     "&a",
                                                     "*a",
                                                     "!",
                                                     "|",
                                                     ">",
                                                     "%",
                                                     "@",
                                                     "?",
                                                     ":",
                                                     "-",
                                                     "~",
                                                     "null",
                                                     "é",
                                                     "\r",
                                                     "\x7f",
                                                     "---",
                                                     ".",
                                                     "0x",
                                                     "_",
                                                     "<<",
                                                     "=",
                                                     "\xe2\x80\xa8",
                                                     "\xef\xbb\xbf",
                                                     "\xf0\x9f\x98\x80"};
    std::string out;
    for (uint64_t n = prng_.below(prng_.chance(1, 40) ? 400 : 5); n > 0; --n)
      out += kPieces[prng_.below(kPieces.size())];
    return out;
  }
  Prng prng_;
};

TEST(Yaml, WhatIsWrittenReadsBackTheSame) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const value v = Random(seed).any(0);
    const std::string text = to_yaml(v);
    const auto back = parse_yaml(text);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message << "\n" << text;
    ASSERT_EQ(back->size(), v.is_null() ? 0u : 1u) << "seed " << seed << "\n" << text;
    if (!v.is_null()) {
      ASSERT_EQ(to_string(back->front()), to_string(v)) << "seed " << seed << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace tenon::json

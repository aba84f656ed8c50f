// SPDX-License-Identifier: Apache-2.0
#include "json/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::json {
namespace {

using testing::ElementsAre;

// A few bytes at a time.
class Slow final : public Source {
 public:
  Slow(std::string_view text, size_t step) : text_(text), step_(step) {}
  Result<size_t> read(char* into, size_t size) override {
    const size_t count = text_.copy(into, std::min(size, step_));
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  const size_t step_;
};

class Log final : public Receiver {
 public:
  bool takes_items(const Head& document) override { return document.kind.empty() || document.kind.ends_with("List"); }
  const std::vector<LeftOut>& left_out(const Head& object) override {
    static const std::vector<LeftOut> kNone, kPod{{"spec", {{"env"}, {"list", {{"x"}}}}}, {"status"}};
    return object.kind == "Pod" && object.stored ? kPod : kNone;
  }
  bool item(SharedValue item, const Head& document) override {
    out.push_back(document.kind + ": " + to_string(*item));
    return true;
  }
  bool document(SharedValue document, bool items_taken) override {
    out.push_back(std::string(items_taken ? "rest " : "") + to_string(*document));
    return true;
  }
  std::vector<std::string> out;
};

std::vector<std::string> read(const std::string& text, size_t step = 1 << 20) {
  Slow source(text, step);
  Log log;
  const Result<bool> taken = text.starts_with('{') ? stream_json(source, log) : stream_yaml(source, log);
  if (!taken.value()) log.out = {"not taken"};
  return log.out;
}

TEST(Stream, ItemsComeOneByOneBeforeTheRest) {
  const std::string text =
      R"({"kind":"PodList","items":[{"a":"\u00e9\n"},[1,{"b":[]}],null],"n":-1.5,"big":18446744073709551615})";
  for (const size_t step : {1u, 2u, 3u, 7u, 1u << 20}) {
    EXPECT_THAT(read(text, step), ElementsAre("PodList: {\"a\":\"é\\n\"}", R"(PodList: [1,{"b":[]}])", "PodList: null",
                                              R"(rest {"kind":"PodList","n":-1.5,"big":18446744073709551615})"));
  }
  const std::string yaml =
      "kind: PodList\nitems:\n- a: \"x\\n\"\n-\n  - 1\n  - b: []\n- ~\nm: -1.5\n---\nkind: A\nitems:\n- 1\n";
  for (const size_t step : {1u, 2u, 3u, 7u, 1u << 20}) {
    EXPECT_THAT(read(yaml, step), ElementsAre("PodList: {\"a\":\"x\\n\"}", R"(PodList: [1,{"b":[]}])", "PodList: null",
                                              R"(rest {"kind":"PodList","m":-1.5})", R"({"kind":"A","items":[1]})"));
  }
}

// A list with items, a refused text in the middle of a list, of a string and of a part that is left out, and objects.
TEST(Stream, OneReaderReadsTextsAsManyDo) {
  const std::vector<std::string> texts{
      R"({"kind":"PodList","items":[{"a":1},[2]],"n":3})",
      R"({"kind":"PodList","items":[{"a":1},[)",
      R"({"kind":"Pod","metadata":{"uid":"u"},"status":{"a":"\u00e9 x)",
      R"({"kind":"Pod","metadata":{"uid":"u"},"status":{"a":"b"},"n":1})",
      R"({"kind":"Pod","items":[1],"n":"\u00e9"})",
      R"({"n":1} x)",
      R"({"a":[1,2]})",
  };
  for (const std::string& before : texts) {
    for (const std::string& text : texts) {
      Log log;
      JsonReader reader(log);
      reader.read(before);
      log.out.clear();
      if (!reader.read(text)) log.out = {"not taken"};
      EXPECT_EQ(log.out, read(text)) << before << " then " << text;
    }
  }
}

TEST(Stream, ItemsGoOnBehindComments) {
  EXPECT_THAT(read("kind: PodList\nk:\nitems:\n- a\n# c\n- b\n-\n# c\n  d: 1\n# c\nl: 2\n"),
              ElementsAre("PodList: \"a\"", "PodList: \"b\"", R"(PodList: {"d":1})",
                          R"(rest {"kind":"PodList","k":null,"l":2})"));
}

TEST(Stream, WhatIsLeftOutIsNotThere) {
  const std::string object = R"({"kind":"Pod","metadata":{"uid":"u"},"spec":{"a":1,"env":{"x":["y"]},)"
                             R"("list":[{"x":1,"y":2},[{"x":{}}]]},"status":7})";
  EXPECT_THAT(read(object),
              ElementsAre(R"({"kind":"Pod","metadata":{"uid":"u"},"spec":{"a":1,"list":[{"y":2},[{}]]}})"));
  EXPECT_THAT(read(to_yaml(*parse(object))),
              ElementsAre(R"({"kind":"Pod","metadata":{"uid":"u"},"spec":{"a":1,"list":[{"y":2},[{}]]}})"));
  const std::string fresh = R"({"kind":"Pod","spec":{"env":1},"metadata":{"uid":"u"}})";
  EXPECT_THAT(read(fresh), ElementsAre(fresh));  // its uid came too late
}

TEST(Stream, WhatIsLeftOutIsReadAllTheSame) {
  const std::string begin = R"({"kind":"Pod","metadata":{"uid":"u"},"spec":{"env":)";
  for (const char* wrong : {"[1,]", "{\"a\":1 2}", "\"\x01\"", "tru", "[[[", "\"\xff\""}) {
    EXPECT_THAT(read(begin + wrong + "}}"), ElementsAre("not taken")) << wrong;
  }
  for (const char* wrong : {"[1,", "a: b: c", "\"open", "*x", "|\n   a\n  b", ".inf"}) {
    EXPECT_THAT(read("kind: Pod\nmetadata:\n  uid: u\nspec:\n  env: " + std::string(wrong) + "\n"),
                ElementsAre("not taken"))
        << wrong;
  }
}

// If the kind is given twice, the later one counts, but members that were left out are lost.
TEST(Stream, DoubtfulObjectsAreNotTaken) {
  EXPECT_THAT(read(R"({"kind":"Pod","metadata":{"uid":"u"},"status":1,"kind":"Node"})"), ElementsAre("not taken"));
  EXPECT_THAT(read(R"({"kind":"Pod","metadata":{"uid":"u"},"status":1,"metadata":{}})"), ElementsAre("not taken"));
  const std::string early = R"({"kind":"Pod","kind":"Node","metadata":{"uid":"u"},"status":1})";
  EXPECT_THAT(read(early), ElementsAre(R"({"kind":"Node","metadata":{"uid":"u"},"status":1})"));
}

// Forms that kubectl prints: each is accepted, and gives the same objects as the other reader.
TEST(Stream, YamlThatToolsPrintIsTaken) {
  const std::vector<std::string> texts{
      "a: 1\nb: 1.5\nc: 100m\nd: 0x1F\ne: 1e3\nf: on\ng: ~\nh:\ni: null\nj: 'it''s'\nk: \"0\"\nl: {}\nm: []\n",
      "yes: 1\n\"yes\": 2\n1: 3\n1.5: 4\n.: {}\nf:a.b/c: {}\nk:{\"uid\":\"u\"}: {}\n",
      "a:\n- 1\n- b: 2\n  c:\n  - - 3\n    - 4\n  -\n    d: 5\n-\n- x\ne:\n  - f\n",
      "a: |\n  x\n\n   y\nb: |-\n  z\n\nc: |+\n  k\n\nd: >\n  f\n  g\ne: |2\n   h\nf: last\n",
      "a: one\n  two\nb: 'one\n  two'\nc: \"one \\\n  two\"\nd:\n- 'x\n\n  y'\ne: [1, {a: b}]\n",
      "a: é\nb: \"é\"\n",
      "a: b\n# a comment\nc: d\n",
      "a: x:y\nb: -x\nc: a#b\nd: http://x/?a=b&c\ne: ---\n",
      "a:   1\nb:  'x'\n\nc: d\n",
      "a: b",
      "a: |\n  b",
      "- a\n- b\n",
  };
  for (const std::string& text : texts) {
    const auto whole = parse_yaml(text);
    ASSERT_TRUE(whole) << text;
    EXPECT_THAT(read(text), ElementsAre(to_string(whole->front()))) << text;
  }
}

TEST(Stream, OtherYamlIsLeftToTheOtherReader) {
  for (const char* text : {"a: &x 1\n", "a: 1\n...\nb: 2\n", "%YAML 1.1\n---\na: 1\n", "--- {a: 1}\n",
                           "items:\n- a\nb: [\n", "  a: 1\nitems:\n- b\n", "items:\n  - b\n c: 1\n",
                           "- a\nitems:\n- b\n", "a: \"x\nitems:\n- b\"\n", "items:\n- \"x\n- b\"\n", "items:\nb: 1\n",
                           "a:\n-    b c:\n  - d\n", "k:\nitems:\n  - a\n- b\n", "k:\nitems:\n- a\n|\n  b\n"}) {
    EXPECT_THAT(read(text), ElementsAre("not taken")) << text;
  }
}

}  // namespace
}  // namespace tenon::json

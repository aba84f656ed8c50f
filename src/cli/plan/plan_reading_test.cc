// Large files, which are read object by object: users get the same output as for small files.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/plan/plan_input.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");
constexpr int kPods = 3000;  // of about 400 bytes: more than the size of a file that is read at once

InputOptions options() { return {.types = std::make_shared<const std::vector<model::InstanceType>>(), .now = kNow}; }

std::string number(int i) { return std::to_string(10'000 + i); }

json::value pod(int i) {
  return *json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[{"manager":"m"}],"name":"p)" +
                      number(i) + R"(","uid":"u)" + number(i) +
                      R"("},"spec":{"containers":[{"env":[{"name":"A","value":"a longer text"}],"image":)" +
                      R"("registry.example.com/a:1","name":"app","resources":{"requests":{"cpu":")" +
                      std::to_string(1 + i % 3) + R"("}}}],"nodeName":"n1","volumes":[{"name":"kube-api-access-)" +
                      number(i) + R"(","projected":{"sources":[]}}]},"status":{"containerStatuses":[)" +
                      R"({"image":"a:1","name":"app"}],"phase":"Running"}})");
}

json::array objects() {
  json::array items{*json::parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})")};
  for (int i = 0; i < kPods; ++i) items.push_back(pod(i));
  return items;
}

json::value list(json::array items) {
  return json::object{{"apiVersion", "v1"}, {"items", std::move(items)}, {"kind", "List"}};
}

// Counts the objects that it passes to a reader.
class Counted final : public DocumentSink {
 public:
  explicit Counted(DocumentSink& sink) : sink_(sink) {}
  void document(const Document& document) override {
    ++documents;
    sink_.document(document);
  }
  void restart() override {
    ++restarts;
    documents = 0;
    sink_.restart();
  }
  size_t documents = 0, restarts = 0;

 private:
  DocumentSink& sink_;
};

struct Outcome {
  Result<PlanInput> input;
  size_t restarts = 0;
};

Outcome read(const std::string& file, std::istream& standard_input) {
  PlanInputReader reader(options());
  Counted counted(reader);
  const Status status = read_documents({file}, standard_input, counted);
  if (!status) return {fail(status.error()), counted.restarts};
  return {reader.finish(options()), counted.restarts};
}
Outcome read_text_as(const std::string& name, const std::string& text) {
  const TempFolder folder;
  folder.write(name, text);
  std::istringstream none;
  Outcome outcome = read(folder.file(name), none);
  if (!outcome.input) {
    std::string& message = outcome.input.error().message;
    EXPECT_TRUE(message.starts_with(folder.file(""))) << message;
    message.erase(0, folder.file("").size());
  }
  return outcome;
}

void expect_all(const Outcome& outcome) {
  ASSERT_TRUE(outcome.input) << outcome.input.error().message;
  const scheduling::Snapshot& snapshot = outcome.input->snapshot;
  ASSERT_EQ(snapshot.nodes.size(), 1u);
  ASSERT_EQ(snapshot.nodes[0].pods.size(), size_t{kPods});
  EXPECT_EQ(snapshot.nodes[0].pods[4]->meta.name, "p10004");
  EXPECT_EQ(snapshot.nodes[0].pods[4]->spec->requests.get(model::kCpu), 2000);
  EXPECT_EQ(&*snapshot.nodes[0].pods[1]->spec, &*snapshot.nodes[0].pods[4]->spec);
  EXPECT_TRUE(outcome.input->warnings.empty());
}

TEST(PlanReading, ListsInBothFormatsAndStreams) {
  const json::value all = list(objects());
  std::string stream;
  for (const json::value& object : objects()) stream += "---\n" + json::to_yaml(object);
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"compact.json", json::to_string(all)},
                                                        {"pretty.json", json::to_pretty(all)},
                                                        {"list.yaml", json::to_yaml(all)},
                                                        {"stream.yaml", stream}}) {
    SCOPED_TRACE(name);
    const Outcome outcome = read_text_as(name, text);
    expect_all(outcome);
    EXPECT_EQ(outcome.restarts, 0u);
  }
}

TEST(PlanReading, StandardInputAndGzip) {
  const std::string text = json::to_string(list(objects()));
  std::istringstream standard_input(text);
  expect_all(read("-", standard_input));
  const TempFolder folder;
  const std::string path = folder.file("a.json.gz");
  for (const char* mode : {"wb", "ab"}) {  // two members
    gzFile file = gzopen(path.c_str(), mode);
    const std::string part = mode[0] == 'w' ? text.substr(0, text.size() / 2) : text.substr(text.size() / 2);
    gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
    gzclose(file);
  }
  std::istringstream none;
  expect_all(read(path, none));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  EXPECT_EQ(read(path, none).input.error().message, path + ": the gzip data ends too early");
}

// A member that comes late in a text can change the meaning of earlier ones; the text is then read again as a whole.
TEST(PlanReading, TextsThatAreNotWhatTheyBeganAsAreReadAgain) {
  json::array items = objects();
  for (json::value& item : items) {
    item.as_object().erase("apiVersion");
    item.as_object().erase("kind");
  }
  items.erase(items.begin());
  const std::string members = json::to_string(items);
  const Outcome late = read_text_as("late.json", R"({"items":)" + members + R"(,"kind":"PodList","apiVersion":"v1"})");
  ASSERT_TRUE(late.input);
  EXPECT_EQ(late.restarts, 1u);
  EXPECT_EQ(late.input->warnings.size(), size_t{kPods});  // n1 is not in the input

  const std::string all = json::to_string(objects());
  const Outcome other = read_text_as("other.json", R"({"apiVersion":"v1","items":)" + all + R"(,"kind":"ConfigMap"})");
  ASSERT_TRUE(other.input);
  EXPECT_EQ(other.restarts, 1u);
  EXPECT_TRUE(other.input->snapshot.nodes.empty());

  const Outcome anchors = read_text_as("anchors.yaml", json::to_yaml(list(objects())) + "x: &a 1\ny: *a\n");
  EXPECT_EQ(anchors.restarts, 1u);
  expect_all(anchors);
}

// The same messages as for a small file: first unreadable objects, then invalid ones.
TEST(PlanReading, ErrorsNameTheirPlace) {
  const auto with = [](int index, const std::string& object) {
    json::array items = objects();
    items.at(size_t(index)) = *json::parse(object);
    return list(std::move(items));
  };
  const json::value quantity = with(2001, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","uid":"u"},"spec":)"
                                          R"({"containers":[{"env":[],"resources":{"requests":{"cpu":"x"}}}]}})");
  const std::string wrong =
      ": document 1: items[2001].spec.containers[0].resources.requests.cpu: \"x\" is not a quantity";
  EXPECT_THAT(read_text_as("a.json", json::to_string(quantity)).input.error().message, HasSubstr("a.json" + wrong));
  EXPECT_THAT(read_text_as("a.yaml", json::to_yaml(quantity)).input.error().message, HasSubstr("a.yaml" + wrong));
  const json::value no_kind = with(2002, R"({"apiVersion":"v1"})");
  EXPECT_EQ(read_text_as("a.json", json::to_string(no_kind)).input.error().message,
            "a.json: document 1: items[2002].kind: missing");
  const std::string cut = json::to_string(quantity);
  EXPECT_THAT(read_text_as("a.json", cut.substr(0, cut.size() - 10)).input.error().message,
              HasSubstr("a.json: line 1, "));
  const std::string yaml = json::to_yaml(quantity);
  const auto lines = std::to_string(std::count(yaml.begin(), yaml.end(), '\n') + 1);
  EXPECT_THAT(read_text_as("a.yaml", yaml + "a: b: c\n").input.error().message,
              HasSubstr("a.yaml: line " + lines + ", column 5: mapping values are not allowed"));
}

TEST(PlanReading, FieldsThatNobodyKnowsAreTold) {
  json::array items = objects();
  items.push_back(*json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":)"
                               R"({"nodeName":"n1","containers":[{"envs":[]}]}})"));
  const Outcome outcome = read_text_as("a.json", json::to_string(list(std::move(items))));
  ASSERT_TRUE(outcome.input);
  EXPECT_EQ(outcome.restarts, 0u);
  EXPECT_THAT(
      outcome.input->warnings,
      ElementsAre(HasSubstr("a.json: document 1: items[3001].spec.containers[0].envs: Pod x has no such field")));
}

TEST(PlanReading, OfTwoPodsWithOneNameTheLaterCounts) {
  json::array items = objects();
  json::value again = pod(7);
  again.at("spec").as_object()["nodeName"] = "n2";
  items.push_back(std::move(again));
  const Outcome outcome = read_text_as("a.json", json::to_string(list(std::move(items))));
  ASSERT_TRUE(outcome.input);
  EXPECT_EQ(outcome.input->snapshot.nodes[0].pods.size(), size_t{kPods - 1});
  EXPECT_THAT(outcome.input->warnings, ElementsAre("pod default/p10007 runs on node n2, which is not in the input"));
}

}  // namespace
}  // namespace tenon::cli

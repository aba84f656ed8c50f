// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/patches.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

json::value parse(std::string_view text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : json::value();
}

// Returns the pod after a strategic merge patch.
struct StrategicRow {
  const char* why;
  const char* target;
  const char* patch;
  const char* left;
};
void PrintTo(const StrategicRow& row, std::ostream* out) { *out << row.why; }

class StrategicMerge : public ::testing::TestWithParam<StrategicRow> {};

TEST_P(StrategicMerge, LeavesWhatARealServerLeaves) {
  const StrategicRow& row = GetParam();
  json::value at = parse(row.target);
  const auto done =
      apiserver::apply_strategic_merge_patch(at, parse(row.patch), *apiserver::builtin_shape("v1", "Pod"));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(at, parse(row.left)) << row.why << "\n" << json::to_string(at);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, StrategicMerge,
    ::testing::Values(
        StrategicRow{"items of a list with a merge key are merged",
                     R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]}})",
                     R"({"spec":{"containers":[{"name":"b","image":"z"}]}})",
                     R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"z"}]}})"},
        StrategicRow{"an item goes by $patch: delete",
                     R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]}})",
                     R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
                     R"({"spec":{"containers":[{"name":"b","image":"y"}]}})"},
        StrategicRow{"a list is replaced by $patch: replace", R"({"spec":{"containers":[{"name":"a","image":"x"}]}})",
                     R"({"spec":{"containers":[{"name":"c","image":"z"},{"$patch":"replace"}]}})",
                     R"({"spec":{"containers":[{"name":"c","image":"z"}]}})"},
        StrategicRow{"a list without a merge key is replaced", R"({"spec":{"tolerations":[{"key":"a"}]}})",
                     R"({"spec":{"tolerations":[{"key":"b"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"},
        StrategicRow{"null removes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                     R"({"metadata":{"labels":{"a":null}}})", R"({"metadata":{"labels":{"b":"2"}}})"},
        StrategicRow{"a map is replaced by $patch: replace", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                     R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})", R"({"metadata":{"labels":{"c":"3"}}})"},
        StrategicRow{"scalars of a merged list are added once", R"({"metadata":{"finalizers":["a"]}})",
                     R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["a","b"]}})"},
        StrategicRow{"scalars go by $deleteFromPrimitiveList", R"({"metadata":{"finalizers":["a","b"]}})",
                     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
                     R"({"metadata":{"finalizers":["b"]}})"},
        StrategicRow{"the order follows $setElementOrder",
                     R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
                     R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}})",
                     R"({"spec":{"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}})"},
        StrategicRow{
            "a union keeps what $retainKeys names", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
            R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"},"$retainKeys":["name","hostPath"]}]}})",
            R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})"}));

class Patches : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto made =
        api_.call("POST", "/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
    ASSERT_EQ(made.status, 201) << made.text;
  }
  testing::Caller::Answer patch(const std::string& type, const std::string& body) {
    return api_.call("PATCH", "/api/v1/namespaces/default/configmaps/m", body, {.type = type});
  }
  testing::Caller api_;
};

TEST_F(Patches, OfEachType) {
  EXPECT_EQ(patch("application/json-patch+json", R"([{"op":"add","path":"/data/b","value":"2"}])").at("data/b"), "2");
  EXPECT_EQ(patch("application/merge-patch+json", R"({"data":{"a":null,"c":"3"}})").at("data/a"), "");
  EXPECT_EQ(patch("application/strategic-merge-patch+json", R"({"data":{"d":"4"}})").at("data/d"), "4");
  EXPECT_EQ(patch("text/plain", "{}").status, 415);
}

TEST_F(Patches, ThatDoNotFitAreInvalid) {
  const auto failed = patch("application/json-patch+json", R"([{"op":"test","path":"/data/a","value":"2"}])");
  EXPECT_EQ(failed.status, 422);
  EXPECT_EQ(failed.at("details"), "{}");
  const auto merged = patch("application/merge-patch+json", R"({"data":{"a":5}})");
  EXPECT_EQ(merged.status, 422);
  EXPECT_EQ(merged.at("details/causes/0/field"), "patch");
  const auto strategic = patch("application/strategic-merge-patch+json", R"({"data":{"a":5}})");
  EXPECT_EQ(
      strategic.at("message"),
      R"( "" is invalid: patch: Invalid value: "map[data:map[a:5]]": json: cannot unmarshal number into Go struct )"
      "field ConfigMap.data of type string");
  EXPECT_EQ(api_.get("/api/v1/namespaces/default/configmaps/m").at("data/a"), "1") << "nothing was written";
}

TEST_F(Patches, WithAStaleVersionConflict) {
  EXPECT_EQ(patch("application/merge-patch+json", R"({"metadata":{"resourceVersion":"1"},"data":{"a":"2"}})").status,
            409);
}

}  // namespace
}  // namespace tenon::kubesim

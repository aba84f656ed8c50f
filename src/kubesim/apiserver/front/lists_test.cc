// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kMaps = "/api/v1/namespaces/default/configmaps";

class Lists : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d", "e"}) make(name);
  }
  void make(const std::string& name) {
    const std::string tier = name < "c" ? "front" : "back";
    const auto made =
        api_.call("POST", kMaps, R"({"metadata":{"name":")" + name + R"(","labels":{"tier":")" + tier + R"("}}})");
    ASSERT_EQ(made.status, 201) << made.text;
  }
  void remove(const std::string& name) { ASSERT_EQ(api_.call("DELETE", kMaps + "/" + name).status, 200); }
  std::vector<std::string> names(const testing::Caller::Answer& answer) {
    std::vector<std::string> result;
    for (const json::value& item : json::array_at(answer.body, {"items"})) {
      result.emplace_back(json::string_at(item, {"metadata", "name"}));
    }
    return result;
  }
  testing::Caller api_;
};

TEST_F(Lists, PagesShowTheStateOfTheFirst) {
  const auto first = api_.get(kMaps + "?limit=2");
  EXPECT_THAT(names(first), ElementsAre("a", "b"));
  EXPECT_EQ(first.at("metadata/remainingItemCount"), "3");
  remove("c");
  make("bb");
  const auto second = api_.get(kMaps + "?limit=2&continue=" + first.at("metadata/continue"));
  EXPECT_THAT(names(second), ElementsAre("c", "d"));
  EXPECT_EQ(second.at("metadata/resourceVersion"), first.at("metadata/resourceVersion"));
  const auto last = api_.get(kMaps + "?limit=2&continue=" + second.at("metadata/continue"));
  EXPECT_THAT(names(last), ElementsAre("e"));
  EXPECT_EQ(last.at("metadata/continue"), "");
  EXPECT_EQ(last.at("metadata/remainingItemCount"), "");
}

TEST_F(Lists, ASelectedPageTellsNothingOfTheRest) {
  const auto page = api_.get(kMaps + "?limit=1&labelSelector=tier%3Dback");
  EXPECT_THAT(names(page), ElementsAre("c"));
  EXPECT_THAT(names(api_.get(kMaps + "?limit=5&labelSelector=tier%3Dback&continue=" + page.at("metadata/continue"))),
              ElementsAre("d", "e"));
}

TEST_F(Lists, AContinueTokenGetsOld) {
  const std::string token = api_.get(kMaps + "?limit=2").at("metadata/continue");
  api_.run(1h);
  const auto late = api_.get(kMaps + "?limit=2&continue=" + token);
  EXPECT_EQ(late.status, 410);
  EXPECT_EQ(late.at("reason"), "Expired");
}

TEST_F(Lists, AStrangeTokenIsABadRequest) { EXPECT_EQ(api_.get(kMaps + "?limit=2&continue=bm9uc2Vuc2U").status, 400); }

TEST_F(Lists, SelectorsOfLabelsAndFields) {
  EXPECT_THAT(names(api_.get(kMaps + "?labelSelector=tier%20in%20(front,side),!gone")), ElementsAre("a", "b"));
  EXPECT_THAT(names(api_.get(kMaps + "?labelSelector=tier%20notin%20(front)")), ElementsAre("c", "d", "e"));
  EXPECT_THAT(names(api_.get(kMaps + "?fieldSelector=metadata.name%3Dd,metadata.namespace%3Ddefault")),
              ElementsAre("d"));
  EXPECT_THAT(names(api_.get("/api/v1/namespaces/other/configmaps")), IsEmpty());
  EXPECT_EQ(api_.get(kMaps + "?fieldSelector=data.a%3Db").at("message"), "field label not supported: data.a");
  EXPECT_EQ(api_.get(kMaps + "?labelSelector=tier%20like%20x").status, 400);
}

TEST_F(Lists, AVersionOfTheFutureIsNotWaitedForLong) {
  const auto answer = api_.get(kMaps + "?resourceVersion=99999");
  EXPECT_NE(answer.status, 200);
}

TEST_F(Lists, AWatchTellsWhatFollowsAVersion) {
  const std::string version = api_.get(kMaps).at("metadata/resourceVersion");
  make("f");
  remove("a");
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&resourceVersion=" + version), ElementsAre("ADDED f", "DELETED a"));
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&labelSelector=tier%3Dback&resourceVersion=" + version),
              ElementsAre("ADDED f"));
  EXPECT_THAT(api_.watch(kMaps + "/f?watch=true&resourceVersion=" + version), ElementsAre("ADDED f"));
}

TEST_F(Lists, LeavingASelectionIsADeletion) {
  const std::string version = api_.get(kMaps).at("metadata/resourceVersion");
  ASSERT_EQ(api_.call("PATCH", kMaps + "/a", R"({"metadata":{"labels":{"tier":"back"}}})",
                      {.type = "application/merge-patch+json"})
                .status,
            200);
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&labelSelector=tier%3Dfront&resourceVersion=" + version),
              ElementsAre("DELETED a"));
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&labelSelector=tier%3Dback&resourceVersion=" + version),
              ElementsAre("ADDED a"));
}

TEST_F(Lists, WithoutAVersionAWatchBeginsWithWhatThereIs) { EXPECT_THAT(api_.watch(kMaps + "?watch=true"), SizeIs(5)); }

TEST_F(Lists, ACompactedLogIsGone) {
  const std::string version = api_.get(kMaps).at("metadata/resourceVersion");
  make("f");
  make("g");
  api_.api().compact();
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&resourceVersion=" + version), ElementsAre("ERROR 410"));
  EXPECT_EQ(api_.get(kMaps + "?resourceVersion=1&resourceVersionMatch=Exact").status, 410);
}

TEST_F(Lists, InitialEventsEndWithABookmark) {
  const auto events = api_.watch(
      kMaps + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  ASSERT_THAT(events, SizeIs(6));
  EXPECT_EQ(events.back(), "BOOKMARK ");
  EXPECT_THAT(api_.watch(kMaps + "?watch=true&sendInitialEvents=true"), ElementsAre("HTTP 400"));
}

}  // namespace
}  // namespace tenon::kubesim

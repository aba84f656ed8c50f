// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/collector.h"

#include <gtest/gtest.h>

#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

const std::string kMaps = "/api/v1/namespaces/default/configmaps";

class Collection : public ::testing::Test {
 protected:
  // A config map, owned by another one if `owner` names it.
  void make(const std::string& name, const std::string& owner = "", const std::string& more = "") {
    std::string owners;
    if (!owner.empty()) {
      owners = R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":")" + owner + R"(","uid":")" +
               api_.get(kMaps + "/" + owner).at("metadata/uid") + R"(","blockOwnerDeletion":true}])";
    }
    const auto made = api_.call("POST", kMaps, R"({"metadata":{"name":")" + name + "\"" + owners + more + "}}");
    ASSERT_EQ(made.status, 201) << made.text;
  }
  void remove(const std::string& name, const std::string& policy) {
    const auto gone = api_.call("DELETE", kMaps + "/" + name, R"({"propagationPolicy":")" + policy + "\"}");
    ASSERT_EQ(gone.status, 200) << gone.text;
  }
  bool exists(const std::string& name) { return api_.get(kMaps + "/" + name).status == 200; }
  testing::Caller api_;
};

TEST_F(Collection, InTheBackgroundDependentsFollow) {
  make("owner");
  make("child", "owner");
  make("grandchild", "child");
  remove("owner", "Background");
  EXPECT_FALSE(exists("owner"));
  api_.run(1min);
  EXPECT_FALSE(exists("child"));
  EXPECT_FALSE(exists("grandchild"));
}

TEST_F(Collection, InTheForegroundDependentsGoFirst) {
  make("owner");
  make("child", "owner", R"(,"finalizers":["x.io/keep"])");
  remove("owner", "Foreground");
  api_.run(1min);
  EXPECT_TRUE(exists("owner")) << "its child is still there";
  EXPECT_EQ(api_.get(kMaps + "/owner").at("metadata/finalizers/0"), "foregroundDeletion");
  api_.call("PATCH", kMaps + "/child", R"({"metadata":{"finalizers":null}})", {.type = "application/merge-patch+json"});
  api_.run(1min);
  EXPECT_FALSE(exists("child"));
  EXPECT_FALSE(exists("owner"));
}

TEST_F(Collection, OrphansStay) {
  make("owner");
  make("child", "owner");
  remove("owner", "Orphan");
  api_.run(1min);
  EXPECT_FALSE(exists("owner"));
  EXPECT_TRUE(exists("child"));
  EXPECT_EQ(api_.get(kMaps + "/child").at("metadata/ownerReferences"), "");
}

TEST_F(Collection, AnOwnerThatNeverWasIsNone) {
  const auto made = api_.call("POST", kMaps, R"({"metadata":{"name":"lost","ownerReferences":[{"apiVersion":"v1",
      "kind":"ConfigMap","name":"ghost","uid":"00000000-0000-4000-8000-000000000000"}]}})");
  ASSERT_EQ(made.status, 201) << made.text;
  api_.run(1min);
  EXPECT_FALSE(exists("lost"));
}

TEST_F(Collection, ANamespaceEndsWithItsContent) {
  api_.call("POST", "/api/v1/namespaces", R"({"metadata":{"name":"red"}})");
  const std::string maps = "/api/v1/namespaces/red/configmaps";
  ASSERT_EQ(api_.call("POST", maps, R"({"metadata":{"name":"m","finalizers":["x.io/keep"]}})").status, 201);
  EXPECT_EQ(api_.call("DELETE", "/api/v1/namespaces/red").at("status/phase"), "Terminating");
  EXPECT_EQ(api_.call("POST", maps, R"({"metadata":{"name":"late"}})").status, 403);
  api_.run(1min);
  EXPECT_EQ(api_.get("/api/v1/namespaces/red").status, 200) << "a finalizer holds it";
  api_.call("PATCH", maps + "/m", R"({"metadata":{"finalizers":null}})", {.type = "application/merge-patch+json"});
  api_.run(1min);
  EXPECT_EQ(api_.get("/api/v1/namespaces/red").status, 404);
}

TEST_F(Collection, ANamespaceHasItsServiceAccount) {
  api_.call("POST", "/api/v1/namespaces", R"({"metadata":{"name":"red"}})");
  api_.run(1s);
  EXPECT_EQ(api_.get("/api/v1/namespaces/red/serviceaccounts/default").status, 200);
}

}  // namespace
}  // namespace tenon::kubesim

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/objects/server_side_apply.h"

#include <gtest/gtest.h>

#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

class ServerSideApply : public ::testing::Test {
 protected:
  testing::Caller::Answer apply(const std::string& manager, const std::string& data, const std::string& more = "") {
    return api_.call("PATCH", "/api/v1/namespaces/default/configmaps/m?fieldManager=" + manager + more,
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":)" + data + "}",
                     {.type = "application/apply-patch+yaml"});
  }
  std::string data() { return api_.get("/api/v1/namespaces/default/configmaps/m").at("data"); }
  testing::Caller api_;
};

TEST_F(ServerSideApply, MakesWhatIsMissing) {
  EXPECT_EQ(apply("one", R"({"a":"1"})").status, 201);
  EXPECT_EQ(apply("one", R"({"a":"1"})").status, 200);
  EXPECT_EQ(data(), R"({"a":"1"})");
}

TEST_F(ServerSideApply, NeedsAManager) { EXPECT_EQ(apply("", R"({"a":"1"})").status, 400); }

TEST_F(ServerSideApply, WhatIsNoLongerAppliedGoes) {
  apply("one", R"({"a":"1","b":"2"})");
  apply("one", R"({"b":"2"})");
  EXPECT_EQ(data(), R"({"b":"2"})");
}

TEST_F(ServerSideApply, WhatSomebodyElseAppliesTooStays) {
  apply("one", R"({"a":"1","b":"2"})");
  EXPECT_EQ(apply("two", R"({"a":"1"})").status, 200) << "the same value is no conflict";
  apply("one", R"({"b":"2"})");
  EXPECT_EQ(data(), R"({"a":"1","b":"2"})");
}

TEST_F(ServerSideApply, AnothersFieldIsAConflict) {
  apply("one", R"({"a":"1"})");
  const auto conflict = apply("two", R"({"a":"2"})");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(conflict.at("message"), "Apply failed with 1 conflict: conflict with \"one\": .data.a");
  EXPECT_EQ(conflict.at("details/causes/0/field"), ".data.a");
  EXPECT_EQ(data(), R"({"a":"1"})");
  EXPECT_EQ(apply("two", R"({"a":"2"})", "&force=true").status, 200);
  EXPECT_EQ(data(), R"({"a":"2"})");
  EXPECT_EQ(apply("one", R"({"a":"1"})").status, 409) << "the field is the other's now";
}

TEST_F(ServerSideApply, AnUpdateTakesWhatBothOwned) {
  const auto by_hand = [&](const std::string& data) {
    api_.call("PATCH", "/api/v1/namespaces/default/configmaps/m?fieldManager=hand", R"({"data":)" + data + "}",
              {.type = "application/merge-patch+json"});
  };
  apply("one", R"({"b":"0"})");
  by_hand(R"({"a":"1"})");
  EXPECT_EQ(apply("one", R"({"a":"1","b":"0"})").status, 200) << "the same value: both own it";
  by_hand(R"({"a":"2"})");
  const auto object = api_.get("/api/v1/namespaces/default/configmaps/m");
  EXPECT_EQ(object.at("metadata/managedFields/0/manager"), "one");
  EXPECT_EQ(object.at("metadata/managedFields/0/fieldsV1"), R"({"f:data":{"f:b":{}}})");
  EXPECT_EQ(object.at("metadata/managedFields/1/manager"), "hand");
  EXPECT_EQ(object.at("metadata/managedFields/1/fieldsV1"), R"({"f:data":{"f:a":{}}})");
}

TEST_F(ServerSideApply, AnUpdateTakesFieldsWithoutAsking) {
  apply("one", R"({"a":"1"})");
  api_.call("PATCH", "/api/v1/namespaces/default/configmaps/m?fieldManager=hand", R"({"data":{"a":"3"}})",
            {.type = "application/merge-patch+json"});
  const auto conflict = apply("one", R"({"a":"1"})");
  EXPECT_EQ(conflict.at("message"), "Apply failed with 1 conflict: conflict with \"hand\" using v1: .data.a");
}

TEST_F(ServerSideApply, ADryRunWritesNothing) {
  EXPECT_EQ(apply("one", R"({"a":"1"})", "&dryRun=All").status, 201);
  EXPECT_EQ(api_.get("/api/v1/namespaces/default/configmaps/m").status, 404);
}

TEST_F(ServerSideApply, AnUnknownFieldIsRefusedIfAsked) {
  const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"colour":"red"})";
  const auto strict =
      api_.call("PATCH", "/api/v1/namespaces/default/configmaps/m?fieldManager=one&fieldValidation=Strict", body,
                {.type = "application/apply-patch+yaml"});
  EXPECT_EQ(strict.status, 400) << strict.text;
}

TEST_F(ServerSideApply, KubectlsAnnotationFollows) {
  api_.call("POST", "/api/v1/namespaces/default/configmaps",
            R"({"metadata":{"name":"m","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}})");
  const auto applied = apply("kubectl", R"({"a":"1"})");
  EXPECT_EQ(applied.at("metadata/annotations"),
            R"({"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"data\":{\"a\":\"1\"},)"
            R"(\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"}}\n"})");
}

TEST_F(ServerSideApply, ItemsOfAMapListAreOwnedOneByOne) {
  const std::string path = "/api/v1/namespaces/default/services/s?fieldManager=";
  const auto apply_ports = [&](const std::string& manager, const std::string& ports) {
    return api_.call("PATCH", path + manager,
                     R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[)" + ports + "]}}",
                     {.type = "application/apply-patch+yaml"});
  };
  ASSERT_EQ(apply_ports("one", R"({"name":"a","port":80})").status, 201);
  ASSERT_EQ(apply_ports("two", R"({"name":"b","port":81})").status, 200);
  const auto both = api_.get("/api/v1/namespaces/default/services/s");
  EXPECT_EQ(both.at("spec/ports/0/name") + both.at("spec/ports/1/name"), "ab") << both.text;
  ASSERT_EQ(apply_ports("one", R"({"name":"c","port":82})").status, 200);
  const auto rest = api_.get("/api/v1/namespaces/default/services/s");
  EXPECT_EQ(rest.at("spec/ports/0/name") + rest.at("spec/ports/1/name"), "bc") << rest.text;
}

}  // namespace
}  // namespace tenon::kubesim

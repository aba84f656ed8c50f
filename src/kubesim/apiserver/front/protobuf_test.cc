// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/protobuf.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

using apiserver::parse_protobuf;

std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string integer(int number, int value) {
  return std::string(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}
std::string envelope(const std::string& version, const std::string& kind, const std::string& object) {
  return std::string("k8s\0", 4) + field(1, field(1, version) + field(2, kind)) + field(2, object);
}

TEST(Protobuf, NamesMapsAndNumbers) {
  const std::string meta = field(1, "m") + field(11, field(1, "tier") + field(2, "front"));
  const auto map =
      parse_protobuf(envelope("v1", "ConfigMap", field(1, meta) + field(2, field(1, "a") + field(2, "1"))));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(json::string_at(*map, {"kind"}), "ConfigMap");
  EXPECT_EQ(json::string_at(*map, {"metadata", "name"}), "m");
  EXPECT_EQ(json::string_at(*map, {"metadata", "labels", "tier"}), "front");
  EXPECT_EQ(json::string_at(*map, {"data", "a"}), "1");
}

TEST(Protobuf, MessagesInMessages) {
  const std::string pod_spec = field(2, field(1, "c") + field(2, "pause"));
  const std::string pod_template = field(2, pod_spec);
  const std::string spec = integer(1, 3) + field(2, field(1, field(1, "app") + field(2, "x"))) + field(3, pod_template);
  const auto made = parse_protobuf(envelope("apps/v1", "Deployment", field(1, field(1, "d")) + field(2, spec)));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(json::int_at(*made, {"spec", "replicas"}), 3);
  EXPECT_EQ(json::string_at(*made, {"spec", "selector", "matchLabels", "app"}), "x");
  const auto& containers = json::array_at(*made, {"spec", "template", "spec", "containers"});
  ASSERT_EQ(containers.size(), 1u);
  EXPECT_EQ(json::string_at(containers[0], {"image"}), "pause");
}

TEST(Protobuf, WhatItDoesNotKnowIsSkipped) {
  const auto map = parse_protobuf(envelope("v1", "ConfigMap", field(1, field(1, "m")) + field(15, "later")));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(json::string_at(*map, {"metadata", "name"}), "m");
}

TEST(Protobuf, DamageIsABadRequest) {
  for (const std::string& body : {std::string(), std::string("k8s"), std::string("{}"), std::string("k8s\0\x0a\x7f", 6),
                                  envelope("v1", "ConfigMap", "\x0a\x20zz")}) {
    const auto answer = parse_protobuf(body);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, 400);
  }
}

TEST(Protobuf, AKindWithoutNumbersIsNoMediaTypeOfOurs) {
  EXPECT_EQ(parse_protobuf(envelope("v1", "Colour", "")).error().code, 415);
}

TEST(Protobuf, IsTakenOverHttp) {
  testing::Caller api;
  const auto made = api.call("POST", "/api/v1/namespaces", envelope("v1", "Namespace", field(1, field(1, "green"))),
                             {.type = "application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.at("metadata/name"), "green");
  EXPECT_EQ(made.content_type, "application/json");
}

}  // namespace
}  // namespace tenon::kubesim

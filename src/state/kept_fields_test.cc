// SPDX-License-Identifier: Apache-2.0
#include "state/kept_fields.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kube/codec/codec.h"
#include "model/testing/builders.h"

namespace tenon::state {
namespace {

std::string types(const model::Pod& pod) {
  std::string all;
  for (const auto& one : pod.conditions) all += one.type + " ";
  return all;
}

TEST(KeptFields, WhatControllersReadStays) {
  const auto document = json::parse(R"({"metadata":{"name":"p","namespace":"n","generateName":"p-","uid":"u",
      "resourceVersion":"7","labels":{"a":"b"},"finalizers":["x/y"],"annotations":{"checksum":"c",
        "karpenter.sh/do-not-disrupt":"true","controller.kubernetes.io/pod-deletion-cost":"5"}},
    "spec":{"nodeName":"n1","containers":[]},
    "status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z","conditions":[
      {"type":"Initialized","status":"True"},{"type":"PodScheduled","status":"False","reason":"Unschedulable",
        "message":"0/10000 nodes are available"},{"type":"Ready","status":"True"}]}})");
  model::Pod pod = kube::codec::decode_pod(document.value()).value();
  const model::Pod before = pod;
  keep_used_fields(pod);
  EXPECT_EQ(types(before), "Initialized PodScheduled Ready tenon.dev/Started ");
  EXPECT_EQ(types(pod), "PodScheduled Ready tenon.dev/Started ");
  EXPECT_EQ(pod.conditions.capacity(), 3u);
  EXPECT_EQ(pod.conditions[0].reason, "Unschedulable");
  EXPECT_EQ(pod.conditions[0].message, "");
  EXPECT_EQ(pod.meta.annotations.size(), 2u);
  EXPECT_EQ(pod.meta.labels, before.meta.labels);
  EXPECT_EQ(pod.meta.uid + pod.meta.resource_version + pod.node_name + pod.key(), "u7n1n/p");
  EXPECT_TRUE(pod.meta.finalizers.empty());
  EXPECT_TRUE(pod.meta.generate_name.empty());

  model::Pod plain = before;
  plain.meta.annotations.erase("karpenter.sh/do-not-disrupt");
  keep_used_fields(plain);
  EXPECT_EQ(types(plain), "PodScheduled Ready ") << "its start protects nothing";
}

// A pending pod triggers decisions with and without the other fields.
TEST(KeptFields, APendingPodStaysProvisionable) {
  model::Pod pod = model::testing::a_pod("p").build();
  ASSERT_TRUE(pod.provisionable());
  keep_used_fields(pod);
  EXPECT_TRUE(pod.provisionable());
}

}  // namespace
}  // namespace tenon::state

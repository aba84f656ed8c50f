// The served versions: both round trips are identities, an edit in one version survives, and the controllers' fields
// arrive where they read them.
// SPDX-License-Identifier: Apache-2.0
#include "legacy/served_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "legacy/testing/random_versions.h"
#include "model/generations.h"

namespace tenon::legacy {
namespace {

using json::value;
using ::testing::HasSubstr;

constexpr uint64_t kSeeds = 10'000;

std::string api_of(const value& object, std::string_view version) {
  return (json::string_at(object, {"kind"}) == "EC2NodeClass" ? "karpenter.k8s.aws/" : "karpenter.sh/") +
         std::string(version);
}
value to(const value& object, std::string_view version) {
  const auto converted = to_version(object, api_of(object, version));
  EXPECT_TRUE(converted) << (converted ? "" : converted.error().message);
  return converted ? *converted : value();
}
value yaml(const char* text) { return json::parse_yaml(text)->front(); }

TEST(ServedVersions, BothRoundTripsAreIdentities) {
  for (const auto& [from, over] : {std::pair("v1", "v1beta1"), std::pair("v1beta1", "v1")}) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed);
      const value object = testing::random_object(from, prng);
      const value there = to(object, over);
      ASSERT_EQ(to(there, from), object) << from << " seed " << seed << "\n" << json::to_yaml(there);
      ASSERT_EQ(to(to(there, from), over), there) << from << " seed " << seed;
      ASSERT_EQ(to(object, from), object);
    }
  }
}

constexpr const char* kPool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 5m
    budgets: [{nodes: "2", reasons: [Empty]}]
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
      expireAfter: 24h
      terminationGracePeriod: 1h
)";

// A user of v1beta1 edits the budgets and the expiry. What v1beta1 cannot express stays.
TEST(ServedVersions, AnEditInOneVersionSurvives) {
  value earlier = to(yaml(kPool), "v1beta1");
  EXPECT_EQ(json::string_at(earlier, {"spec", "disruption", "expireAfter"}), "24h");
  EXPECT_EQ(json::string_at(earlier, {"spec", "disruption", "consolidationPolicy"}), "WhenUnderutilized");
  json::ensure(earlier, {"spec", "disruption", "budgets"}) = json::array{json::object{{"nodes", "7"}}};
  json::ensure(earlier, {"spec", "disruption", "expireAfter"}) = "48h";
  const value edited = to(earlier, "v1");
  EXPECT_EQ(json::string_at(edited, {"spec", "template", "spec", "expireAfter"}), "48h");
  EXPECT_EQ(json::string_at(edited, {"spec", "template", "spec", "terminationGracePeriod"}), "1h");
  EXPECT_EQ(json::string_at(edited, {"spec", "disruption", "consolidateAfter"}), "5m");
  EXPECT_EQ(json::to_string(*json::find(edited, {"spec", "disruption", "budgets"})), R"([{"nodes":"7"}])");
}

TEST(ServedVersions, TheKubeletOfAPoolIsAnAnnotationInV1) {
  const value pool = yaml(R"(
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {nodeClassRef: {name: default}, requirements: [], kubelet: {maxPods: 20}}}}
)");
  EXPECT_EQ(json::string_at(to(pool, "v1"), {"metadata", "annotations", model::kAnnotationKubelet}),
            R"({"maxPods":20})");
}

// Otherwise the default of v1 would expire nodes that had no expiry.
TEST(ServedVersions, AClaimOfV1beta1GetsNoExpiryOfItsOwn) {
  const value claim = yaml(R"(
apiVersion: karpenter.sh/v1beta1
kind: NodeClaim
metadata: {name: default-x}
spec: {nodeClassRef: {name: default}, requirements: []}
)");
  EXPECT_EQ(json::string_at(to(claim, "v1"), {"spec", "expireAfter"}), "Never");
  EXPECT_FALSE(json::string_at(to(claim, "v1"), {"metadata", "annotations", model::kAnnotationExpireAfter}).empty());
}

TEST(ServedVersions, WhatCannotBeConvertedIsNamed) {
  const auto message = [](const value& object, std::string_view version) {
    const auto converted = to_version(object, version);
    return converted ? "" : converted.error().message;
  };
  EXPECT_THAT(message(yaml(kPool), "karpenter.sh/v1alpha5"),
              HasSubstr("NodePool \"default\": no conversion from karpenter.sh/v1 to karpenter.sh/v1alpha5"));
  EXPECT_THAT(message(yaml("{apiVersion: v1, kind: Pod, metadata: {name: a}}"), "v1beta1"), HasSubstr("Pod \"a\""));
  value odd = yaml(kPool);
  json::ensure(odd, {"spec", "disruption"}) = "soon";
  EXPECT_THAT(message(odd, "karpenter.sh/v1beta1"), HasSubstr("spec.disruption is not an object"));
}

// One object without a conversion would end a list of all of them.
TEST(ServedVersions, AnAnnotationOfAnotherFormChangesNothing) {
  const auto field = [](const char* entry) {
    return R"({"version":"karpenter.sh/v1beta1","fields":[)" + std::string(entry) + "]}";
  };
  for (const std::string& text : {std::string("{"), std::string("[]"), field(R"({"path":"spec","is":1})"),
                                  field(R"({"path":["status","conditions"],"is":[]})"),
                                  field(R"({"path":["metadata","name"],"was":"default","is":"x"})")}) {
    value annotated = yaml(kPool);
    json::ensure(annotated, {"metadata", "annotations", kAnnotationOtherVersion}) = text;
    const value there = to(annotated, "v1beta1");
    EXPECT_EQ(there, to(yaml(kPool), "v1beta1")) << text;
  }
}

// Replaces one value anywhere in the document.
void spoil(value& at, Prng& prng) {
  const auto deeper = [&](size_t size) { return size > 0 && !prng.chance(1, 4); };
  if (at.is_object() && deeper(at.get_object().size())) {
    auto member = at.get_object().begin() + static_cast<ptrdiff_t>(prng.below(at.get_object().size()));
    return spoil(member->value(), prng);
  }
  if (at.is_array() && deeper(at.get_array().size()))
    return spoil(at.get_array()[prng.below(at.get_array().size())], prng);
  const value other[] = {nullptr, "x", 1, json::object{{"x", 1}}, json::array{"x"}};
  at = other[prng.below(std::size(other))];
}

// The webhook may get anything: it answers or names the object.
TEST(ServedVersions, NoDocumentEndsTheProcess) {
  size_t converted = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    const bool rises = prng.chance(1, 2);
    value object = testing::random_object(rises ? "v1beta1" : "v1", prng);
    const std::string wanted = api_of(object, rises ? "v1" : "v1beta1");
    spoil(object, prng);
    const auto done = to_version(object, wanted);
    converted += done ? 1 : 0;
    ASSERT_TRUE(done || !done.error().message.empty());
  }
  EXPECT_GT(converted, kSeeds / 4);
  EXPECT_LT(converted, kSeeds);
}

}  // namespace
}  // namespace tenon::legacy

// SPDX-License-Identifier: Apache-2.0
#include "webhooks/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::webhooks {
namespace {

using json::value;
using ::testing::HasSubstr;

value yaml(const std::string& text) { return json::parse_yaml(text)->front(); }

value conversion(const std::string& api, const std::string& objects) {
  return yaml("{apiVersion: " + api +
              ", kind: ConversionReview, request: {uid: u1, desiredAPIVersion: karpenter.sh/v1, "
              "objects: [" +
              objects + "]}}");
}
constexpr const char* kPool =
    "{apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: {name: a}, spec: {disruption: {expireAfter: 1h}, "
    "template: {spec: {nodeClassRef: {name: c}, requirements: []}}}}";

// Karpenter 1.0's CRDs list v1beta1 first, so that an API server sends such reviews.
TEST(Reviews, AnAnswerHasTheVersionOfItsReview) {
  for (const char* api : {"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"}) {
    const auto done = convert(conversion(api, kPool));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(json::string_at(*done, {"apiVersion"}), api);
    EXPECT_EQ(json::string_at(*done, {"response", "uid"}), "u1");
    EXPECT_EQ(json::string_at(*done, {"response", "result", "status"}), "Success");
    EXPECT_EQ(json::array_at(*done, {"response", "convertedObjects"}).size(), 1u);
  }
}

TEST(Reviews, AnObjectWithoutAConversionFailsTheReviewByName) {
  const auto done = convert(conversion("apiextensions.k8s.io/v1", std::string(kPool) + ", {apiVersion: v1, kind: Pod, "
                                                                                       "metadata: {name: b}}"));
  ASSERT_TRUE(done);
  EXPECT_EQ(json::string_at(*done, {"response", "result", "status"}), "Failed");
  EXPECT_THAT(std::string(json::string_at(*done, {"response", "result", "message"})), HasSubstr("Pod \"b\""));
}

TEST(Reviews, OtherBodiesAreRefused) {
  EXPECT_THAT(convert(yaml("{}")).error().message, HasSubstr("the body is no ConversionReview"));
  EXPECT_THAT(validate(conversion("apiextensions.k8s.io/v1", "")).error().message, HasSubstr("no AdmissionReview"));
  EXPECT_THAT(validate(yaml("{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {}}")).error().message,
              HasSubstr("request.uid"));
}

// The finalizers of an object that is being deleted must be removable, whatever its spec says.
TEST(Reviews, AnInvalidProvisionerIsRefusedUnlessItIsBeingDeleted) {
  const auto allowed = [](const std::string& metadata) {
    const auto done =
        validate(yaml("{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, operation: "
                      "UPDATE, object: {apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: " +
                      metadata + ", spec: {ttlSecondsAfterEmpty: -1, providerRef: {name: a}}}}}"));
    return done && json::bool_at(*done, {"response", "allowed"});
  };
  EXPECT_FALSE(allowed("{name: a}"));
  EXPECT_TRUE(allowed("{name: a, deletionTimestamp: \"2026-01-01T00:00:00Z\"}"));
}

TEST(Reviews, AnInlineProviderIsValidatedAsATemplate) {
  const auto verdict = [](const std::string& spec) {
    const auto done = validate(
        yaml("{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, operation: CREATE, object: "
             "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: a}, spec: {" +
             spec + "}}}}"));
    return std::string(json::string_at(*done, {"response", "status", "message"}, "allowed"));
  };
  EXPECT_EQ(verdict("provider: {subnetSelector: {a: b}, securityGroupSelector: {a: b}}"), "allowed");
  EXPECT_EQ(verdict("provider: {subnetSelector: {a: b}, launchTemplate: mine}"), "allowed");
  EXPECT_EQ(verdict("provider: {subnetSelector: {a: b}, launchTemplate: mine, instanceProfile: x}"),
            "validation failed: expected exactly one, got both: spec.provider.launchTemplate, "
            "spec.provider.instanceProfile");
  EXPECT_EQ(verdict("providerRef: {name: a}, provider: {subnetSelector: {a: b}, securityGroupSelector: {a: b}}"),
            "validation failed: expected exactly one, got both: spec.provider, spec.providerRef");
}

}  // namespace
}  // namespace tenon::webhooks

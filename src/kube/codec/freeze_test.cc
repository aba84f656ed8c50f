// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/freeze.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::kube::codec {
namespace {

struct Case {
  const char* what;
  const char* members;  // of the ConfigMap, beside its metadata
  bool disruption, launches;
  const char* fault = "";
};

class DecodeFreeze : public testing::TestWithParam<Case> {};

TEST_P(DecodeFreeze, StopsWhatItNamesAndBothIfInDoubt) {
  const Case& c = GetParam();
  const std::string text = "{metadata: {name: tenon-freeze, namespace: karpenter}" + std::string(c.members) + "}";
  std::string fault = "not touched";
  const auto freeze = decode_freeze(json::parse_yaml(text)->front(), &fault);
  ASSERT_TRUE(freeze) << c.what;
  EXPECT_EQ(freeze->disruption, c.disruption) << c.what;
  EXPECT_EQ(freeze->launches, c.launches) << c.what;
  EXPECT_EQ(freeze->fault, c.fault) << c.what;
  EXPECT_EQ(freeze->meta.name, "tenon-freeze") << c.what;
  EXPECT_EQ(fault, "") << "an informer that sees a fault would keep an older copy, or none";
}

INSTANTIATE_TEST_SUITE_P(
    All, DecodeFreeze,
    testing::Values(Case{"disruption", R"(, data: {disruption: "true"})", true, false},
                    Case{"launches", R"(, data: {launches: "true"})", false, true},
                    Case{"both", R"(, data: {disruption: "true", launches: "true", reason: "incident 7"})", true, true},
                    Case{"neither", R"(, data: {disruption: "false", launches: "false"})", false, false},
                    Case{"one is named, the other is not", R"(, data: {disruption: "false"})", false, false},
                    Case{"no data", "", true, true},  //
                    Case{"a reason alone", R"(, data: {reason: "incident 7"})", true, true},
                    Case{"an unknown key", R"(, data: {disruptions: "true"})", true, true,
                         "data.disruptions: unknown key; the keys are disruption, launches and reason"},
                    Case{"an unknown key beside a valid one", R"(, data: {launches: "true", disruptoin: "true"})", true,
                         true, "data.disruptoin: unknown key; the keys are disruption, launches and reason"},
                    Case{"another value", R"(, data: {launches: "yes"})", true, true,
                         "data.launches: must be one of true, false, not \"yes\""},
                    Case{"capital letters", R"(, data: {disruption: "False"})", true, true,
                         "data.disruption: must be one of true, false, not \"False\""},
                    Case{"an empty value", R"(, data: {disruption: ""})", true, true,
                         "data.disruption: must be one of true, false, not \"\""},
                    Case{"no value", R"(, data: {disruption: null})", true, true,
                         "data: the key disruption has no value"},
                    Case{"not a map", R"(, data: [disruption])", true, true, "data: must be an object, not a list"},
                    Case{"binary data", R"(, data: {disruption: "false"}, binaryData: {launches: dHJ1ZQ==})", true,
                         true, "binaryData: not read; use data"}));

TEST(DecodeFreezeReason, IsKept) {
  const auto freeze = decode_freeze(json::parse_yaml("{metadata: {name: a}, data: {reason: incident 7}}")->front());
  EXPECT_EQ(freeze->reason, "incident 7");
}

}  // namespace
}  // namespace tenon::kube::codec

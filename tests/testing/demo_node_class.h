// The EC2NodeClass `default` of tests that simulate a whole cluster; the embedded AWS has the resources that it
// selects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::testing {

inline constexpr const char* kDemoNodeClass = R"(
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: KarpenterNodeRole-demo
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
)";

}  // namespace tenon::testing

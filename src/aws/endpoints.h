// The endpoints of services: overrides from the environment, otherwise the partition's rule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "aws/environment.h"

namespace tenon::aws {

// The constants of a service. signing_name is in the credential scope; prefix is the host's first label.
struct Service {
  std::string_view id;            // "ec2": names the variable AWS_ENDPOINT_URL_EC2 and appears in errors
  std::string_view prefix;        // "ec2", "api.pricing", …
  std::string_view signing_name;  // "ec2", "pricing", …
  bool global = false;            // IAM: one endpoint and one signing region for each partition
};
inline constexpr Service kEc2{"ec2", "ec2", "ec2"};
inline constexpr Service kIam{"iam", "iam", "iam", true};
inline constexpr Service kSts{"sts", "sts", "sts"};
inline constexpr Service kSsm{"ssm", "ssm", "ssm"};
inline constexpr Service kEks{"eks", "eks", "eks"};
inline constexpr Service kSqs{"sqs", "sqs", "sqs"};
inline constexpr Service kZonalShift{"arc_zonal_shift", "arc-zonal-shift", "arc-zonal-shift"};
inline constexpr Service kSso{"sso", "portal.sso", "awsssoportal"};
inline constexpr Service kSsoOidc{"sso_oidc", "oidc", "sso-oauth"};
inline constexpr Service kPricing{"pricing", "api.pricing", "pricing"};

struct Endpoint {
  std::string url;     // without a trailing slash
  std::string region;  // the signing region
};

// AWS_ENDPOINT_URL_<SERVICE>, then AWS_ENDPOINT_URL (neither if AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true), then
// https://<prefix>.<region>.<suffix of the partition>.
Endpoint resolve_endpoint(const Service& service, std::string_view region, const Environment& environment);

// Returns the partition's name, as in ARNs: "aws", "aws-cn", …
std::string_view partition_name(std::string_view region);
// Returns the partition's DNS suffix: "amazonaws.com", "amazonaws.com.cn", …
std::string_view dns_suffix(std::string_view region);
// Returns the nearest region of the partition with a price list endpoint; empty in GovCloud, which has none.
// parity: provider-aws pkg/providers/pricing, and botocore data/endpoints.json for the other partitions.
std::string_view pricing_region(std::string_view region);

}  // namespace tenon::aws

// SPDX-License-Identifier: Apache-2.0
#include "aws/endpoints.h"

#include <gtest/gtest.h>

#include <map>

#include "aws/errors.h"

namespace tenon::aws {
namespace {

Environment fixed(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  };
}

TEST(Endpoints, FollowThePartition) {
  struct Case {
    Service service;
    std::string region, url, signing_region;
  };
  const Case cases[] = {
      {kEc2, "us-east-1", "https://ec2.us-east-1.amazonaws.com", "us-east-1"},
      {kEc2, "cn-north-1", "https://ec2.cn-north-1.amazonaws.com.cn", "cn-north-1"},
      {kEks, "us-iso-west-1", "https://eks.us-iso-west-1.c2s.ic.gov", "us-iso-west-1"},
      {kEks, "us-isob-east-1", "https://eks.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1"},
      {kIam, "ap-northeast-2", "https://iam.amazonaws.com", "us-east-1"},
      {kIam, "us-gov-east-1", "https://iam.us-gov.amazonaws.com", "us-gov-west-1"},
      {kIam, "cn-northwest-1", "https://iam.cn-north-1.amazonaws.com.cn", "cn-north-1"},
      {kPricing, "ap-northeast-2", "https://api.pricing.ap-south-1.amazonaws.com", "ap-south-1"},
      {kPricing, "eu-west-1", "https://api.pricing.eu-central-1.amazonaws.com", "eu-central-1"},
      {kPricing, "us-west-2", "https://api.pricing.us-east-1.amazonaws.com", "us-east-1"},
      {kPricing, "cn-north-1", "https://api.pricing.cn-northwest-1.amazonaws.com.cn", "cn-northwest-1"},
      {kSqs, "eusc-de-east-1", "https://sqs.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"},
      {kIam, "eusc-de-east-1", "https://iam.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"},
      {kPricing, "eusc-de-east-1", "https://api.pricing.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"},
      {kPricing, "us-iso-west-1", "https://api.pricing.us-iso-east-1.c2s.ic.gov", "us-iso-east-1"},
      {kPricing, "eu-isoe-west-1", "https://api.pricing.eu-isoe-west-1.cloud.adc-e.uk", "eu-isoe-west-1"},
  };
  for (const Case& c : cases) {
    const Endpoint endpoint = resolve_endpoint(c.service, c.region, fixed({}));
    EXPECT_EQ(endpoint.url, c.url);
    EXPECT_EQ(endpoint.region, c.signing_region) << c.url;
  }
}

TEST(Endpoints, PartitionsHaveNamesAndTheirOwnPriceLists) {
  struct Case {
    std::string region, partition, pricing_region;
  };
  const Case cases[] = {{"us-west-2", "aws", "us-east-1"},
                        {"ap-northeast-2", "aws", "ap-south-1"},
                        {"cn-north-1", "aws-cn", "cn-northwest-1"},
                        {"us-gov-east-1", "aws-us-gov", ""},
                        {"eusc-de-east-1", "aws-eusc", "eusc-de-east-1"},
                        {"us-iso-east-1", "aws-iso", "us-iso-east-1"},
                        {"us-isob-east-1", "aws-iso-b", "us-isob-east-1"},
                        {"eu-isoe-west-1", "aws-iso-e", "eu-isoe-west-1"},
                        {"us-isof-south-1", "aws-iso-f", "us-isof-south-1"}};
  for (const Case& c : cases) {
    EXPECT_EQ(partition_name(c.region), c.partition);
    EXPECT_EQ(pricing_region(c.region), c.pricing_region) << c.region;
  }
}

TEST(Endpoints, OfFipsAndDualStack) {
  struct Case {
    Service service;
    std::string region, fips, dual, both;
  };
  // Expected values: botocore's rule sets.
  const Case cases[] = {
      {kEc2, "us-east-1", "ec2-fips.us-east-1.amazonaws.com", "ec2.us-east-1.api.aws", "ec2-fips.us-east-1.api.aws"},
      {kEks, "us-east-1", "fips.eks.us-east-1.amazonaws.com", "eks.us-east-1.api.aws", "eks-fips.us-east-1.api.aws"},
      {kSqs, "us-gov-west-1", "sqs.us-gov-west-1.amazonaws.com", "sqs.us-gov-west-1.api.aws",
       "sqs-fips.us-gov-west-1.api.aws"},
      {kPricing, "us-gov-west-1", "api.pricing-fips.us-gov-west-1.amazonaws.com",
       "api.pricing.us-gov-west-1.api.aws", "api.pricing-fips.us-gov-west-1.api.aws"},
      {kEc2, "eusc-de-east-1", "ec2-fips.eusc-de-east-1.amazonaws.eu", "ec2.eusc-de-east-1.api.amazonwebservices.eu",
       "ec2-fips.eusc-de-east-1.api.amazonwebservices.eu"},
      {kZonalShift, "us-gov-west-1", "arc-zonal-shift-fips.us-gov-west-1.amazonaws.com",
       "arc-zonal-shift.us-gov-west-1.api.aws", "arc-zonal-shift-fips.us-gov-west-1.api.aws"},
      {kSts, "cn-north-1", "sts-fips.cn-north-1.amazonaws.com.cn", "sts.cn-north-1.api.amazonwebservices.com.cn",
       "sts-fips.cn-north-1.api.amazonwebservices.com.cn"},
      {kSsm, "us-iso-east-1", "ssm-fips.us-iso-east-1.c2s.ic.gov", "ssm.us-iso-east-1.api.aws.ic.gov",
       "ssm-fips.us-iso-east-1.api.aws.ic.gov"},
      {kIam, "eu-west-1", "iam-fips.amazonaws.com", "iam.global.api.aws", "iam-fips.global.api.aws"},
      {kIam, "us-gov-west-1", "iam.us-gov.amazonaws.com", "iam.us-gov.api.aws", "iam.us-gov.api.aws"},
  };
  const std::string fips = "AWS_USE_FIPS_ENDPOINT", dual = "AWS_USE_DUALSTACK_ENDPOINT";
  for (const Case& c : cases) {
    EXPECT_EQ(resolve_endpoint(c.service, c.region, fixed({{fips, "true"}})).url, "https://" + c.fips);
    EXPECT_EQ(resolve_endpoint(c.service, c.region, fixed({{dual, "true"}})).url, "https://" + c.dual);
    EXPECT_EQ(resolve_endpoint(c.service, c.region, fixed({{fips, "True"}, {dual, "true"}})).url, "https://" + c.both);
  }
}

TEST(Endpoints, TheEnvironmentWins) {
  const auto all =
      fixed({{"AWS_ENDPOINT_URL", "http://localhost:4566/"}, {"AWS_ENDPOINT_URL_SSM", "http://ssm.local"}});
  EXPECT_EQ(resolve_endpoint(kEc2, "us-east-1", all).url, "http://localhost:4566");
  EXPECT_EQ(resolve_endpoint(kSsm, "us-east-1", all).url, "http://ssm.local");
  EXPECT_EQ(resolve_endpoint(kIam, "eu-west-1", all).region, "us-east-1");
  const auto ignored =
      fixed({{"AWS_ENDPOINT_URL", "http://localhost"}, {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"}});
  EXPECT_EQ(resolve_endpoint(kEc2, "us-east-1", ignored).url, "https://ec2.us-east-1.amazonaws.com");
}

TEST(Errors, Classify) {
  struct Case {
    std::string code;
    int status;
    Code meaning;
  };
  const Case cases[] = {
      {"InsufficientInstanceCapacity", 503, Code::kInsufficientCapacity},
      {"UnfulfillableCapacity", 400, Code::kInsufficientCapacity},
      {"VcpuLimitExceeded", 400, Code::kQuota},
      {"MaxSpotInstanceCountExceeded", 400, Code::kQuota},
      {"SomeNewLimitExceeded", 400, Code::kQuota},
      {"RequestLimitExceeded", 503, Code::kThrottled},
      {"ThrottlingException", 400, Code::kThrottled},
      {"InvalidLaunchTemplateName.NotFoundException", 400, Code::kNotFound},
      {"InvalidVpcID.NotFound", 400, Code::kNotFound},
      {"EntityAlreadyExists", 409, Code::kAlreadyExists},
      {"InvalidLaunchTemplateName.AlreadyExistsException", 400, Code::kAlreadyExists},
      {"UnauthorizedOperation", 403, Code::kForbidden},
      {"ExpiredToken", 403, Code::kForbidden},
      {"InvalidParameterValue", 400, Code::kInvalid},
      {"InternalError", 500, Code::kUnavailable},
      {"", 503, Code::kUnavailable},
      {"", 403, Code::kForbidden},
      {"", 404, Code::kUnavailable},
      {"Strange", 400, Code::kInvalid},
  };
  for (const Case& c : cases) EXPECT_EQ(classify(c.code, c.status), c.meaning) << c.code << " " << c.status;
}

TEST(Errors, TextNamesOperationCodeAndRequest) {
  const Error error =
      to_error("ec2 CreateFleet", {"InvalidLaunchTemplateName.NotFoundException", "no template", "r-9"}, 400);
  EXPECT_EQ(error.message, "ec2 CreateFleet: InvalidLaunchTemplateName.NotFoundException: no template (request r-9)");
  EXPECT_TRUE(mentions(error, "InvalidLaunchTemplateName.NotFoundException"));
  EXPECT_EQ(to_error("eks X", {}, 418).message, "eks X: HTTP 418");
}

}  // namespace
}  // namespace tenon::aws

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "awssim/testing/account.h"
#include "catalog/catalog.h"

namespace tenon::awssim {
namespace {

using testing::Account;
using testing::Answer;
using ::testing::ElementsAre;
using testing::filter;
using testing::Form;
using testing::operator+;

// Follows the tokens to the end; returns the matches of the XPath on all pages.
std::vector<std::string> all_pages(Account& account, const std::string& action, const Form& form,
                                   const std::string& xpath, int* pages = nullptr) {
  std::vector<std::string> found;
  std::string token;
  int count = 0;
  do {
    Form request = form;
    if (!token.empty()) request.emplace_back("NextToken", token);
    Answer answer = account.call.ec2(action, request);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (std::string& text : answer.all(xpath)) found.push_back(std::move(text));
    token = answer.first("//nextToken");
  } while (++count < 100 && !token.empty());
  if (pages) *pages = count;
  return found;
}

const Form kKarpentersFilters = filter(1, "supported-virtualization-type", {"hvm"}) +
                                filter(2, "processor-info.supported-architecture", {"x86_64", "arm64"}) +
                                Form{{"MaxResults", "100"}};

TEST(DescribeInstanceTypes, GivesTheWholeCatalogInPages) {
  Account account;
  int pages = 0;
  auto names =
      all_pages(account, "DescribeInstanceTypes", kKarpentersFilters, "//instanceTypeSet/item/instanceType", &pages);
  auto demo = catalog::demo_instance_types();
  ASSERT_EQ(names.size(), demo.size());
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(pages, 2);
}

TEST(DescribeInstanceTypes, FieldsThatSchedulingReads) {
  Account account;
  Answer m5 = account.call.ec2("DescribeInstanceTypes", {{"InstanceType.1", "m5.large"}});
  EXPECT_EQ(m5.first("//memoryInfo/sizeInMiB"), "8192");
  EXPECT_EQ(m5.first("//vCpuInfo/defaultVCpus"), "2");
  EXPECT_THAT(m5.all("//supportedArchitectures/item"), ElementsAre("x86_64"));
  EXPECT_THAT(m5.all("//supportedUsageClasses/item"), ElementsAre("on-demand", "spot"));
  EXPECT_EQ(m5.first("//networkCards/item/maximumNetworkInterfaces"), "3");
  EXPECT_EQ(m5.first("//ipv4AddressesPerInterface"), "10");
  EXPECT_EQ(m5.first("//processorInfo/sustainedClockSpeedInGhz"), "3.1");
  EXPECT_EQ(m5.first("//ebsOptimizedInfo/maximumBandwidthInMbps"), "4750");
  EXPECT_EQ(m5.first("//hypervisor"), "nitro");
  Answer p3 = account.call.ec2("DescribeInstanceTypes", {{"InstanceType.1", "p3.8xlarge"}});
  EXPECT_EQ(p3.first("//gpus/item/count"), "4");
  EXPECT_EQ(p3.first("//gpus/item/manufacturer"), "NVIDIA");
  EXPECT_EQ(p3.first("//gpus/item/memoryInfo/sizeInMiB"), "16384");
  Answer trn = account.call.ec2("DescribeInstanceTypes", {{"InstanceType.1", "trn1.32xlarge"}});
  EXPECT_EQ(trn.first("//neuronDevices/item/count"), "16");
  EXPECT_EQ(trn.first("//neuronDevices/item/coreInfo/count"), "2");
  EXPECT_EQ(trn.first("//efaInfo/maximumEfaInterfaces"), "8");
  EXPECT_EQ(trn.all("//networkCards/item").size(), 8u);
  Answer metal = account.call.ec2("DescribeInstanceTypes", {{"InstanceType.1", "m5.metal"}});
  EXPECT_EQ(metal.first("//bareMetal"), "true");
  EXPECT_TRUE(metal.all("//instanceTypeSet/item/hypervisor").empty());
}

struct ErrorRow {
  const char* action;
  Form form;
  const char* code;
};
TEST(DescribeInstanceTypes, Refusals) {
  const ErrorRow rows[] = {
      {"DescribeInstanceTypes", {{"InstanceType.1", "m5.huge"}}, "InvalidInstanceType"},
      {"DescribeInstanceTypes", {{"InstanceType.1", "m5.large"}, {"MaxResults", "10"}}, "InvalidParameterCombination"},
      {"DescribeInstanceTypes", {{"MaxResults", "ten"}}, "InvalidParameterValue"},
      {"DescribeInstanceTypes", {{"MaxResults", "0"}}, "InvalidParameterValue"},
      {"DescribeInstanceTypes", {{"NextToken", "x"}}, "InvalidParameterValue"},
      {"DescribeInstanceTypes", filter(1, "colour", {"red"}), "InvalidParameterValue"},
      {"DescribeInstanceTypes", {{"DryRun", "true"}}, "DryRunOperation"},
      {"DescribeInstanceTypeOfferings", {{"LocationType", "planet"}}, "InvalidParameterValue"},
      {"DescribeSpotPriceHistory", {{"InstanceType.1", "m5.huge"}}, "InvalidInstanceType"}};
  Account account;
  for (const ErrorRow& row : rows)
    EXPECT_EQ(account.call.ec2(row.action, row.form).error_code(), row.code) << row.action;
}

TEST(DescribeInstanceTypes, OnlyWhatTheOptionsName) {
  FakeAwsOptions options;
  options.instance_types = {"m5.large", "c5.large", "m5.large"};
  Account account(options);
  EXPECT_THAT(all_pages(account, "DescribeInstanceTypes", {}, "//instanceTypeSet/item/instanceType"),
              ElementsAre("c5.large", "m5.large"));
}

TEST(Offerings, EveryTypeInEveryZone) {
  Account account;
  auto zones = all_pages(account, "DescribeInstanceTypeOfferings",
                         {{"LocationType", "availability-zone"}, {"MaxResults", "500"}}, "//location");
  EXPECT_EQ(zones.size(), 4 * catalog::demo_instance_types().size());
  EXPECT_EQ(std::set(zones.begin(), zones.end()).size(), 4u);
  Answer one = account.call.ec2("DescribeInstanceTypeOfferings", Form{{"LocationType", "availability-zone-id"}} +
                                                                     filter(1, "instance-type", {"m5.large"}));
  EXPECT_THAT(one.all("//location"), ElementsAre("use1-az1", "use1-az2", "use1-az4", "use1-az6"));
}

TEST(Zones, HaveNamesAndIds) {
  Account account;
  Answer answer = account.call.ec2("DescribeAvailabilityZones");
  EXPECT_THAT(answer.all("//zoneName"), ElementsAre("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"));
  EXPECT_THAT(answer.all("//zoneId"), ElementsAre("use1-az1", "use1-az2", "use1-az4", "use1-az6"));
  EXPECT_THAT(account.call.ec2("DescribeAvailabilityZones", {{"ZoneName.1", "us-east-1b"}}).all("//zoneId"),
              ElementsAre("use1-az2"));
}

TEST(Zones, BelongToTheRegionThatIsSimulated) {
  FakeAwsOptions options;
  options.region = "us-west-2";
  Account account(options);
  account.call.region = "us-west-2";
  Answer answer = account.call.ec2("DescribeSubnets", filter(1, "availability-zone", {"us-west-2a"}));
  EXPECT_EQ(answer.first("//availabilityZoneId"), "usw2-az1");
}

TEST(SpotPrices, DifferByZoneAndFollowThePlantedFault) {
  Account account;
  Form m5 = {{"InstanceType.1", "m5.large"},
             {"ProductDescription.1", "Linux/UNIX"},
             {"ProductDescription.2", "Linux/UNIX (Amazon VPC)"},
             {"StartTime", "2026-09-01T12:00:00Z"},
             {"MaxResults", "2000"}};
  EXPECT_THAT(account.call.ec2("DescribeSpotPriceHistory", m5).all("//spotPrice"),
              ElementsAre("0.0336", "0.03072", "0.03648", "0.0288"));
  account.aws->scale_price("m5.large", 0.5);
  EXPECT_THAT(account.call.ec2("DescribeSpotPriceHistory", m5).all("//spotPrice"),
              ElementsAre("0.0168", "0.01536", "0.01824", "0.0144"));
  EXPECT_TRUE(
      account.call.ec2("DescribeSpotPriceHistory", {{"ProductDescription.1", "Windows"}}).all("//item").empty());
  int pages = 0;
  auto all = all_pages(account, "DescribeSpotPriceHistory", {{"MaxResults", "100"}}, "//spotPrice", &pages);
  EXPECT_GT(pages, 5);
  EXPECT_GT(all.size(), 600u);
}

}  // namespace
}  // namespace tenon::awssim

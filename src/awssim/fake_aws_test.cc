// The front end: services, signatures, faults, counts.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/fake_aws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "awssim/testing/account.h"
#include "runtime/live.h"

namespace tenon::awssim {
namespace {

using testing::Account;
using testing::Answer;
using ::testing::HasSubstr;

Answer call_service(Account& account, const std::string& service) {
  if (service == "ec2") return account.call.ec2("DescribeVpcs");
  if (service == "iam") return account.call.iam("GetRole", {{"RoleName", "KarpenterNodeRole-demo"}});
  if (service == "sts") return account.call.sts("GetCallerIdentity");
  if (service == "eks") return account.call.get("eks", "/clusters/demo");
  if (service == "ssm")
    return account.call.json("ssm", "AmazonSSM.GetParameter",
                             R"({"Name":"/aws/service/bottlerocket/aws-k8s-1.34/arm64/latest/image_id"})");
  if (service == "pricing")
    return account.call.json("pricing", "AWSPriceListService.GetProducts",
                             R"({"ServiceCode":"AmazonEC2","MaxResults":1})");
  return account.call.json("sqs", "AmazonSQS.GetQueueUrl", R"({"QueueName":"demo"})");
}

struct RefusalRow {
  const char* service;
  const char* unknown_key;
  const char* wrong_secret;
  const char* expired;
  const char* unsigned_request;
};
const RefusalRow kRefusals[] = {
    {"ec2", "AuthFailure", "SignatureDoesNotMatch", "RequestExpired", "MissingAuthenticationToken"},
    {"iam", "InvalidClientTokenId", "SignatureDoesNotMatch", "SignatureDoesNotMatch", "MissingAuthenticationToken"},
    {"sts", "InvalidClientTokenId", "SignatureDoesNotMatch", "SignatureDoesNotMatch", "MissingAuthenticationToken"},
    {"ssm", "UnrecognizedClientException", "InvalidSignatureException", "InvalidSignatureException",
     "MissingAuthenticationTokenException"},
    {"eks", "UnrecognizedClientException", "InvalidSignatureException", "InvalidSignatureException",
     "MissingAuthenticationTokenException"},
    {"pricing", "UnrecognizedClientException", "InvalidSignatureException", "InvalidSignatureException",
     "MissingAuthenticationTokenException"},
    {"sqs", "UnrecognizedClientException", "InvalidSignatureException", "InvalidSignatureException",
     "MissingAuthenticationTokenException"}};

TEST(FakeAws, EveryServiceChecksTheSignatureInItsOwnWords) {
  for (const RefusalRow& row : kRefusals) {
    Account account;
    EXPECT_EQ(call_service(account, row.service).status, 200) << row.service;
    account.call.access_key_id = "AKIDOTHER";
    EXPECT_EQ(call_service(account, row.service).error_code(), row.unknown_key) << row.service;
    account.call.access_key_id = "AKIDEXAMPLE";
    account.call.secret = "guess";
    EXPECT_EQ(call_service(account, row.service).error_code(), row.wrong_secret) << row.service;
    account.call.secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    account.call.clock_offset = -6min;
    EXPECT_EQ(call_service(account, row.service).error_code(), row.expired) << row.service;
    account.call.clock_offset = 4min;
    EXPECT_EQ(call_service(account, row.service).status, 200) << row.service;
    account.call.sign = false;
    EXPECT_EQ(call_service(account, row.service).error_code(), row.unsigned_request) << row.service;
  }
}

TEST(FakeAws, UnsignedRequestsAreServedWhereSignaturesAreOff) {
  FakeAwsOptions options;
  options.check_signatures = false;
  Account account(options);
  account.call.sign = false;
  for (const RefusalRow& row : kRefusals) EXPECT_EQ(call_service(account, row.service).status, 200) << row.service;
  http::ServerRequest by_host{
      .method = "POST", .host = "ec2.us-east-1.amazonaws.com", .raw_path = "/", .body = "Action=DescribeVpcs"};
  EXPECT_EQ(account.call.send(by_host, "ec2").status, 200);
}

TEST(FakeAws, RegionalServicesWantTheirRegion) {
  Account account;
  account.call.region = "eu-west-1";
  EXPECT_EQ(account.call.ec2("DescribeVpcs").error_code(), "SignatureDoesNotMatch");
  EXPECT_EQ(call_service(account, "iam").status, 200);
  EXPECT_EQ(call_service(account, "pricing").status, 200);
}

TEST(FakeAws, CountsCallsAndFailsWhereItIsTold) {
  FakeAwsOptions options;
  int failures = 2;
  options.fault = [&](const std::string& action) -> std::string {
    return action == "DescribeSubnets" && failures-- > 0 ? "RequestLimitExceeded" : "";
  };
  Account account(options);
  Answer limited = account.call.ec2("DescribeSubnets");
  EXPECT_EQ(limited.status, 503);
  EXPECT_EQ(limited.error_code(), "RequestLimitExceeded");
  EXPECT_EQ(account.call.ec2("DescribeSubnets").status, 503);
  EXPECT_EQ(account.call.ec2("DescribeSubnets").status, 200);
  EXPECT_EQ(account.aws->calls("DescribeSubnets"), 3);
  EXPECT_EQ(account.aws->calls("DescribeVpcs"), 0);
}

TEST(FakeAws, UnknownActionsAndServices) {
  Account account;
  EXPECT_EQ(account.call.ec2("MakeCoffee").error_code(), "InvalidAction");
  EXPECT_EQ(account.call.iam("MakeCoffee").error_code(), "InvalidAction");
  EXPECT_EQ(account.call.json("ssm", "AmazonSSM.MakeCoffee", "{}").error_code(), "InvalidAction");
  EXPECT_EQ(account.call.json("ssm", "AmazonSSM.GetParameter", "[").error_code(), "SerializationException");
  EXPECT_EQ(account.call.get("s3", "/").status, 404);
}

TEST(FakeAws, ServesManyThreadsAtOnce) {
  auto runtime = runtime::make_live_runtime();
  auto aws = make_fake_aws(*runtime, {});
  testing::Caller setup(*aws, *runtime);
  std::string subnet = setup.ec2("DescribeSubnets").first("//subnetId");
  std::string image = setup.ec2("DescribeImages", testing::filter(1, "architecture", {"x86_64"})).first("//imageId");
  auto work = [&](const std::stop_token&) {
    testing::Caller caller(*aws, *runtime);
    for (int i = 0; i < 5; ++i) {
      std::string id = caller
                           .ec2("RunInstances", {{"InstanceType", "m5.large"},
                                                 {"ImageId", image},
                                                 {"SubnetId", subnet},
                                                 {"MinCount", "1"},
                                                 {"MaxCount", "1"}})
                           .first("//instanceId");
      caller.ec2("CreateTags", {{"ResourceId.1", id}, {"Tag.1.Key", "Name"}, {"Tag.1.Value", id}});
      caller.ec2("DescribeInstances");
    }
  };
  constexpr int kThreads = 4;
  std::vector<std::unique_ptr<runtime::Task>> tasks;
  for (int i = 0; i < kThreads; ++i) tasks.push_back(runtime->spawn("caller", work));
  for (auto& task : tasks) task->join();
  std::set<std::string> addresses;
  for (const FakeInstance& instance : aws->instances()) {
    addresses.insert(instance.private_ip);
    EXPECT_EQ(instance.tags.at("Name"), instance.id);
  }
  EXPECT_EQ(addresses.size(), 5u * kThreads);
  EXPECT_EQ(aws->calls("RunInstances"), 5 * kThreads);
}

TEST(FakeAws, AnswersLookLikeAwss) {
  Account account;
  Answer answer = account.call.ec2("DescribeVpcs");
  EXPECT_THAT(answer.body,
              HasSubstr("<DescribeVpcsResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>"));
  EXPECT_EQ(answer.all("/DescribeVpcsResponse/vpcSet/item").size(), 1u);
  answer = account.call.ec2("DescribeVpcs", {{"DryRun", "true"}});
  EXPECT_EQ(answer.status, 412);
  EXPECT_EQ(answer.first("/Response/Errors/Error/Code"), "DryRunOperation");
  EXPECT_FALSE(answer.first("/Response/RequestID").empty());
  answer = account.call.sts("GetCallerIdentity");
  EXPECT_EQ(answer.first("/GetCallerIdentityResponse/GetCallerIdentityResult/Account"), "123456789012");
}

}  // namespace
}  // namespace tenon::awssim

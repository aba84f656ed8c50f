// Requests and answers of the small services on the wire.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/eks.h"
#include "aws/iam.h"
#include "aws/pricing.h"
#include "aws/sqs.h"
#include "aws/ssm.h"
#include "aws/sts.h"
#include "aws/testing/canned.h"
#include "aws/zonal_shift.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

using testing::CannedClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Ssm, GetsAParameter) {
  CannedClient canned;
  canned.transport.answer(200, R"({"Parameter":{"Name":"/a","Type":"String","Value":"ami-1"}})");
  canned.transport.answer(400, R"({"__type":"ParameterNotFound"})");
  Ssm ssm(canned.client);
  EXPECT_EQ(*ssm.get_parameter("/a", {}), "ami-1");
  const http::Request& sent = canned.transport.requests.at(0);
  EXPECT_EQ(sent.headers.get("X-Amz-Target"), "AmazonSSM.GetParameter");
  EXPECT_EQ(sent.headers.get("Content-Type"), "application/x-amz-json-1.1");
  EXPECT_EQ(sent.body, R"({"Name":"/a"})");
  const auto missing = ssm.get_parameter("/b", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("parameter /b: ssm GetParameter: ParameterNotFound"));
}

TEST(Sqs, ReadsAndDeletes) {
  CannedClient canned;
  canned.transport.answer(200, R"({"QueueUrl":"https://sqs.us-east-1.amazonaws.com/123456789012/demo"})")
      .answer(200, R"({"Messages":[{"MessageId":"m1","ReceiptHandle":"r1","Body":"{}","MD5OfBody":"x",
        "Attributes":{"SentTimestamp":"1788264000123"}},{"MessageId":"m2","ReceiptHandle":"r2","Body":""}]})")
      .answer(200, "{}")
      .answer(
          200,
          R"({"Successful":[{"Id":"0"}],"Failed":[{"Id":"1","SenderFault":true,"Code":"ReceiptHandleIsInvalid"}]})");
  Sqs sqs(canned.client);
  const auto url = sqs.get_queue_url("demo", {});
  ASSERT_TRUE(url) << url.error().message;
  const auto messages = sqs.receive(*url, {.wait = 20s, .visibility = 20s}, {});
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2u);
  EXPECT_EQ(messages->at(0).receipt, "r1");
  EXPECT_EQ(messages->at(0).body, "{}");
  EXPECT_EQ(messages->at(0).sent_at, Instant(1'788'264'000'123ms));
  EXPECT_EQ(sqs.receive(*url, {}, {})->size(), 0u);
  EXPECT_EQ(*sqs.delete_messages(*url, {"r1", "r2"}, {}), 1u);
  const auto& requests = canned.transport.requests;
  EXPECT_EQ(requests.at(0).url, "https://sqs.us-east-1.amazonaws.com/");
  EXPECT_EQ(requests[0].headers.get("Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(requests[1].headers.get("X-Amz-Target"), "AmazonSQS.ReceiveMessage");
  EXPECT_EQ(requests[1].body, R"({"QueueUrl":"https://sqs.us-east-1.amazonaws.com/123456789012/demo",)"
                              R"("MaxNumberOfMessages":10,"VisibilityTimeout":20,"WaitTimeSeconds":20,)"
                              R"("AttributeNames":["SentTimestamp"],"MessageAttributeNames":["All"]})");
  EXPECT_EQ(requests[3].body, R"({"QueueUrl":"https://sqs.us-east-1.amazonaws.com/123456789012/demo",)"
                              R"("Entries":[{"Id":"0","ReceiptHandle":"r1"},{"Id":"1","ReceiptHandle":"r2"}]})");
}

TEST(Sqs, AMissingQueueIsNotFound) {
  CannedClient canned;
  canned.transport.answer(400, R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"no"})",
                          {{"x-amzn-query-error", "AWS.SimpleQueueService.NonExistentQueue;Sender"}});
  const auto url = Sqs(canned.client).get_queue_url("demo", {});
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().code, Code::kNotFound);
  EXPECT_THAT(url.error().message, HasSubstr("queue demo: sqs GetQueueUrl: QueueDoesNotExist"));
}

TEST(Eks, DescribesACluster) {
  CannedClient canned;
  canned.transport.answer(200, R"({"cluster":{"name":"demo","arn":"arn:x","version":"1.34","endpoint":"https://e",
    "certificateAuthority":{"data":"Y2E="},
    "kubernetesNetworkConfig":{"serviceIpv6Cidr":"fd00::/108","ipFamily":"ipv6"}}})");
  const auto cluster = Eks(canned.client).describe_cluster("a b", {});
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->version, "1.34");
  EXPECT_EQ(cluster->ca_base64, "Y2E=");
  EXPECT_EQ(cluster->service_cidr, "fd00::/108");
  EXPECT_EQ(canned.transport.requests.at(0).method, "GET");
  EXPECT_EQ(canned.transport.requests[0].url, "https://eks.us-east-1.amazonaws.com/clusters/a%20b");
}

TEST(ZonalShift, ReadsTheWeightsOfZones) {
  CannedClient canned;
  canned.transport.answer(200, R"({"arn":"arn:aws:eks:us-east-1:1:cluster/demo","name":"demo",
      "appliedWeights":{"use1-az1":0.0,"use1-az2":1.0,"use1-az3":1},"zonalShifts":[],"autoshifts":[]})");
  canned.transport.answer(404, R"({"message":"none"})", {{"x-amzn-ErrorType", "ResourceNotFoundException"}});
  ZonalShift arc(canned.client);
  const std::string arn = "arn:aws:eks:us-east-1:1:cluster/demo";
  const auto resource = arc.get_managed_resource(arn, {});
  ASSERT_TRUE(resource) << resource.error().message;
  EXPECT_EQ(resource->arn, arn);
  EXPECT_EQ(resource->applied_weights,
            (std::map<std::string, double>{{"use1-az1", 0}, {"use1-az2", 1}, {"use1-az3", 1}}));
  const http::Request& sent = canned.transport.requests.at(0);
  EXPECT_EQ(sent.method, "GET");
  EXPECT_EQ(sent.url,
            "https://arc-zonal-shift.us-east-1.amazonaws.com/managedresources/"
            "arn%3Aaws%3Aeks%3Aus-east-1%3A1%3Acluster%2Fdemo");
  EXPECT_THAT(std::string(sent.headers.get("Authorization")), HasSubstr("/us-east-1/arc-zonal-shift/aws4_request"));
  EXPECT_EQ(arc.get_managed_resource(arn, {}).error().code, Code::kNotFound);
}

TEST(Iam, ManagesInstanceProfiles) {
  CannedClient canned;
  const std::string profile = R"(<InstanceProfile><InstanceProfileName>p</InstanceProfileName><Path>/karpenter/</Path>
    <Roles><member><RoleName>node</RoleName></member></Roles><Tags><member><Key>k</Key><Value>v</Value></member></Tags>
    </InstanceProfile>)";
  canned.transport
      .answer(200, "<GetInstanceProfileResponse><GetInstanceProfileResult>" + profile +
                       "</GetInstanceProfileResult></GetInstanceProfileResponse>")
      .answer(409, "<ErrorResponse><Error><Code>EntityAlreadyExists</Code></Error></ErrorResponse>")
      .answer(200, "<R/>");
  Iam iam(canned.client);
  const auto got = iam.get_instance_profile("p", {});
  ASSERT_TRUE(got);
  EXPECT_THAT(got->roles, ElementsAre("node"));
  EXPECT_EQ(got->tags.at("k"), "v");
  EXPECT_EQ(canned.transport.requests.at(0).url, "https://iam.amazonaws.com/");
  EXPECT_EQ(iam.create_instance_profile({"p", "/karpenter/", {{"k", "v"}}}, {}).error().code, Code::kAlreadyExists);
  EXPECT_TRUE(canned.transport.form_has(1, "Tags.member.1.Key=k"));
  EXPECT_TRUE(iam.add_role("p", "node", {}));
  EXPECT_TRUE(canned.transport.form_has(2, "RoleName=node"));
}

TEST(Iam, ListsOverPages) {
  CannedClient canned;
  const auto page = [](const std::string& name, const std::string& more) {
    return "<R><ListInstanceProfilesResult><InstanceProfiles><member><InstanceProfileName>" + name +
           "</InstanceProfileName></member></InstanceProfiles>" + more + "</ListInstanceProfilesResult></R>";
  };
  canned.transport.answer(200, page("a", "<IsTruncated>true</IsTruncated><Marker>m/1</Marker>"));
  canned.transport.answer(200, page("b", "<IsTruncated>false</IsTruncated>"));
  const auto profiles = Iam(canned.client).list_instance_profiles("/karpenter/", {});
  ASSERT_TRUE(profiles);
  EXPECT_EQ(profiles->size(), 2u);
  EXPECT_TRUE(canned.transport.form_has(1, "Marker=m/1"));
}

TEST(Iam, ReadsThePoliciesOfARole) {
  CannedClient canned;
  canned.transport
      .answer(200,
              "<R><GetRoleResult><Role><PermissionsBoundary><PermissionsBoundaryArn>b</PermissionsBoundaryArn>"
              "</PermissionsBoundary></Role></GetRoleResult></R>")
      .answer(200,
              "<R><ListAttachedRolePoliciesResult><AttachedPolicies><member><PolicyArn>arn:p</PolicyArn></member>"
              "</AttachedPolicies></ListAttachedRolePoliciesResult></R>")
      .answer(
          200,
          "<R><ListRolePoliciesResult><PolicyNames><member>inline</member></PolicyNames></ListRolePoliciesResult></R>")
      .answer(200, "<R><GetPolicyResult><Policy><DefaultVersionId>v3</DefaultVersionId></Policy></GetPolicyResult></R>")
      .answer(200,
              "<R><GetPolicyVersionResult><PolicyVersion><Document>%7B%22a%22%3A1%7D</Document></PolicyVersion>"
              "</GetPolicyVersionResult></R>")
      .answer(200, "<R><GetRolePolicyResult><PolicyDocument>%7B%7D</PolicyDocument></GetRolePolicyResult></R>");
  const auto policies = Iam(canned.client).role_policies("role", {});
  ASSERT_TRUE(policies) << policies.error().message;
  EXPECT_TRUE(policies->bounded);
  EXPECT_THAT(policies->documents, ElementsAre(R"({"a":1})", "{}"));
  EXPECT_TRUE(canned.transport.form_has(4, "VersionId=v3"));
  EXPECT_TRUE(canned.transport.form_has(5, "PolicyName=inline"));
}

TEST(Sts, NamesTheCaller) {
  CannedClient canned;
  canned.transport.answer(
      200, "<R><GetCallerIdentityResult><Account>1</Account><Arn>arn:x</Arn></GetCallerIdentityResult></R>");
  EXPECT_EQ(Sts(canned.client).get_caller_identity({})->arn, "arn:x");
}

TEST(Sts, MakesAnEksToken) {
  CannedClient canned;
  const auto token = Sts(canned.client).eks_token("demo", {});
  ASSERT_TRUE(token);
  ASSERT_TRUE(token->starts_with("k8s-aws-v1."));
  std::string encoded = token->substr(11);
  EXPECT_EQ(encoded.find_first_of("+/="), std::string::npos);
  for (char& c : encoded) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (encoded.size() % 4 != 0) encoded += '=';
  std::string url;
  ASSERT_TRUE(base64_decode(encoded, url));
  EXPECT_TRUE(url.starts_with("https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15"))
      << url;
  EXPECT_THAT(url, HasSubstr("X-Amz-SignedHeaders=host%3Bx-k8s-aws-id"));
}

TEST(Pricing, ReadsOnDemandPricesOverPages) {
  CannedClient canned;
  const auto product = [](const std::string& type, const std::string& price) {
    return json::to_string(json::value(json::object{
        {"product", json::object{{"attributes", json::object{{"instanceType", type}}}}},
        {"terms",
         json::object{
             {"OnDemand",
              json::object{
                  {"x", json::object{{"priceDimensions",
                                      json::object{{"y", json::object{{"pricePerUnit",
                                                                       json::object{{"USD", price}}}}}}}}}}}}}}));
  };
  const auto page = [](const std::vector<std::string>& products, const std::string& token) {
    json::array list;
    for (const auto& p : products) list.emplace_back(p);
    json::object answer{{"FormatVersion", "aws_v1"}, {"PriceList", std::move(list)}};
    if (!token.empty()) answer["NextToken"] = token;
    return json::to_string(json::value(std::move(answer)));
  };
  canned.transport.answer(200, page({product("m5.large", "0.0960000000"), product("t3.nano", "0.0000000000")}, "n1"));
  canned.transport.answer(200, page({product("c5.large", "0.085")}, ""));
  const auto list = Pricing(canned.client).on_demand_prices({{"regionCode", "us-east-1"}}, {});
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->prices.size(), 2u);
  EXPECT_EQ(list->prices[0].price, model::parse_price("0.096"));
  EXPECT_EQ(list->prices[0].currency, "USD");
  EXPECT_EQ(list->prices[1].instance_type, "c5.large");
  EXPECT_EQ(list->malformed, 0u);
  EXPECT_EQ(canned.transport.requests.at(0).headers.get("X-Amz-Target"), "AWSPriceListService.GetProducts");
  EXPECT_THAT(canned.transport.requests[0].body,
              HasSubstr(R"({"Type":"TERM_MATCH","Field":"regionCode","Value":"us-east-1"})"));
  EXPECT_THAT(canned.transport.requests.at(1).body, HasSubstr(R"("NextToken":"n1")"));
}

}  // namespace
}  // namespace tenon::aws

// IAM, SSM, EKS, the price list, SQS, and the images and networks of EC2.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "awssim/account/world.h"
#include "awssim/testing/account.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::awssim {
namespace {

using testing::Account;
using testing::Answer;
using ::testing::ElementsAre;
using testing::filter;
using testing::Form;
using ::testing::HasSubstr;
using testing::operator+;

json::value document(const Answer& answer) {
  auto parsed = json::parse(answer.body);
  EXPECT_TRUE(parsed) << answer.body;
  return parsed ? *parsed : json::value();
}

Answer parameter(Account& account, const std::string& name) {
  return account.call.json("ssm", "AmazonSSM.GetParameter", R"({"Name":")" + name + R"("})");
}

TEST(Iam, LifeOfAProfile) {
  Account account;
  Form named{{"InstanceProfileName", "demo_42"}};
  Form role = named + Form{{"RoleName", "KarpenterNodeRole-demo"}};
  EXPECT_EQ(account.call.iam("GetInstanceProfile", named).error_code(), "NoSuchEntity");
  EXPECT_EQ(account.call.iam("GetInstanceProfile", named).status, 404);
  Answer created = account.call.iam("CreateInstanceProfile", named + Form{{"Path", "/karpenter/us-east-1/demo/uid/"},
                                                                          {"Tags.member.1.Key", "team"},
                                                                          {"Tags.member.1.Value", "a"}});
  EXPECT_EQ(created.first("//CreateInstanceProfileResult/InstanceProfile/Arn"),
            "arn:aws:iam::123456789012:instance-profile/karpenter/us-east-1/demo/uid/demo_42");
  EXPECT_EQ(account.call.iam("CreateInstanceProfile", named).error_code(), "EntityAlreadyExists");
  EXPECT_EQ(account.call.iam("AddRoleToInstanceProfile", role).status, 200);
  EXPECT_EQ(account.call.iam("AddRoleToInstanceProfile", role).error_code(), "LimitExceeded");
  EXPECT_EQ(
      account.call.iam("TagInstanceProfile", named + Form{{"Tags.member.1.Key", "b"}, {"Tags.member.1.Value", "c"}})
          .status,
      200);
  Answer read = account.call.iam("GetInstanceProfile", named);
  EXPECT_THAT(read.all("//Roles/member/RoleName"), ElementsAre("KarpenterNodeRole-demo"));
  EXPECT_THAT(read.all("//InstanceProfile/Tags/member/Key"), ElementsAre("b", "team"));
  EXPECT_EQ(account.call.iam("DeleteInstanceProfile", named).error_code(), "DeleteConflict");
  EXPECT_EQ(account.call.iam("RemoveRoleFromInstanceProfile", role).status, 200);
  EXPECT_EQ(account.call.iam("RemoveRoleFromInstanceProfile", role).error_code(), "NoSuchEntity");
  EXPECT_EQ(account.call.iam("DeleteInstanceProfile", named).status, 200);
  EXPECT_EQ(account.call.iam("DeleteInstanceProfile", named).error_code(), "NoSuchEntity");
}

TEST(Iam, MakesRoles) {
  Account account;
  const Form role{{"RoleName", "Other"}, {"AssumeRolePolicyDocument", "{}"}};
  EXPECT_EQ(account.call.iam("CreateRole", {{"RoleName", "Other"}}).error_code(), "ValidationError");
  EXPECT_EQ(account.call.iam("CreateRole", role).first("//Role/Arn"), "arn:aws:iam::123456789012:role/Other");
  EXPECT_EQ(account.call.iam("CreateRole", role).error_code(), "EntityAlreadyExists");
  EXPECT_EQ(account.call.iam("GetRole", {{"RoleName", "Other"}}).first("//AssumeRolePolicyDocument"), "%7B%7D");
}

class ZonalShifts : public ::testing::Test {
 protected:
  Answer start(const std::string& zone, const std::string& lasts = "2h") {
    http::ServerRequest request{.method = "POST", .raw_path = "/zonalshifts"};
    request.body = json::to_string(
        json::object{{"resourceIdentifier", kArn}, {"awayFrom", zone}, {"expiresIn", lasts}, {"comment", "why"}});
    return account_.call.send(std::move(request), "arc-zonal-shift");
  }
  Answer resource(const std::string& arn = kArn) {
    return account_.call.get("arc-zonal-shift", "/managedresources/" + percent_encode(arn));
  }
  double weight(const std::string& zone) {
    const json::value answer = document(resource());
    const json::value* found = json::find(answer, {"appliedWeights", zone});
    return found ? found->to_number<double>() : -1;
  }

  static constexpr const char* kArn = "arn:aws:eks:us-east-1:123456789012:cluster/demo";
  Account account_;
};

TEST_F(ZonalShifts, AreInForceUntilTheyAreCancelled) {
  EXPECT_EQ(weight("use1-az1"), 1);
  const json::value shift = document(start("use1-az1"));
  EXPECT_EQ(json::string_at(shift, {"status"}), "ACTIVE");
  EXPECT_EQ(weight("use1-az1"), 0);
  EXPECT_EQ(weight("use1-az2"), 1);
  EXPECT_EQ(start("use1-az2").error_code(), "ConflictException");
  const std::string id(json::string_at(shift, {"zonalShiftId"}));
  const auto cancel = [&] {
    return account_.call.send({.method = "DELETE", .raw_path = "/zonalshifts/" + id}, "arc-zonal-shift");
  };
  EXPECT_EQ(json::string_at(document(cancel()), {"status"}), "CANCELED");
  EXPECT_EQ(cancel().error_code(), "ConflictException");
  EXPECT_EQ(weight("use1-az1"), 1);
}

TEST_F(ZonalShifts, Expire) {
  EXPECT_EQ(start("use1-az1", "30m").status, 201);
  account_.runtime->run_for(31min);
  EXPECT_EQ(weight("use1-az1"), 1);
}

TEST_F(ZonalShifts, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(start("us-east-1a").error_code(), "ValidationException") << "zones go by id";
  EXPECT_EQ(start("use1-az1", "1h30m").error_code(), "ValidationException");
  EXPECT_EQ(start("use1-az1", "100h").error_code(), "ValidationException");
  const Answer other = resource("arn:aws:eks:us-east-1:123456789012:cluster/other");
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(other.error_code(), "ResourceNotFoundException");
  Account without({.zonal_shift = false});
  EXPECT_EQ(without.call.get("arc-zonal-shift", "/managedresources/" + percent_encode(kArn)).status, 404);
}

TEST(Iam, ListsByPathInPages) {
  Account account;
  for (int i = 0; i < 5; ++i)
    account.call.iam("CreateInstanceProfile",
                     {{"InstanceProfileName", "p" + std::to_string(i)}, {"Path", i < 4 ? "/a/" : "/b/"}});
  Answer first = account.call.iam("ListInstanceProfiles", {{"PathPrefix", "/a/"}, {"MaxItems", "3"}});
  EXPECT_THAT(first.all("//InstanceProfileName"), ElementsAre("p0", "p1", "p2"));
  EXPECT_EQ(first.first("//IsTruncated"), "true");
  Answer second =
      account.call.iam("ListInstanceProfiles", {{"PathPrefix", "/a/"}, {"Marker", first.first("//Marker")}});
  EXPECT_THAT(second.all("//InstanceProfileName"), ElementsAre("p3"));
  EXPECT_EQ(second.first("//IsTruncated"), "false");
}

TEST(Iam, Refusals) {
  Account account;
  EXPECT_EQ(account.call.iam("GetRole", {{"RoleName", "nope"}}).error_code(), "NoSuchEntity");
  EXPECT_THAT(account.call.iam("GetRole", {{"RoleName", "KarpenterNodeRole-demo"}}).first("//Role/Arn"),
              HasSubstr("role/KarpenterNodeRole-demo"));
  EXPECT_EQ(account.call.iam("CreateInstanceProfile", {{"InstanceProfileName", "a b"}}).error_code(),
            "ValidationError");
  EXPECT_EQ(account.call.iam("CreateInstanceProfile", {{"InstanceProfileName", "a"}, {"Path", "x"}}).error_code(),
            "ValidationError");
}

TEST(Ssm, AliasesOfEveryFamily) {
  const std::string names[] = {
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/recommended/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/"
      "amazon-eks-node-al2023-x86_64-standard-1.34-v20260715/image_id",
      "/aws/service/eks/optimized-ami/1.31/amazon-linux-2/recommended/image_id",
      "/aws/service/eks/optimized-ami/1.31/amazon-linux-2-arm64/amazon-eks-arm64-node-1.31-v20260818/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.34/arm64/latest/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/1.49.0/image_id",
      "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id",
      "/aws/service/canonical/ubuntu/eks/20.04/1.29/stable/current/arm64/hvm/ebs-gp2/ami-id"};
  Account account;
  for (const std::string& name : names) {
    Answer answer = parameter(account, name);
    ASSERT_EQ(answer.status, 200) << name;
    json::value found = document(answer);
    std::string image(json::string_at(found, {"Parameter", "Value"}));
    EXPECT_EQ(account.call.ec2("DescribeImages", filter(1, "image-id", {image})).all("//imageId"),
              std::vector<std::string>{image});
  }
  EXPECT_EQ(parameter(account, "arn:aws:ssm:us-east-1::parameter" + names[0]).body, parameter(account, names[0]).body);
  Answer missing = parameter(account, "/aws/service/eks/optimized-ami/1.34/amazon-linux-2/recommended/image_id");
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(missing.error_code(), "ParameterNotFound");
}

TEST(Ssm, PinnedAndLatestDiffer) {
  Account account;
  std::string folder = "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/";
  auto value_of = [&](const std::string& name) {
    json::value found = document(parameter(account, folder + name + "/image_id"));
    return std::string(json::string_at(found, {"Parameter", "Value"}));
  };
  EXPECT_EQ(value_of("latest"), value_of("1.50.0"));
  EXPECT_NE(value_of("latest"), value_of("1.49.0"));
}

TEST(Images, FiltersOwnersAndPages) {
  Account account;
  Form standard =
      filter(1, "name", {"amazon-eks-node-al2023-x86_64-standard-1.34-v*"}) + filter(2, "state", {"available"});
  Answer answer = account.call.ec2(
      "DescribeImages", standard + Form{{"Owner.1", "amazon"}, {"Owner.2", "self"}, {"IncludeDeprecated", "true"}});
  EXPECT_EQ(answer.all("//imageId").size(), 2u);
  EXPECT_EQ(answer.first("//architecture"), "x86_64");
  EXPECT_THAT(answer.all("//creationDate"),
              ::testing::UnorderedElementsAre("2026-07-15T18:02:11.000Z", "2026-08-18T17:40:53.000Z"));
  EXPECT_TRUE(account.call.ec2("DescribeImages", standard + Form{{"Owner.1", "self"}}).all("//imageId").empty());
  EXPECT_EQ(account.call.ec2("DescribeImages", {{"ImageId.1", "ami-00"}}).error_code(), "InvalidAMIID.NotFound");
  Answer page = account.call.ec2("DescribeImages", {{"MaxResults", "5"}});
  EXPECT_EQ(page.all("//imageId").size(), 5u);
  EXPECT_FALSE(page.first("//nextToken").empty());
}

TEST(Images, DeprecatedOnesHideUnlessAskedFor) {
  Account account;
  Form standard = filter(1, "name", {"amazon-eks-node-al2023-x86_64-standard-1.34-v*"});
  account.runtime->run_for(3 * 365 * 24h);
  EXPECT_TRUE(account.call.ec2("DescribeImages", standard).all("//imageId").empty());
  EXPECT_EQ(account.call.ec2("DescribeImages", standard + Form{{"IncludeDeprecated", "true"}}).all("//imageId").size(),
            2u);
}

TEST(Network, FoundByTagIdAndName) {
  Account account;
  Answer subnets = account.call.ec2("DescribeSubnets",
                                    filter(1, "tag:karpenter.sh/discovery", {"demo"}) + Form{{"MaxResults", "500"}});
  EXPECT_EQ(subnets.all("//subnetSet/item/subnetId").size(), 4u);
  EXPECT_THAT(subnets.all("//cidrBlock"),
              ::testing::UnorderedElementsAre("10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19", "10.0.96.0/19"));
  EXPECT_TRUE(
      account.call.ec2("DescribeSubnets", filter(1, "tag:karpenter.sh/discovery", {"x"})).all("//subnetId").empty());
  EXPECT_EQ(
      account.call.ec2("DescribeSubnets", filter(1, "tag-key", {"karpenter.sh/discovery"})).all("//subnetId").size(),
      4u);
  EXPECT_EQ(account.call.ec2("DescribeSubnets", {{"SubnetId.1", "subnet-1"}}).error_code(), "InvalidSubnetID.NotFound");
  EXPECT_EQ(account.call.ec2("DescribeSecurityGroups", filter(1, "group-name", {"demo-*"})).first("//groupId"),
            account.security_group());
  EXPECT_EQ(account.call.ec2("DescribeSecurityGroups", {{"GroupId.1", "sg-1"}}).error_code(), "InvalidGroup.NotFound");
}

TEST(Eks, DescribesItsOneCluster) {
  FakeAwsOptions options;
  options.cluster_endpoint = "https://127.0.0.1:6443";
  options.cluster_ca_pem = "PEM";
  Account account(options);
  json::value cluster = document(account.call.get("eks", "/clusters/demo"));
  EXPECT_EQ(json::string_at(cluster, {"cluster", "status"}), "ACTIVE");
  EXPECT_EQ(json::string_at(cluster, {"cluster", "endpoint"}), "https://127.0.0.1:6443");
  EXPECT_EQ(json::string_at(cluster, {"cluster", "version"}), "1.34");
  EXPECT_EQ(json::string_at(cluster, {"cluster", "certificateAuthority", "data"}), base64_encode("PEM"));
  EXPECT_EQ(json::string_at(cluster, {"cluster", "kubernetesNetworkConfig", "serviceIpv4Cidr"}), "172.20.0.0/16");
  EXPECT_EQ(json::string_at(cluster, {"cluster", "resourcesVpcConfig", "clusterSecurityGroupId"}),
            account.security_group());
  Answer missing = account.call.get("eks", "/clusters/other");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.error_code(), "ResourceNotFoundException");
}

std::string products(const std::string& tenancy, const std::string& family, const std::string& more) {
  auto term = [](const std::string& field, const std::string& value) {
    return R"({"Type":"TERM_MATCH","Field":")" + field + R"(","Value":")" + value + R"("})";
  };
  return R"({"ServiceCode":"AmazonEC2","MaxResults":100,"Filters":[)" + term("regionCode", "us-east-1") + "," +
         term("serviceCode", "AmazonEC2") + "," + term("preInstalledSw", "NA") + "," +
         term("operatingSystem", "Linux") + "," + term("capacitystatus", "Used") + "," +
         term("marketoption", "OnDemand") + "," + term("tenancy", tenancy) + "," + term("productFamily", family) + "]" +
         more + "}";
}

TEST(Pricing, KarpentersTwoQueriesInPages) {
  Account account;
  std::map<std::string, std::string> prices;
  for (const auto& [tenancy, family] :
       {std::pair("Shared", "Compute Instance"), std::pair("Dedicated", "Compute Instance (bare metal)")}) {
    std::string more;
    do {
      json::value answer =
          document(account.call.json("pricing", "AWSPriceListService.GetProducts", products(tenancy, family, more)));
      for (const json::value& text : json::array_at(answer, {"PriceList"})) {
        auto product = json::parse(text.get_string());
        ASSERT_TRUE(product);
        const json::object& offers = json::object_at(*product, {"terms", "OnDemand"});
        const json::object& dimensions = json::object_at(offers.begin()->value(), {"priceDimensions"});
        prices[std::string(json::string_at(*product, {"product", "attributes", "instanceType"}))] =
            json::string_at(dimensions.begin()->value(), {"pricePerUnit", "USD"});
      }
      std::string_view token = json::string_at(answer, {"NextToken"});
      more = token.empty() ? "" : R"(,"NextToken":")" + std::string(token) + "\"";
    } while (!more.empty());
  }
  EXPECT_GT(prices.size(), 150u);
  EXPECT_EQ(prices["m5.large"], "0.0960000000");
  EXPECT_EQ(prices["m5.metal"], "4.6080000000");
  EXPECT_FALSE(prices.contains("p5e.48xlarge"));  // not on the list
}

TEST(Pricing, PlantedFaultAndRefusals) {
  Account account;
  account.aws->scale_price("m5.large", 2);
  std::string one = products("Shared", "Compute Instance", "");
  one.insert(one.find("\"Filters\":[") + 11, R"({"Type":"TERM_MATCH","Field":"instanceType","Value":"m5.large"},)");
  EXPECT_THAT(account.call.json("pricing", "AWSPriceListService.GetProducts", one).body, HasSubstr("0.1920000000"));
  auto code = [&](const std::string& body) {
    return account.call.json("pricing", "AWSPriceListService.GetProducts", body).error_code();
  };
  EXPECT_EQ(code(R"({"ServiceCode":"AmazonS3"})"), "InvalidParameterException");
  EXPECT_EQ(code(R"({"ServiceCode":"AmazonEC2","MaxResults":101})"), "InvalidParameterException");
  EXPECT_EQ(code(R"({"ServiceCode":"AmazonEC2","NextToken":"x"})"), "InvalidNextTokenException");
}

TEST(Sqs, LongPollEndsWhenAMessageComes) {
  Account account;
  json::value url = document(account.call.json("sqs", "AmazonSQS.GetQueueUrl", R"({"QueueName":"demo"})"));
  std::string queue = R"("QueueUrl":")" + std::string(json::string_at(url, {"QueueUrl"})) + "\"";
  std::string received;
  Instant received_at{};
  auto poll = [&](const std::stop_token&) {
    received =
        account.call
            .json("sqs", "AmazonSQS.ReceiveMessage", "{" + queue + R"(,"WaitTimeSeconds":20,"MaxNumberOfMessages":10})")
            .body;
    received_at = account.runtime->now();
  };
  Instant start = account.runtime->now();
  auto task = account.runtime->spawn("poller", poll);
  account.runtime->run_for(3s);
  EXPECT_TRUE(received.empty());
  account.call.json("sqs", "AmazonSQS.SendMessage", "{" + queue + R"(,"MessageBody":"hello"})");
  account.runtime->run_for(1s);
  EXPECT_EQ(received_at, start + 3s);
  auto answer = json::parse(received);
  ASSERT_TRUE(answer);
  ASSERT_EQ(json::array_at(*answer, {"Messages"}).size(), 1u);
  const json::value& message = json::array_at(*answer, {"Messages"})[0];
  EXPECT_EQ(json::string_at(message, {"Body"}), "hello");
  EXPECT_EQ(json::string_at(message, {"MD5OfBody"}), "5d41402abc4b2a76b9719d911017c592");
  // Hidden for 30 s, then visible again, until it is deleted by its newest receipt.
  EXPECT_EQ(account.call.json("sqs", "AmazonSQS.ReceiveMessage", "{" + queue + "}").body, "{}");
  account.runtime->run_for(30s);
  json::value again = document(account.call.json("sqs", "AmazonSQS.ReceiveMessage", "{" + queue + "}"));
  std::string receipt(json::string_at(json::array_at(again, {"Messages"})[0], {"ReceiptHandle"}));
  account.call.json("sqs", "AmazonSQS.DeleteMessage", "{" + queue + R"(,"ReceiptHandle":")" + receipt + "\"}");
  account.runtime->run_for(60s);
  EXPECT_EQ(account.call.json("sqs", "AmazonSQS.ReceiveMessage", "{" + queue + "}").body, "{}");
  EXPECT_THAT(account.call.json("sqs", "AmazonSQS.GetQueueUrl", R"({"QueueName":"x"})").error_code(),
              HasSubstr("QueueDoesNotExist"));
}

struct Inbox {
  explicit Inbox(Account& account) : account_(account) {
    const json::value url = document(account.call.json("sqs", "AmazonSQS.GetQueueUrl", R"({"QueueName":"demo"})"));
    queue = R"("QueueUrl":")" + std::string(json::string_at(url, {"QueueUrl"})) + "\"";
  }
  Answer call(const std::string& action, const std::string& more) {
    return account_.call.json("sqs", "AmazonSQS." + action, "{" + queue + more + "}");
  }
  // Returns every message that is visible now, as "detail-type state-or-action", and deletes them.
  std::vector<std::string> read() {
    std::vector<std::string> seen;
    while (true) {
      const json::value answer = document(call("ReceiveMessage", R"(,"MaxNumberOfMessages":10)"));
      const json::array messages = json::array_at(answer, {"Messages"});
      if (messages.empty()) return seen;
      for (const json::value& message : messages) {
        call("DeleteMessage",
             R"(,"ReceiptHandle":")" + std::string(json::string_at(message, {"ReceiptHandle"})) + "\"");
        const auto event = json::parse(json::string_at(message, {"Body"}));
        EXPECT_TRUE(event);
        const std::string_view id = json::string_at(*event, {"detail", "instance-id"});
        EXPECT_TRUE(id.empty() || id.starts_with("i-"));
        EXPECT_EQ(json::string_at(*event, {"version"}), "0");
        seen.push_back(std::string(json::string_at(*event, {"detail-type"})) + " " +
                       std::string(json::string_at(*event, {"detail", "state"},
                                                   json::string_at(*event, {"detail", "instance-action"}))));
      }
    }
  }
  std::string queue;

 private:
  Account& account_;
};

std::string launch_spot(Account& account) {
  account.create_template("spot-template", account.image());
  return account.call.ec2("CreateFleet", account.fleet("spot-template", {{"m5.large"}}, "spot"))
      .first("//instanceIds/item");
}

TEST(Sqs, DeletesInBatches) {
  Account account;
  Inbox inbox(account);
  for (const char* body : {"a", "b"}) inbox.call("SendMessage", R"(,"MessageBody":")" + std::string(body) + "\"");
  const json::value got = document(inbox.call("ReceiveMessage", R"(,"MaxNumberOfMessages":10,"VisibilityTimeout":5)"));
  ASSERT_EQ(json::array_at(got, {"Messages"}).size(), 2u);
  const std::string receipt(json::string_at(json::array_at(got, {"Messages"})[0], {"ReceiptHandle"}));
  const Answer deleted = inbox.call("DeleteMessageBatch", R"(,"Entries":[{"Id":"x","ReceiptHandle":")" + receipt +
                                                              R"("},{"Id":"y","ReceiptHandle":""}])");
  EXPECT_EQ(deleted.body,
            R"({"Successful":[{"Id":"x"}],"Failed":[{"Id":"y","SenderFault":true,"Code":"ReceiptHandleIsInvalid",)"
            R"("Message":"The input receipt handle is invalid."}]})");
  account.runtime->run_for(5s);
  EXPECT_EQ(json::array_at(document(inbox.call("ReceiveMessage", R"(,"MaxNumberOfMessages":10)")), {"Messages"}).size(),
            1u);
  const auto code = [&](const std::string& entries) {
    return inbox.call("DeleteMessageBatch", R"(,"Entries":)" + entries).error_code();
  };
  EXPECT_EQ(code("[]"), "com.amazonaws.sqs#EmptyBatchRequest");
  EXPECT_EQ(code(R"([{"Id":"a b","ReceiptHandle":"r"}])"), "com.amazonaws.sqs#InvalidBatchEntryId");
  EXPECT_EQ(code(R"([{"Id":"a","ReceiptHandle":"r"},{"Id":"a","ReceiptHandle":"s"}])"),
            "com.amazonaws.sqs#BatchEntryIdsNotDistinct");
  std::string many = "[";
  for (int i = 0; i < 11; ++i)
    many += (i ? "," : "") + std::string(R"({"Id":")") + std::to_string(i) + R"(","ReceiptHandle":"r"})";
  EXPECT_EQ(code(many + "]"), "com.amazonaws.sqs#TooManyEntriesInBatchRequest");
}

TEST(Events, TheLifeOfAnInstanceIsToldToTheQueue) {
  Account account;
  Inbox inbox(account);
  const std::string id = launch_spot(account);
  ASSERT_FALSE(id.empty());
  EXPECT_THAT(inbox.read(), ElementsAre("EC2 Instance State-change Notification pending"));
  account.runtime->run_for(10s);
  EXPECT_THAT(inbox.read(), ElementsAre("EC2 Instance State-change Notification running"));
  ASSERT_TRUE(account.aws->warn(id, Notice::kRebalance));
  ASSERT_TRUE(account.aws->warn(id, Notice::kScheduledChange));
  EXPECT_THAT(inbox.read(), ElementsAre("EC2 Instance Rebalance Recommendation ", "AWS Health Event "));
  EXPECT_EQ(account.call.ec2("DescribeInstanceStatus", testing::filter(1, "event.code", {"instance-retirement"}))
                .first("//instanceStatusSet/item/eventsSet/item/code"),
            "instance-retirement");
  ASSERT_TRUE(account.aws->warn(id, Notice::kRebalance));
  account.runtime->run_for(kMessageRetention);
  EXPECT_THAT(inbox.read(), ElementsAre()) << "unread messages are kept for five minutes";
}

TEST(Events, AWarnedInstanceGoesTwoMinutesLater) {
  for (const Notice notice : {Notice::kSpotInterruption, Notice::kReservationInterruption}) {
    Account account;
    Inbox inbox(account);
    const std::string id = launch_spot(account);
    account.runtime->run_for(10s);
    inbox.read();
    ASSERT_TRUE(account.aws->warn(id, notice));
    ASSERT_TRUE(account.aws->warn(id, notice)) << "said twice, it happens once, at its time";
    account.runtime->run_for(kInterruptionNotice - 1s);
    EXPECT_EQ(account.instance(id).state, "running");
    const auto told = inbox.read();
    ASSERT_EQ(told.size(), 2u);
    EXPECT_THAT(told[0], HasSubstr("Interruption Warning terminate"));
    account.runtime->run_for(1s);
    EXPECT_EQ(account.instance(id).state, "shutting-down");
    account.runtime->run_for(1min);
    EXPECT_THAT(inbox.read(), ::testing::Contains("EC2 Instance State-change Notification terminated"));
    EXPECT_FALSE(account.aws->warn(id, notice));
    EXPECT_FALSE(account.aws->impair(id, StatusCheck::kSystem));
  }
}

TEST(Events, FailedStatusChecksAreDescribed) {
  Account account;
  const std::string id = launch_spot(account);
  account.runtime->run_for(10s);
  const auto impaired = [&](const std::string& what) {
    return account.call.ec2("DescribeInstanceStatus", testing::filter(1, what, {"impaired"}));
  };
  EXPECT_EQ(impaired("instance-status.status").first("//instanceId"), "");
  ASSERT_TRUE(account.aws->impair(id, StatusCheck::kInstance));
  EXPECT_EQ(impaired("instance-status.status").first("//instanceId"), id);
  EXPECT_EQ(impaired("instance-status.status").first("//instanceStatus/details/item/status"), "failed");
  EXPECT_NE(impaired("instance-status.status").first("//instanceStatus/details/item/impairedSince"), "");
  EXPECT_EQ(impaired("system-status.status").first("//instanceId"), "");
  ASSERT_TRUE(account.aws->impair(id, StatusCheck::kSystem));
  EXPECT_EQ(impaired("system-status.status").first("//systemStatus/status"), "impaired");
}

}  // namespace
}  // namespace tenon::awssim

// Launch templates, fleets, and the life of their instances.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "awssim/testing/account.h"
#include "base/text.h"

namespace tenon::awssim {
namespace {

using testing::Account;
using testing::Answer;
using ::testing::ElementsAre;
using testing::filter;
using testing::Form;
using ::testing::HasSubstr;
using testing::operator+;

constexpr const char* kName = "karpenter.k8s.aws/4815066483902548701";

std::string launch_one(Account& account, const std::string& type = "m5.large", const std::string& kind = "on-demand") {
  Answer answer = account.call.ec2("CreateFleet", account.fleet(kName, {{type}}, kind));
  EXPECT_EQ(answer.status, 200) << answer.body;
  std::string id = answer.first("//instanceIds/item");
  EXPECT_FALSE(id.empty()) << answer.body;
  return id;
}

Account with_template(FakeAwsOptions options = {}) {
  Account account(std::move(options));
  account.create_template(kName, account.image());
  return account;
}

TEST(LaunchTemplates, CreateDescribeDelete) {
  Account account = with_template();
  Answer found = account.call.ec2("DescribeLaunchTemplates", {{"LaunchTemplateName.1", kName}});
  EXPECT_EQ(found.first("//launchTemplates/item/launchTemplateName"), kName);
  EXPECT_EQ(found.first("//createTime"), "2026-09-01T12:00:00.000Z");
  EXPECT_EQ(found.first("//tagSet/item/value"), "demo");
  std::string id = found.first("//launchTemplateId");
  EXPECT_THAT(account.call.ec2("DescribeLaunchTemplates", filter(1, "tag:eks:eks-cluster-name", {"demo"}))
                  .all("//launchTemplateId"),
              ElementsAre(id));
  EXPECT_TRUE(
      account.call.ec2("DescribeLaunchTemplates", filter(1, "tag:eks:eks-cluster-name", {"x"})).all("//item").empty());
  EXPECT_EQ(account.call.ec2("DeleteLaunchTemplate", {{"LaunchTemplateId", id}}).first("//launchTemplateId"), id);
  EXPECT_EQ(account.call.ec2("DeleteLaunchTemplate", {{"LaunchTemplateId", id}}).error_code(),
            "InvalidLaunchTemplateId.NotFound");
  Answer gone = account.call.ec2("DescribeLaunchTemplates", {{"LaunchTemplateName.1", kName}});
  EXPECT_EQ(gone.status, 400);
  EXPECT_EQ(gone.error_code(), "InvalidLaunchTemplateName.NotFoundException");
}

TEST(LaunchTemplates, Refusals) {
  struct Row {
    Form form;
    const char* code;
  };
  const Form named{{"LaunchTemplateName", "fresh"}};
  const Row rows[] = {{{{"LaunchTemplateName", kName}, {"LaunchTemplateData.ImageId", "ami-1"}},
                       "InvalidLaunchTemplateName.AlreadyExistsException"},
                      {{{"LaunchTemplateName", "a b"}, {"LaunchTemplateData.ImageId", "ami-1"}},
                       "InvalidLaunchTemplateName.MalformedException"},
                      {named, "MissingParameter"},
                      {named + Form{{"LaunchTemplateData.UserData", "%%%"}}, "InvalidUserData.Malformed"},
                      {named + Form{{"LaunchTemplateData.UserData", base64_encode(std::string(16385, 'x'))}},
                       "InvalidUserData.Malformed"},
                      {named + Form{{"LaunchTemplateData.ImageId", "ami-1"},
                                    {"TagSpecification.1.ResourceType", "launch-template"},
                                    {"TagSpecification.1.Tag.1.Key", "aws:mine"}},
                       "InvalidParameterValue"},
                      {named + Form{{"LaunchTemplateData.ImageId", "ami-1"}, {"DryRun", "true"}}, "DryRunOperation"}};
  Account account = with_template();
  for (const Row& row : rows)
    EXPECT_EQ(account.call.ec2("CreateLaunchTemplate", row.form).error_code(), row.code) << row.code;
  EXPECT_EQ(account.call.ec2("DescribeLaunchTemplates").all("//launchTemplates/item").size(), 1u);
}

TEST(LaunchTemplates, SameTokenSameTemplate) {
  Account account;
  Form form{{"ClientToken", "abc"}, {"LaunchTemplateName", "one"}, {"LaunchTemplateData.ImageId", "ami-1"}};
  std::string id = account.call.ec2("CreateLaunchTemplate", form).first("//launchTemplateId");
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(account.call.ec2("CreateLaunchTemplate", form).first("//launchTemplateId"), id);
  form[1].second = "two";
  EXPECT_EQ(account.call.ec2("CreateLaunchTemplate", form).error_code(), "IdempotentParameterMismatch");
}

TEST(Fleet, BuysTheCheapestOverride) {
  Account account = with_template();
  Form form = account.fleet(kName, {{"r5.large"}, {"m5.xlarge"}, {"m5.large"}});
  Answer answer = account.call.ec2("CreateFleet", form);
  EXPECT_EQ(answer.first("//fleetInstanceSet/item/instanceType"), "m5.large");
  EXPECT_EQ(answer.first("//fleetInstanceSet/item/lifecycle"), "on-demand");
  EXPECT_EQ(answer.first("//overrides/subnetId"), account.subnet_in("us-east-1a"));
  EXPECT_EQ(answer.first("//launchTemplateSpecification/launchTemplateName"), kName);
  EXPECT_TRUE(answer.all("//errorSet/item").empty());
  // As spot, zone d has the lowest price.
  form = account.fleet(kName, {{"m5.large", "us-east-1a"}, {"m5.large", "us-east-1d"}, {"m5.large", "us-east-1b"}},
                       "spot");
  answer = account.call.ec2("CreateFleet", form);
  EXPECT_EQ(answer.first("//overrides/availabilityZone"), "us-east-1d");
  EXPECT_EQ(answer.first("//fleetInstanceSet/item/lifecycle"), "spot");
}

TEST(Fleet, PrioritizedGoesByPriority) {
  Account account = with_template();
  Form form = account.fleet(kName, {{"m5.large", "us-east-1a", "2"}, {"r5.large", "us-east-1a", "0.5"}});
  for (auto& [name, value] : form)
    if (name == "OnDemandOptions.AllocationStrategy") value = "prioritized";
  EXPECT_EQ(account.call.ec2("CreateFleet", form).first("//fleetInstanceSet/item/instanceType"), "r5.large");
}

TEST(Fleet, PlantedPricesChangeTheChoice) {
  Account account = with_template();
  account.aws->scale_price("m5.large", 10);
  Form form = account.fleet(kName, {{"m5.large"}, {"r5.large"}});
  EXPECT_EQ(account.call.ec2("CreateFleet", form).first("//fleetInstanceSet/item/instanceType"), "r5.large");
}

TEST(Fleet, InstanceCarriesWhatWasAskedFor) {
  Account account = with_template();
  std::string id = launch_one(account);
  FakeInstance instance = account.instance(id);
  EXPECT_EQ(instance.type, "m5.large");
  EXPECT_EQ(instance.arch, "amd64");
  EXPECT_EQ(instance.zone, "us-east-1a");
  EXPECT_EQ(instance.zone_id, "use1-az1");
  EXPECT_EQ(instance.capacity_type, "on-demand");
  EXPECT_EQ(instance.user_data, "MIME-Version: 1.0\n");
  EXPECT_EQ(instance.root_volume_gib, 30);
  EXPECT_EQ(instance.private_dns_name, "ip-10-0-0-4.ec2.internal");
  EXPECT_EQ(instance.tags.at("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(instance.tags.at("empty"), "");
  EXPECT_TRUE(instance.tags.contains("aws:ec2:fleet-id"));
  EXPECT_EQ(launch_one(account, "m5.large", "spot").substr(0, 2), "i-");
  Answer spot = account.call.ec2("DescribeInstances", filter(1, "instance-lifecycle", {"spot"}));
  EXPECT_EQ(spot.all("//instancesSet/item/instanceId").size(), 1u);
  EXPECT_THAT(spot.first("//spotInstanceRequestId"), HasSubstr("sir-"));
}

TEST(Fleet, SameTokenBuysOnce) {
  Account account = with_template();
  Form form = account.fleet(kName, {{"m5.large"}}) + Form{{"ClientToken", "claim-1"}};
  Answer first = account.call.ec2("CreateFleet", form);
  account.runtime->run_for(1h);
  Answer second = account.call.ec2("CreateFleet", form);
  EXPECT_EQ(first.first("//instanceIds/item"), second.first("//instanceIds/item"));
  EXPECT_EQ(first.first("//fleetId"), second.first("//fleetId"));
  EXPECT_EQ(account.aws->instances().size(), 1u);
  Form other = account.fleet(kName, {{"c5.large"}}) + Form{{"ClientToken", "claim-1"}};
  EXPECT_EQ(account.call.ec2("CreateFleet", other).error_code(), "IdempotentParameterMismatch");
  account.runtime->run_for(49h);
  EXPECT_NE(account.call.ec2("CreateFleet", form).first("//instanceIds/item"), first.first("//instanceIds/item"));
}

TEST(Fleet, ShortOfCapacityItTakesTheNextAndSaysWhy) {
  FakeAwsOptions options;
  options.fault = [](const std::string& action) -> std::string {
    return action == "CreateFleet/m5.large/us-east-1a/on-demand" ? "InsufficientInstanceCapacity" : "";
  };
  Account account = with_template(options);
  Answer answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}, {"r5.large"}}));
  EXPECT_EQ(answer.first("//fleetInstanceSet/item/instanceType"), "r5.large");
  EXPECT_EQ(answer.first("//errorSet/item/errorCode"), "InsufficientInstanceCapacity");
  EXPECT_EQ(answer.first("//errorSet/item//instanceType"), "m5.large");
  answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.all("//instanceIds/item").empty());
  EXPECT_EQ(answer.all("//errorSet/item").size(), 1u);
}

// The size of a request of Karpenter: dozens of types in every zone, spread over several templates.
TEST(Fleet, HundredsOfOverridesOverSeveralTemplates) {
  Account account;
  std::map<std::string, std::string> subnets;
  for (const char* zone : {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"})
    subnets[zone] = account.subnet_in(zone);
  const std::vector<std::string> types{"m5.xlarge",   "m6i.xlarge",  "r5.xlarge",   "c5.2xlarge",
                                       "m5.2xlarge",  "c6i.2xlarge", "m7i.2xlarge", "r6i.2xlarge",
                                       "m5a.2xlarge", "c5a.2xlarge", "c6a.2xlarge", "m6a.2xlarge"};
  Form form{{"Type", "instant"},
            {"TargetCapacitySpecification.TotalTargetCapacity", "1"},
            {"TargetCapacitySpecification.DefaultTargetCapacityType", "spot"},
            {"SpotOptions.AllocationStrategy", "price-capacity-optimized"}};
  for (size_t config = 0; config < 4; ++config) {
    std::string name = "karpenter.k8s.aws/" + std::to_string(config);
    account.create_template(name, account.image());
    std::string prefix = "LaunchTemplateConfigs." + std::to_string(config + 1) + ".";
    form.emplace_back(prefix + "LaunchTemplateSpecification.LaunchTemplateName", name);
    int n = 0;
    for (size_t i = config; i < types.size(); i += 4) {
      for (const auto& [zone, subnet] : subnets) {
        std::string entry = prefix + "Overrides." + std::to_string(++n) + ".";
        form.emplace_back(entry + "InstanceType", types[i]);
        form.emplace_back(entry + "AvailabilityZone", zone);
        form.emplace_back(entry + "SubnetId", subnet);
      }
    }
  }
  Answer answer = account.call.ec2("CreateFleet", form);
  // c5a.2xlarge lists at 0.308 and c6a.2xlarge at 0.306, but m5.xlarge and m6i.xlarge at 0.192; zone d is cheapest.
  EXPECT_EQ(answer.first("//fleetInstanceSet/item/instanceType"), "m5.xlarge") << answer.body;
  EXPECT_EQ(answer.first("//overrides/availabilityZone"), "us-east-1d");
  EXPECT_EQ(answer.first("//launchTemplateSpecification/launchTemplateName"), "karpenter.k8s.aws/0");
}

TEST(Fleet, SameStepsSameAnswers) {
  auto steps = [] {
    Account account = with_template();
    std::string id = launch_one(account, "m5.large", "spot");
    account.runtime->run_for(5s);
    return account.call.ec2("DescribeInstances", {{"InstanceId.1", id}}).body;
  };
  EXPECT_EQ(steps(), steps());
}

TEST(Fleet, ManyAtOnceAndDryRun) {
  Account account = with_template();
  Answer answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}, "on-demand", 3));
  EXPECT_EQ(answer.all("//instanceIds/item").size(), 3u);
  answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}) + Form{{"DryRun", "true"}});
  EXPECT_EQ(answer.status, 412);
  EXPECT_EQ(answer.error_code(), "DryRunOperation");
  EXPECT_EQ(account.aws->instances().size(), 3u);
  const Form with_token = account.fleet(kName, {{"m5.large"}}) + Form{{"ClientToken", "once"}};
  EXPECT_EQ(account.call.ec2("CreateFleet", with_token).status, 200);
  EXPECT_EQ(account.call.ec2("CreateFleet", with_token + Form{{"DryRun", "true"}}).error_code(), "DryRunOperation");
}

struct OverrideRow {
  const char* parameter;  // of the first override
  const char* value;
  const char* code;  // in the fleet's error set
};
TEST(Fleet, WrongOverridesAreErrorsOfTheFleet) {
  Account account = with_template();
  const std::string arm = account.image("arm64");
  const OverrideRow rows[] = {{"InstanceType", "m5.huge", "InvalidParameterValue"},
                              {"ImageId", "ami-0000", "InvalidAMIID.NotFound"},
                              {"ImageId", "image", "InvalidAMIID.Malformed"},
                              {"ImageId", arm.c_str(), "InvalidParameterValue"},
                              {"SubnetId", "subnet-1", "InvalidSubnetID.NotFound"},
                              {"AvailabilityZone", "us-east-1b", "InvalidParameterValue"},
                              {"InstanceType", "p5e.48xlarge", "InsufficientInstanceCapacity"}};
  for (const OverrideRow& row : rows) {
    std::string name = std::string("LaunchTemplateConfigs.1.Overrides.1.") + row.parameter;
    Form form = account.fleet(kName, {{"m5.large"}});
    std::erase_if(form, [&](const auto& entry) { return entry.first == name; });
    form.emplace_back(name, row.value);
    Answer answer = account.call.ec2("CreateFleet", form);
    EXPECT_EQ(answer.first("//errorSet/item/errorCode"), row.code) << row.parameter << "=" << row.value << answer.body;
  }
  EXPECT_TRUE(account.aws->instances().empty());
}

TEST(Fleet, WrongRequestsAreRefused) {
  struct Row {
    const char* parameter;
    const char* value;
    const char* code;
  };
  const Row rows[] = {
      {"Type", "maintain", "InvalidParameterValue"},
      {"TargetCapacitySpecification.TotalTargetCapacity", "0", "InvalidParameterValue"},
      {"TargetCapacitySpecification.DefaultTargetCapacityType", "free", "InvalidParameterValue"},
      {"OnDemandOptions.AllocationStrategy", "best", "InvalidParameterValue"},
      {"LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName", "gone",
       "InvalidLaunchTemplateName.NotFoundException"},
      {"LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version", "7", "InvalidLaunchTemplateId.VersionNotFound"},
      {"TagSpecification.1.Tag.1.Key", "aws:x", "InvalidParameterValue"}};
  Account account = with_template();
  for (const Row& row : rows) {
    Form form = account.fleet(kName, {{"m5.large"}});
    for (auto& [name, value] : form)
      if (name == row.parameter) value = row.value;
    EXPECT_EQ(account.call.ec2("CreateFleet", form).error_code(), row.code) << row.parameter;
  }
}

TEST(Fleet, ProfileAndGroupsMustExist) {
  Account account;
  Form profile{{"LaunchTemplateData.IamInstanceProfile.Name", "demo_1"}};
  account.create_template(kName, account.image(), profile);
  Answer answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}));
  EXPECT_THAT(answer.first("//errorMessage"), HasSubstr("iamInstanceProfile.name is invalid"));
  account.call.iam("CreateInstanceProfile", {{"InstanceProfileName", "demo_1"}});
  std::string id = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}})).first("//instanceIds/item");
  EXPECT_EQ(account.call.ec2("DescribeInstances", {{"InstanceId.1", id}}).first("//iamInstanceProfile/arn"),
            "arn:aws:iam::123456789012:instance-profile/demo_1");
  account.create_template("groups", account.image(),
                          {{"LaunchTemplateData.NetworkInterface.1.SecurityGroupId.2", "sg-1"}});
  answer = account.call.ec2("CreateFleet", account.fleet("groups", {{"m5.large"}}));
  EXPECT_EQ(answer.first("//errorSet/item/errorCode"), "InvalidGroup.NotFound");
}

TEST(InstanceLife, FollowsTheClock) {
  FakeAwsOptions options;
  options.pending_for = 2s;
  options.shutting_down_for = 3s;
  Account account = with_template(options);
  std::string id = launch_one(account);
  auto state = [&] { return account.instance(id).state; };
  EXPECT_EQ(state(), "pending");
  account.runtime->run_for(1999ms);
  EXPECT_EQ(state(), "pending");
  account.runtime->run_for(1ms);
  EXPECT_EQ(state(), "running");
  uint64_t before = account.aws->changed().version();
  Answer ended = account.call.ec2("TerminateInstances", {{"InstanceId.1", id}});
  EXPECT_GT(account.aws->changed().version(), before);
  EXPECT_EQ(ended.first("//currentState/name"), "shutting-down");
  EXPECT_EQ(ended.first("//currentState/code"), "32");
  EXPECT_EQ(ended.first("//previousState/name"), "running");
  EXPECT_EQ(account.instance(id).terminated_at, account.runtime->now() + 3s);
  account.runtime->run_for(3s);
  EXPECT_EQ(state(), "terminated");
  EXPECT_EQ(account.call.ec2("TerminateInstances", {{"InstanceId.1", id}}).first("//currentState/name"), "terminated");
  account.runtime->run_for(59min);
  EXPECT_EQ(account.aws->instances().size(), 1u);
  account.runtime->run_for(2min);
  EXPECT_TRUE(account.aws->instances().empty());
  EXPECT_EQ(account.call.ec2("DescribeInstances", {{"InstanceId.1", id}}).error_code(), "InvalidInstanceID.NotFound");
}

TEST(InstanceLife, TakesAndReturnsAnAddress) {
  Account account = with_template();
  auto free_addresses = [&] {
    return account.call.ec2("DescribeSubnets", filter(1, "availability-zone", {"us-east-1a"}))
        .first("//availableIpAddressCount");
  };
  EXPECT_EQ(free_addresses(), "8187");
  std::string id = launch_one(account);
  EXPECT_EQ(free_addresses(), "8186");
  account.call.ec2("TerminateInstances", {{"InstanceId.1", id}});
  EXPECT_EQ(free_addresses(), "8186");
  account.runtime->run_for(1s);
  EXPECT_EQ(free_addresses(), "8187");
  EXPECT_EQ(account.instance(launch_one(account)).private_ip, "10.0.0.5");  // not the one that has just been freed
}

TEST(InstanceLife, SubnetsRunOutOfAddresses) {
  Account account = with_template();
  Answer answer = account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}, "on-demand", 8188));
  EXPECT_EQ(answer.all("//instanceIds/item").size(), 8187u);
  EXPECT_EQ(answer.first("//errorSet/item/errorCode"), "InsufficientFreeAddressesInSubnet");
}

TEST(Instances, KarpentersListQuery) {
  Account account = with_template();
  std::string id = launch_one(account);
  std::string ended = launch_one(account);
  account.call.ec2("TerminateInstances", {{"InstanceId.1", ended}});
  account.runtime->run_for(10s);
  Form form = filter(1, "tag-key", {"karpenter.sh/nodepool"}) +
              filter(2, "instance-state-name", {"pending", "running", "stopping", "stopped", "shutting-down"}) +
              Form{{"MaxResults", "1000"}};
  Answer answer = account.call.ec2("DescribeInstances", form);
  EXPECT_THAT(answer.all("//instancesSet/item/instanceId"), ElementsAre(id));
  EXPECT_EQ(answer.first("//instanceState/name"), "running");
  EXPECT_EQ(answer.first("//placement/availabilityZone"), "us-east-1a");
  EXPECT_EQ(answer.first("//reservationSet/item/instancesSet/item/groupSet/item/groupId"), account.security_group());
  EXPECT_EQ(answer.first("//launchTime"), "2026-09-01T12:00:00.000Z");
  EXPECT_TRUE(account.call.ec2("DescribeInstances", filter(1, "tag:karpenter.sh/nodepool", {"other"}))
                  .all("//instanceId")
                  .empty());
}

TEST(Instances, PagesLoseNothing) {
  Account account = with_template();
  account.call.ec2("CreateFleet", account.fleet(kName, {{"m5.large"}}, "on-demand", 7));
  std::vector<std::string> seen;
  std::string token;
  do {
    Form form{{"MaxResults", "3"}};
    if (!token.empty()) form.emplace_back("NextToken", token);
    Answer answer = account.call.ec2("DescribeInstances", form);
    for (std::string& id : answer.all("//instancesSet/item/instanceId")) seen.push_back(std::move(id));
    token = answer.first("//nextToken");
    if (seen.size() == 3) launch_one(account);  // the list grows between two pages
  } while (!token.empty());
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Instances, Refusals) {
  Account account = with_template();
  std::string id = launch_one(account);
  struct Row {
    const char* action;
    Form form;
    const char* code;
  };
  const Row rows[] = {
      {"DescribeInstances", {{"InstanceId.1", "i-0123456789abcdef0"}}, "InvalidInstanceID.NotFound"},
      {"DescribeInstances", {{"InstanceId.1", "box"}}, "InvalidInstanceID.Malformed"},
      {"DescribeInstances", {{"InstanceId.1", id}, {"MaxResults", "5"}}, "InvalidParameterCombination"},
      {"TerminateInstances",
       {{"InstanceId.1", id}, {"InstanceId.2", "i-0123456789abcdef0"}},
       "InvalidInstanceID.NotFound"},
      {"TerminateInstances", {}, "MissingParameter"},
      {"TerminateInstances", {{"InstanceId.1", id}, {"DryRun", "true"}}, "DryRunOperation"},
      {"CreateTags", {{"ResourceId.1", "i-0123456789abcdef0"}, {"Tag.1.Key", "a"}}, "InvalidInstanceID.NotFound"},
      {"CreateTags", {{"ResourceId.1", "box-1"}, {"Tag.1.Key", "a"}}, "InvalidID"},
      {"CreateTags", {{"ResourceId.1", id}, {"Tag.1.Key", "aws:a"}}, "InvalidParameterValue"},
      {"CreateTags", {{"ResourceId.1", id}}, "MissingParameter"}};
  for (const Row& row : rows)
    EXPECT_EQ(account.call.ec2(row.action, row.form).error_code(), row.code) << row.action << row.code;
  EXPECT_EQ(account.instance(id).state, "pending");
  Answer two = account.call.ec2("DescribeInstances",
                                {{"InstanceId.1", "i-0123456789abcdef0"}, {"InstanceId.2", "i-0123456789abcdef1"}});
  EXPECT_EQ(two.first("//Message"), "The instance IDs 'i-0123456789abcdef0, i-0123456789abcdef1' do not exist");
}

TEST(Instances, TagsComeAndGo) {
  Account account = with_template();
  std::string id = launch_one(account);
  EXPECT_EQ(account.call.ec2("CreateTags", {{"ResourceId.1", id}, {"Tag.1.Key", "Name"}, {"Tag.1.Value", "n1"}}).status,
            200);
  EXPECT_EQ(account.instance(id).tags.at("Name"), "n1");
  account.call.ec2("DeleteTags", {{"ResourceId.1", id}, {"Tag.1.Key", "Name"}, {"Tag.1.Value", "other"}});
  EXPECT_TRUE(account.instance(id).tags.contains("Name"));
  account.call.ec2("DeleteTags", {{"ResourceId.1", id}, {"Tag.1.Key", "Name"}});
  EXPECT_FALSE(account.instance(id).tags.contains("Name"));
}

TEST(Instances, StatusOfTheHealthy) {
  Account account = with_template();
  std::string id = launch_one(account);
  EXPECT_TRUE(account.call.ec2("DescribeInstanceStatus").all("//instanceStatusSet/item").empty());
  account.runtime->run_for(1s);
  EXPECT_THAT(account.call.ec2("DescribeInstanceStatus").all("//instanceId"), ElementsAre(id));
  EXPECT_TRUE(account.call.ec2("DescribeInstanceStatus", filter(1, "instance-status.status", {"impaired"}))
                  .all("//instanceId")
                  .empty());
}

TEST(RunInstances, DryRunValidatesAsKarpenterAsks) {
  Account account = with_template();
  Form form{{"DryRun", "true"},
            {"InstanceType", "c5.large"},
            {"LaunchTemplate.LaunchTemplateName", kName},
            {"LaunchTemplate.Version", "$Latest"},
            {"MinCount", "1"},
            {"MaxCount", "1"},
            {"NetworkInterface.1.DeviceIndex", "0"},
            {"NetworkInterface.1.SubnetId", account.subnet_in("us-east-1b")}};
  EXPECT_EQ(account.call.ec2("RunInstances", form).status, 412);
  form[2].second = "gone";
  EXPECT_EQ(account.call.ec2("RunInstances", form).error_code(), "InvalidLaunchTemplateName.NotFoundException");
  form[2].second = kName;
  form[7].second = "subnet-1";
  EXPECT_EQ(account.call.ec2("RunInstances", form).error_code(), "InvalidSubnetID.NotFound");
  EXPECT_TRUE(account.aws->instances().empty());
}

TEST(RunInstances, Launches) {
  Account account = with_template();
  Form form{{"InstanceType", "c5.large"},
            {"LaunchTemplate.LaunchTemplateName", kName},
            {"MinCount", "1"},
            {"MaxCount", "2"},
            {"SubnetId", account.subnet_in("us-east-1b")},
            {"ClientToken", "t"}};
  Answer answer = account.call.ec2("RunInstances", form);
  EXPECT_EQ(answer.all("//instancesSet/item/instanceId").size(), 2u);
  EXPECT_EQ(answer.first("//instanceState/name"), "pending");
  EXPECT_EQ(account.call.ec2("RunInstances", form).first("//instanceId"), answer.first("//instanceId"));
  EXPECT_EQ(account.aws->instances().size(), 2u);
}

}  // namespace
}  // namespace tenon::awssim

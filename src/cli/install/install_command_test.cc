// `tenon install`: what is printed is the file in deploy/ with the values of --set; wrong input is named.
// SPDX-License-Identifier: Apache-2.0
#include "cli/install/install_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kDeploy = TENON_SOURCE_DIR "/deploy/";

struct Printed {
  int code;
  std::string out, err;
};

Printed install(const std::string& what, std::vector<std::string> settings, const std::string& only = "") {
  std::ostringstream out, err;
  const int code = run_install({what, std::move(settings), only}, out, err);
  return {code, out.str(), err.str()};
}

std::string file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

const std::vector<std::string> kAll = {"clusterName=prod,region=eu-west-1,accountId=111122223333",
                                       "oidcProvider=oidc.eks.eu-west-1.amazonaws.com/id/AB12",
                                       "namespace=infra",
                                       "serviceAccount=tenon",
                                       "queueName=warnings",
                                       "nodeRole=Nodes",
                                       "launchTemplateId=lt-0a"};

TEST(InstallIam, EachDocumentIsItsFileWithTheValues) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kDeploy + "iam")) {
    const std::string name = entry.path().stem();
    names.insert(name);
    std::string expected = file(entry.path());
    for (const auto& [what, with] : {std::pair("${CLUSTER_NAME}", "prod"),
                                     {"${AWS_REGION}", "eu-west-1"},
                                     {"${AWS_ACCOUNT}", "111122223333"},
                                     {"${AWS_PARTITION}", "aws"},
                                     {"${AWS_URL_SUFFIX}", "amazonaws.com"},
                                     {"${NODE_ROLE}", "Nodes"},
                                     {"${OIDC_PROVIDER}", "oidc.eks.eu-west-1.amazonaws.com/id/AB12"},
                                     {"${NAMESPACE}", "infra"},
                                     {"${SERVICE_ACCOUNT}", "tenon"},
                                     {"${INTERRUPTION_QUEUE}", "warnings"},
                                     {"${LAUNCH_TEMPLATE_ID}", "lt-0a"}}) {
      expected = replaced(std::move(expected), what, with);
    }
    const Printed printed = install("iam", kAll, name);
    EXPECT_EQ(printed.code, kExitDone) << printed.err;
    EXPECT_EQ(printed.out, expected) << name;
    EXPECT_TRUE(json::parse(printed.out)) << name;
    EXPECT_THAT(printed.out, Not(HasSubstr("${")));
  }
  EXPECT_GE(names.size(), 10u);
  const auto all = json::parse(install("iam", kAll).out);
  ASSERT_TRUE(all);
  for (const std::string& name : names) EXPECT_TRUE(all->as_object().contains(name)) << name;
  EXPECT_EQ(all->as_object().size(), names.size());
}

TEST(InstallCloudformation, IsTheTemplateInDeploy) {
  const Printed printed = install("cloudformation", {});
  EXPECT_EQ(printed.code, kExitDone) << printed.err;
  const auto left = std::filesystem::temp_directory_path() / "tenon-cloudformation.yaml";
  std::filesystem::remove(left);
  if (printed.out == file(kDeploy + "cloudformation.yaml")) return;
  std::ofstream(left) << printed.out;
  FAIL() << "deploy/cloudformation.yaml differs. If that is meant: cp " << left.native()
         << " deploy/cloudformation.yaml";
}

// Every policy of the template is its file in deploy/iam once the references are resolved.
TEST(InstallCloudformation, HasThePoliciesOfTheFiles) {
  const auto documents = json::parse_yaml(install("cloudformation", {"clusterName=prod"}).out);
  ASSERT_TRUE(documents) << documents.error().message;
  const json::value& stack = documents->front();
  EXPECT_EQ(json::string_at(stack, {"Parameters", "ClusterName", "Default"}), "prod");
  const auto policy = [&](std::string_view resource, std::string_view property) {
    std::string text(json::string_at(stack, {"Resources", resource, "Properties", property, "Fn::Sub"}));
    for (const auto& [what, with] : {std::pair("${ClusterName}", "prod"),
                                     {"${AWS::Region}", "eu-west-1"},
                                     {"${AWS::AccountId}", "111122223333"},
                                     {"${AWS::Partition}", "aws"},
                                     {"${AWS::URLSuffix}", "amazonaws.com"},
                                     {"${Queue.QueueName}", "warnings"}}) {
      text = replaced(std::move(text), what, with);
    }
    const auto parsed = json::parse(text);
    EXPECT_TRUE(parsed) << resource << ": " << text;
    return parsed ? json::to_string(*parsed) : "";
  };
  const auto expected = [](const std::string& name) {
    return json::to_string(*json::parse(install("iam", kAll, name).out));
  };
  EXPECT_EQ(policy("NodesRole", "AssumeRolePolicyDocument"), expected("node-trust-policy"));
  EXPECT_EQ(policy("QueuePolicy", "PolicyDocument"), expected("queue-policy"));
  EXPECT_EQ(policy("ClusterAutoscalerPolicy", "PolicyDocument"), expected("cluster-autoscaler-policy"));
  EXPECT_EQ(policy("FargateRole", "AssumeRolePolicyDocument"), expected("fargate-trust-policy"));
}

TEST(InstallIam, APartitionFollowsFromTheRegion) {
  const auto trust = [](const std::string& region, const std::string& only) {
    return install("iam", {"clusterName=a,accountId=111122223333,region=" + region}, only).out;
  };
  EXPECT_THAT(trust("cn-north-1", "node-trust-policy"), HasSubstr("\"ec2.amazonaws.com.cn\""));
  EXPECT_THAT(trust("us-gov-west-1", "node-trust-policy"), HasSubstr("\"ec2.amazonaws.com\""));
  EXPECT_THAT(trust("us-gov-west-1", "queue-policy"), HasSubstr("arn:aws-us-gov:sqs:us-gov-west-1:111122223333:a\""));
  EXPECT_THAT(install("iam", {"clusterName=a,accountId=111122223333,region=us-east-1,partition=aws-cn"}).err,
              HasSubstr("partition: aws-cn does not have the region us-east-1"));
}

TEST(InstallIam, DocumentsWhoseValueIsNotSetAreLeftOutOrRefused) {
  const std::vector<std::string> few = {"clusterName=a,accountId=111122223333,region=us-east-1"};
  const auto all = json::parse(install("iam", few).out);
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->as_object().contains("controller-trust-policy-irsa"));
  EXPECT_TRUE(all->as_object().contains("controller-trust-policy-pod-identity"));
  const Printed one = install("iam", few, "controller-trust-policy-irsa");
  EXPECT_EQ(one.code, kExitUsage);
  EXPECT_THAT(one.err, HasSubstr("depends on --set oidcProvider"));
  EXPECT_EQ(one.out, "");
}

// IAM counts characters without whitespace: 6,144 in a managed policy, 10,240 in the inline policies of a role, 2,048
// in a trust policy.
TEST(InstallIam, PoliciesFitTheLimitsOfIam) {
  const auto size = [](const std::string& cluster, const std::string& only) {
    const std::string settings = "accountId=111122223333,region=us-gov-west-1,nodeRole=N,clusterName=" + cluster;
    const auto policy = json::parse(install("iam", {settings, kAll[1]}, only).out);
    EXPECT_TRUE(policy) << only;
    return policy ? json::to_string(*policy).size() : SIZE_MAX;
  };
  EXPECT_LE(size(std::string(40, 'c'), "controller-policy"), 6144u);
  EXPECT_LE(size(std::string(80, 'c'), "controller-policy"), 10240u);
  EXPECT_LE(size(std::string(80, 'c'), "controller-trust-policy-irsa"), 2048u);
  EXPECT_LE(size(std::string(80, 'c'), "controller-trust-policy-pod-identity"), 2048u);
}

// The names that the stack makes of the longest cluster names that are accepted.
TEST(Install, AStackMayHaveALongClusterName) {
  EXPECT_EQ(install("cloudformation", {"clusterName=" + std::string(40, 'c')}).code, 0);
  EXPECT_EQ(install("cloudformation", {"controllerRole=r,clusterName=" + std::string(46, 'c')}).code, 0);
  EXPECT_EQ(install("cloudformation", {"roles=false,clusterName=" + std::string(80, 'c')}).code, 0);
  const std::string named = "controllerRole=r,nodeRole=n,queueName=q,clusterName=" + std::string(100, 'c');
  EXPECT_EQ(install("cloudformation", {named}).code, 0);
}

struct RefusalRow {
  const char* what;
  std::vector<std::string> settings;
  const char* only;
  const char* error;
};

TEST(Install, NamesWhatIsWrong) {
  const std::string base = "accountId=111122223333,region=us-east-1";
  const RefusalRow rows[] = {
      {"charts", {}, "", "\"charts\" cannot be printed; known: iam, cloudformation, manifests"},
      {"iam", {"clusterName"}, "", "--set clusterName: \"clusterName\" is not KEY=VALUE"},
      {"iam", {"=a"}, "", "\"=a\" is not KEY=VALUE"},
      {"iam", {"clustername=a"}, "", "unknown key clustername; known keys:\n  clusterName: name of the EKS cluster"},
      {"iam", {base}, "", "--set clusterName: a value is required"},
      {"iam", {base, "clusterName=a\"b"}, "", "--set clusterName: \"a\"b\" is invalid; expected: 1 to 100 letters"},
      {"iam", {base, "clusterName=a,accountId=12"}, "", "--set accountId: \"12\" is invalid; expected: 12 digits"},
      {"iam", {base, "clusterName=" + std::string(50, 'c')}, "", "--set nodeRole: \"KarpenterNodeRole-ccc"},
      {"iam", {base, "clusterName=a,oidcProvider=https://x.y"}, "", "--set oidcProvider"},
      {"cloudformation", {"region=us-east-1"}, "", "unknown key region; known keys:\n  clusterName"},
      {"cloudformation", {"roles=yes"}, "", "--set roles: \"yes\" is invalid; expected: true or false"},
      {"cloudformation",
       {"fargateSubnets=subnet-1,subnet-2"},
       "",
       R"("subnet-2" is not KEY=VALUE; a comma in a value is '\,', in quotes)"},
      {"cloudformation", {"fargateSubnets=subnet-0123abcd\\,"}, "", "--set fargateSubnets"},
      {"cloudformation", {"fargateSubnets=subnet-0123abcd"}, "", "cannot use Pod Identity; set oidcProvider"},
      {"cloudformation", {"clusterName=" + std::string(41, 'c')}, "", "--set controllerRole: the default \"Karpenter"},
      {"cloudformation", {"controllerRole=r,clusterName=" + std::string(47, 'c')}, "", "--set nodeRole: the default"},
      {"cloudformation", {"roles=false,clusterName=" + std::string(81, 'c')}, "", "--set queueName: the default"},
      {"cloudformation", {}, "queue", "--only: the template is one document"},
      {"iam", {base, "clusterName=a"}, "policy", "unknown document policy; known: cluster-autoscaler-policy, "},
  };
  for (const RefusalRow& row : rows) {
    const Printed printed = install(row.what, row.settings, row.only);
    EXPECT_EQ(printed.code, kExitUsage) << row.error;
    EXPECT_EQ(printed.out, "") << row.error;
    EXPECT_THAT(printed.err, HasSubstr(row.error));
  }
}

}  // namespace
}  // namespace tenon::cli

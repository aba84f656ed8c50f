// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/user_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/aws_provider/toml_lines.h"

namespace tenon::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Bootstrap some_bootstrap(AmiFamily family) {
  Bootstrap b;
  b.family = family;
  b.cluster_name = "demo";
  b.cluster_endpoint = "https://127.0.0.1:26443";
  b.ca_base64 = "Y2E=";
  b.service_cidr = "172.20.0.0/16";
  b.max_pods = 29;
  b.labels = {{"karpenter.sh/nodepool", "aws"}, {"karpenter.sh/capacity-type", "spot"}};
  b.taints = {{"karpenter.sh/unregistered", "", "NoExecute", {}}};
  return b;
}

constexpr const char* kPlainNodeConfig = R"(MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    apiServerEndpoint: https://127.0.0.1:26443
    certificateAuthority: Y2E=
    cidr: 172.20.0.0/16
    name: demo
  containerd: {}
  instance:
    localStorage: {}
  kubelet:
    config:
      maxPods: 29
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=aws"

--//--)";

TEST(Al2023, IsANodeConfigInMime) {
  const auto text = render_user_data(some_bootstrap(AmiFamily::kAl2023));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, kPlainNodeConfig);
}

TEST(Al2023, CarriesKubeletSettingsAndRaid) {
  Bootstrap b = some_bootstrap(AmiFamily::kAl2023);
  b.raid0 = true;
  b.dns_ip = "10.100.0.10";
  b.kubelet.kube_reserved = {{"cpu", "1"}, {"memory", "1Gi"}};
  b.kubelet.eviction_hard = {{"memory.available", "5%"}};
  b.kubelet.cpu_cfs_quota = false;
  b.taints[0].value = "v";
  const std::string text = *render_user_data(b);
  EXPECT_THAT(text, HasSubstr("    localStorage:\n      strategy: RAID0\n"));
  EXPECT_THAT(text,
              HasSubstr("      clusterDNS:\n      - 10.100.0.10\n      cpuCFSQuota: false\n      evictionHard:\n"
                        "        memory.available: 5%\n      kubeReserved:\n        cpu: \"1\"\n        memory: 1Gi\n"
                        "      maxPods: 29\n"));
  EXPECT_THAT(text, HasSubstr("        key: karpenter.sh/unregistered\n        value: v\n"));
}

TEST(Al2023, UserPartsComeFirst) {
  struct Case {
    std::string user_data, part;
  };
  const Case cases[] = {
      {"#!/bin/bash\r\necho hi\n",
       "--//\nContent-Type: text/x-shellscript; charset=\"us-ascii\"\n\n#!/bin/bash\necho hi\n"},
      {"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n",
       "--//\nContent-Type: application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"},
      {"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"BB\"\n\n--BB\nX-Other: 1\nContent-Type: "
       "text/x-y\n\n"
       "body 1\n--BB--\n",
       "--//\nContent-Type: text/x-y\n\nbody 1\n"},
  };
  for (const Case& c : cases) {
    Bootstrap b = some_bootstrap(AmiFamily::kAl2023);
    b.user_data = c.user_data;
    const auto text = render_user_data(b);
    ASSERT_TRUE(text) << text.error().message;
    const size_t mine = text->find(c.part);
    ASSERT_NE(mine, std::string::npos) << *text;
    EXPECT_LT(mine, text->find("# Karpenter Generated"));
  }
}

TEST(Mime, BadDocumentsAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {"Content-Type: text/plain\n\nx", "must be multipart/*"},
      {"Content-Type: multipart/mixed\n\n--x", "names no boundary"},
      {"Content-Type: multipart/mixed; boundary=a\n\n--a\nX: y\n\nbody", "not closed by --a--"},
  };
  for (const auto& [document, message] : cases) {
    Bootstrap b = some_bootstrap(AmiFamily::kAl2);
    b.user_data = document;
    const auto text = render_user_data(b);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Code::kInvalid);
    EXPECT_THAT(text.error().message, HasSubstr(message));
    EXPECT_THAT(text.error().message, HasSubstr("spec.userData"));
  }
}

// What cannot be a NodeConfig though it was meant as one; other text is a shell script.
TEST(Al2023, BrokenNodeConfigsAreRefused) {
  const std::string in_mime =
      "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"B\"\n\n--B\nContent-Type: "
      "application/node.eks.aws\n\nspec: [1\n--B--\n";
  for (const std::string& user_data : {std::string("apiVersion: node.eks.aws/v1alpha1\nspec: {a\n"), in_mime}) {
    Bootstrap b = some_bootstrap(AmiFamily::kAl2023);
    b.user_data = user_data;
    const auto text = render_user_data(b);
    ASSERT_FALSE(text) << *text;
    EXPECT_EQ(text.error().code, Code::kInvalid);
    EXPECT_THAT(text.error().message, HasSubstr("spec.userData: invalid UserData: "));
  }
  Bootstrap b = some_bootstrap(AmiFamily::kAl2023);
  b.user_data = "#!/bin/bash\necho 'apiVersion: node.eks.aws: {'\n";
  EXPECT_TRUE(render_user_data(b));
}

TEST(Al2, CallsBootstrapWithAllFlags) {
  Bootstrap b = some_bootstrap(AmiFamily::kAl2);
  b.dns_ip = "10.100.0.10";
  b.raid0 = true;
  b.kubelet.pods_per_core = 4;
  b.kubelet.system_reserved = {{"cpu", "100m"}, {"memory", "200Mi"}};
  b.kubelet.eviction_hard = {{"memory.available", "5%"}};
  b.kubelet.eviction_soft_grace_period = {{"memory.available", "1m0s"}};
  b.kubelet.image_gc_high_threshold_percent = 80;
  b.kubelet.cpu_cfs_quota = true;
  b.taints.push_back({"team", "a", "NoSchedule", {}});
  const std::string text = *render_user_data(b);
  EXPECT_THAT(
      text, HasSubstr("/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://127.0.0.1:26443' --b64-cluster-ca "
                      "'Y2E=' \\\n--dns-cluster-ip '10.100.0.10' \\\n--use-max-pods false \\\n--kubelet-extra-args '"));
  EXPECT_THAT(
      text, HasSubstr("--node-labels=\"karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=aws\" "
                      "--register-with-taints=\"karpenter.sh/unregistered:NoExecute,team=a:NoSchedule\" --max-pods=29 "
                      "--pods-per-core=4 --system-reserved=\"cpu=100m,memory=200Mi\" "
                      "--eviction-hard=\"memory.available<5%\" --eviction-soft-grace-period=\"memory.available=1m0s\" "
                      "--image-gc-high-threshold=80 --cpu-cfs-quota=true' \\\n--local-disks raid0\n"));
  b.dns_ip = "fd00::a";
  EXPECT_THAT(*render_user_data(b), HasSubstr("--ip-family ipv6"));
}

TEST(Custom, IsVerbatim) {
  Bootstrap b = some_bootstrap(AmiFamily::kCustom);
  b.user_data = "anything\r\n";
  EXPECT_EQ(*render_user_data(b), "anything\r\n");
}

TEST(Bottlerocket, WithoutUserData) {
  Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
  b.kubelet.kube_reserved = {{"cpu", "1"}};
  b.kubelet.image_gc_low_threshold_percent = 10;
  EXPECT_EQ(*render_user_data(b), R"([settings.kubernetes]
api-server = 'https://127.0.0.1:26443'
cluster-certificate = 'Y2E='
cluster-name = 'demo'
max-pods = 29
image-gc-low-threshold-percent = '10'
[settings.kubernetes.node-labels]
'karpenter.sh/capacity-type' = 'spot'
'karpenter.sh/nodepool' = 'aws'
[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
[settings.kubernetes.kube-reserved]
cpu = '1'
)");
}

TEST(Bottlerocket, MergesTheUsersSettings) {
  Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
  b.user_data = R"(# a comment
[settings.host-containers.admin]
enabled = true
[settings.kubernetes]
max-pods = 5                # ours wins
log-level = "3"
unknown-setting = 1
[settings.kubernetes.node-labels]
"team" = "a"
[settings.kubernetes.node-taints]
"old" = ["x:NoSchedule"]
[settings.bootstrap-containers.bear]
source = "x"
user-data = """
[not.a.table]
"""
)";
  const std::string text = *render_user_data(b);
  EXPECT_THAT(text, HasSubstr("max-pods = 29\n"));
  EXPECT_THAT(text, Not(HasSubstr("max-pods = 5")));
  EXPECT_THAT(text, HasSubstr("log-level = \"3\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("unknown-setting")));
  EXPECT_THAT(text, HasSubstr("'karpenter.sh/nodepool' = 'aws'\nteam = \"a\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("old")));
  EXPECT_THAT(text, HasSubstr("[settings.host-containers.admin]\nenabled = true\n"));
  EXPECT_THAT(text, HasSubstr("user-data = \"\"\"\n[not.a.table]\n\"\"\"\n"));
  EXPECT_TRUE(parse_toml(text));
}

TEST(Bottlerocket, InstanceStorage) {
  Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
  b.raid0 = true;
  EXPECT_THAT(*render_user_data(b), HasSubstr("commands = [['apiclient', 'ephemeral-storage', 'init'], "
                                              "['apiclient', 'ephemeral-storage', 'bind']]\nmode = 'always'\n"));
  b.mounts_storage_itself = true;
  EXPECT_THAT(*render_user_data(b),
              HasSubstr("'bind', '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods']]"));
}

TEST(Bottlerocket, WhatCannotBeMergedIsRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {"not toml", "invalid UserData: line 1"},
      {"[settings]\nkubernetes = {max-pods = 3}\n", "write settings.kubernetes as a [table]"},
      {"a = [1,\n2\n", "a bracket is not closed"},
      {"a = 'x\n", "a string is not closed"},
      {"a = 1 b = 2\n", ""},
      {"[a\n", "a key is expected"},
  };
  for (const auto& [user_data, message] : cases) {
    Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
    b.user_data = user_data;
    const auto text = render_user_data(b);
    if (message.empty()) continue;
    ASSERT_FALSE(text) << user_data;
    EXPECT_THAT(text.error().message, HasSubstr(message)) << user_data;
  }
}

TEST(Toml, KeepsValuesAndPaths) {
  const auto entries =
      parse_toml("top.a = 1\n[x.\"y z\"]\nlist = [ # c\n 'a', 'b#c',\n]\n[[arr]]\n'k.k' = { a = 1 }\n");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 5u);
  EXPECT_EQ(entries->at(0).path(), (std::vector<std::string>{"top", "a"}));
  EXPECT_EQ(entries->at(2).path(), (std::vector<std::string>{"x", "y z", "list"}));
  EXPECT_THAT(entries->at(2).value, HasSubstr("'b#c'"));
  EXPECT_TRUE(entries->at(3).array_table);
  EXPECT_EQ(entries->at(4).value, "{ a = 1 }");
}

TEST(Toml, WritesStringsThatReadBack) {
  EXPECT_EQ(toml_string("plain"), "'plain'");
  EXPECT_EQ(toml_string("it's"), "\"it's\"");
  EXPECT_EQ(toml_string("a\n\"b\\'"), "\"a\\u000A\\\"b\\\\'\"");
  EXPECT_EQ(toml_key("a-b_1"), "a-b_1");
  EXPECT_EQ(toml_key("a/b"), "'a/b'");
}

}  // namespace
}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/user_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/aws_provider/util/toml_document.h"
#include "json/json.h"

namespace tenon::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

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

// Text that was meant as a NodeConfig but is none; other text is a shell script.
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
  const std::string kubernetes = "[settings.kubernetes]\n", line_2 = "invalid UserData: line 2: ";
  const std::string in_kubernetes = "invalid UserData: settings.kubernetes", commands = "settings.bootstrap-commands";
  const std::pair<std::string, std::string> cases[] = {
      {"not toml", "invalid UserData: line 1: "},
      {"a = [1,\n2\n", "invalid UserData: line "},
      {"a = 'x\n", "invalid UserData: line 1: "},
      {"a = 1 b = 2\n", "invalid UserData: line 1: "},
      {"[a\n", "invalid UserData: line 1: "},
      {"[settings.kubernetes]\n[settings.kubernetes]\n", line_2},
      {"[settings]\nkubernetes = {}\nkubernetes.max-pods = 3\n", "invalid UserData: line 3: "},
      {"settings = 3\n", "invalid UserData: settings: must be a table"},
      {"[settings]\nkubernetes = 'x'\n", in_kubernetes + ": must be a table, not a string"},
      {"[[settings.kubernetes]]\n", in_kubernetes + ": must be a table, not a list"},
      {kubernetes + "max-pods = 'hello'\n", in_kubernetes + ".max-pods: must be an integer, not a string"},
      {kubernetes + "max-pods = hello\n", line_2},
      {kubernetes + "max-pods = 3.5\n", in_kubernetes + ".max-pods: must be an integer, not a float"},
      {kubernetes + "log-level = -1\n", in_kubernetes + ".log-level: must be from 0 to 4294967295"},
      {kubernetes + "log-level = '3'\n", in_kubernetes + ".log-level: must be an integer, not a string"},
      {kubernetes + "seccomp-default = 'true'\n", ".seccomp-default: must be a boolean, not a string"},
      {kubernetes + "image-gc-low-threshold-percent = 80\n", "-percent: must be a string, not an integer"},
      {kubernetes + "allowed-unsafe-sysctls = 'a'\n", ".allowed-unsafe-sysctls: must be a list, not a string"},
      {kubernetes + "allowed-unsafe-sysctls = ['a', 1]\n", "-sysctls[1]: must be a string, not an integer"},
      {kubernetes + "node-labels = ['a=b']\n", ".node-labels: must be a table, not a list"},
      {kubernetes + "node-labels.'a/b' = 1\n", ".node-labels.'a/b': must be a string, not an integer"},
      {kubernetes + "node-taints.a = 'b:NoSchedule'\n", ".node-taints.a: must be a list, not a string"},
      {kubernetes + "static-pods.a.enabled = 1\n", ".static-pods.a.enabled: must be a boolean, not an integer"},
      {kubernetes + "credential-providers.a.image-patterns = [true]\n", "[0]: must be a string, not a boolean"},
      {kubernetes + "topology-manager-policy-options = 'x'\n", "-options: must be a table, not a string"},
      {"[" + commands + ".a]\ncommands = ['x']\n", commands + ".a.commands[0]: must be a list, not a string"},
      {"[settings.ntp]\nsince = 1979-05-27\n", "settings.ntp.since: is a date, a time or no finite number"},
      {"[settings.ntp]\nx = inf\n", "settings.ntp.x: is a date, a time or no finite number"},
      {"#" + std::string(kMaxTomlBytes, '#'), "has 32769 bytes, and 32768 is the most"},
      {"settings.a" + repeated(".a", kMaxTomlDepth) + " = 1", "nested too deeply"},
      {"[settings]\na = '''b'''' # c\n'a'.\"=\\\"\"" + repeated(".a", 16'000) + " = 1",
       "dotted keys are nested too deeply"},
      {"settings.a = [\n" + repeated("{a.a.a = [\n", 100), "dotted keys are nested too deeply"},
  };
  for (const auto& [user_data, message] : cases) {
    Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
    b.user_data = user_data;
    const auto text = render_user_data(b);
    ASSERT_FALSE(text) << user_data;
    EXPECT_EQ(text.error().code, Code::kInvalid);
    EXPECT_THAT(text.error().message, StartsWith("spec.userData: invalid UserData: ")) << user_data;
    EXPECT_THAT(text.error().message, HasSubstr(message)) << user_data;
  }
}

// Different forms of a document have the same meaning.
TEST(Bottlerocket, FormsOfTomlAreOneDocument) {
  const std::string wanted = R"([settings.kubernetes]
api-server = 'https://127.0.0.1:26443'
cluster-certificate = 'Y2E='
cluster-name = 'demo'
max-pods = 29
allowed-unsafe-sysctls = ['net.a', 'net.b']
[settings.kubernetes.node-labels]
'karpenter.sh/capacity-type' = 'spot'
'karpenter.sh/nodepool' = 'aws'
team = 'a'
[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
[settings.metrics]
send = false
)";
  const char* forms[] = {
      "[settings.kubernetes]\nmax-pods = 5\nallowed-unsafe-sysctls = ['net.a', 'net.b']\n"
      "[settings.kubernetes.node-labels]\nteam = 'a'\n[settings.metrics]\nsend = false\n",
      "settings = { metrics = { send = false }, kubernetes = { node-labels = { team = \"a\" }, max-pods = 0x5, "
      "allowed-unsafe-sysctls = [ \"net.a\", \"net.b\" ] } }\n",
      "settings.metrics.send = false\nsettings.kubernetes.node-labels.\"team\" = '''a'''\n"
      "settings.kubernetes.allowed-unsafe-sysctls = [\n  'net.a', # a comment\n  'net.b',\n]\n",
      "[settings]\n'kubernetes' = {'unknown-setting' = 1, \"node-labels\" = {team = 'a'}, allowed-unsafe-sysctls = "
      "['net.a','net.b'], static-pods = {}, node-taints = {old = ['x:NoSchedule']}}\r\n[settings.metrics]\r\nsend = "
      "false",
  };
  for (const char* form : forms) {
    Bootstrap b = some_bootstrap(AmiFamily::kBottlerocket);
    b.user_data = form;
    const auto text = render_user_data(b);
    ASSERT_TRUE(text) << text.error().message << "\n" << form;
    EXPECT_EQ(*text, wanted) << form;
  }
}

TEST(Toml, DotsOfValuesDoNotNest) {
  const std::string dots = repeated("x.", 500);
  const std::string text = "a = '" + dots + "'\n" + "b = [\n '" + dots + "',\n \"\\\"" + dots + "\", # " + dots +
                           "\n]\n" + "c = \"\"\"" + dots + "\n\\\"\"" + dots + "\"\"\"\"\"\n" + "d = '\\'\n" +
                           repeated("[[e.f.g]]\nh = 1.5\n", 200);
  const auto document = parse_toml(text);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->at("c").as_string(), dots + "\n\"\"" + dots + "\"\"");
}

TEST(Toml, WritesWhatItReads) {
  const std::string text =
      "a = 1\nb = 1.5\nc = 2.0\nd = 1e+300\ne = [[1, 'x'], []]\nf = [{ g = 1 }, 2]\nh = \"a\\u000Ab'\"\ni = {}\n"
      "[j]\n[k.l]\nm = true\n[[n]]\no = 1\n[n.p]\nq = -1\n[[n]]\n";
  const auto document = parse_toml(text);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(render_toml(*document), text.substr(0, text.find("i = {}")) + "[i]\n" + text.substr(text.find("[j]")));
}

TEST(Toml, WritesStringsThatReadBack) {
  EXPECT_EQ(toml_string("plain"), "'plain'");
  EXPECT_EQ(toml_string("it's"), "\"it's\"");
  EXPECT_EQ(toml_string("a\n\"b\\'"), "\"a\\u000A\\\"b\\\\'\"");
  EXPECT_EQ(toml_key("a-b_1"), "a-b_1");
  EXPECT_EQ(toml_key("a/b"), "'a/b'");
  EXPECT_EQ(toml_key(""), "''");
}

}  // namespace
}  // namespace tenon::cloud

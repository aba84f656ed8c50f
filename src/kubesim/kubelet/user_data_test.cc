// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/user_data.h"

#include <gtest/gtest.h>

namespace tenon::kubesim {
namespace {

using Labels = std::map<std::string, std::string>;

constexpr std::string_view kNodeadm = R"(MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo hello

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 20
      evictionHard:
        memory.available: 5%

--//
Content-Type: application/node.eks.aws

# generated
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    apiServerEndpoint: https://example.com
    name: demo
  instance:
    localStorage:
      strategy: RAID0
  kubelet:
    config:
      maxPods: 29
      kubeReserved:
        cpu: 80m
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
      - effect: NoSchedule
        key: team
        value: a
    flags:
    - --node-labels="karpenter.sh/nodepool=default,tier=web"

--//--
)";

TEST(UserData, NodeadmPartsMergeAndTheLastWins) {
  const BootConfig boot = read_user_data(kNodeadm);
  EXPECT_EQ(boot.problem, "");
  EXPECT_EQ(boot.cluster, "demo");
  EXPECT_TRUE(boot.raid0);
  EXPECT_EQ(boot.labels, (Labels{{"karpenter.sh/nodepool", "default"}, {"tier", "web"}}));
  EXPECT_EQ(boot.taints,
            (std::vector<Taint>{{"karpenter.sh/unregistered", "", "NoExecute"}, {"team", "a", "NoSchedule"}}));
  EXPECT_EQ(boot.kubelet.max_pods, 29);
  EXPECT_EQ(boot.kubelet.kube_reserved, (model::StringMap{{"cpu", "80m"}}));
  EXPECT_EQ(boot.kubelet.eviction_hard, (model::StringMap{{"memory.available", "5%"}}));
}

TEST(UserData, CarriageReturnsDoNoHarm) {
  std::string dos;
  for (const char c : kNodeadm) dos += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(read_user_data(dos).cluster, "demo");
}

constexpr std::string_view kBootstrap =
    R"(MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://example.com' --b64-cluster-ca 'Y2E=' \
--dns-cluster-ip '10.100.0.10' \
--use-max-pods false \
--kubelet-extra-args '--node-labels="a=b,c=d" --register-with-taints="k=v:NoSchedule,x:NoExecute" --max-pods=17)"
    R"( --system-reserved="cpu=100m,memory=1Gi" --eviction-hard="memory.available<300Mi"' \
--local-disks raid0
--//--
)";

TEST(UserData, BootstrapScript) {
  const BootConfig boot = read_user_data(kBootstrap);
  EXPECT_EQ(boot.cluster, "demo");
  EXPECT_TRUE(boot.raid0);
  EXPECT_EQ(boot.labels, (Labels{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(boot.taints, (std::vector<Taint>{{"k", "v", "NoSchedule"}, {"x", "", "NoExecute"}}));
  EXPECT_EQ(boot.kubelet.max_pods, 17);
  EXPECT_EQ(boot.kubelet.system_reserved, (model::StringMap{{"cpu", "100m"}, {"memory", "1Gi"}}));
  EXPECT_EQ(boot.kubelet.eviction_hard, (model::StringMap{{"memory.available", "300Mi"}}));
}

TEST(UserData, Bottlerocket) {
  const BootConfig boot = read_user_data(R"([settings.kubernetes]
api-server = 'https://example.com'
cluster-name = 'demo'  # ours
max-pods = 58

[settings.kubernetes.node-labels]
'karpenter.sh/nodepool' = 'default'

[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
team = ['a:NoSchedule', 'b:PreferNoSchedule']

[settings.kubernetes.kube-reserved]
cpu = '70m'
)");
  EXPECT_EQ(boot.cluster, "demo");
  EXPECT_EQ(boot.kubelet.max_pods, 58);
  EXPECT_EQ(boot.labels, (Labels{{"karpenter.sh/nodepool", "default"}}));
  EXPECT_EQ(boot.taints, (std::vector<Taint>{{"karpenter.sh/unregistered", "", "NoExecute"},
                                             {"team", "a", "NoSchedule"},
                                             {"team", "b", "PreferNoSchedule"}}));
  EXPECT_EQ(boot.kubelet.kube_reserved, (model::StringMap{{"cpu", "70m"}}));
}

TEST(UserData, WhatJoinsNothing) {
  for (const std::string_view text :
       {"", "#!/bin/bash\necho hello\n", "MIME-Version: 1.0\nContent-Type: text/plain\n\nx",
        "kind: NodeConfig\nspec: [broken"})
    EXPECT_EQ(read_user_data(text).cluster, "") << text;
}

TEST(UserData, AKubeletRefusesLabelsOfKubernetesOwnDomains) {
  const auto problem = [](const std::string& label) {
    return read_user_data("#!/bin/bash\n/etc/eks/bootstrap.sh demo --kubelet-extra-args '--node-labels=" + label +
                          "=x'")
        .problem;
  };
  EXPECT_NE(problem("node-role.kubernetes.io/worker"), "");
  EXPECT_NE(problem("kubernetes.io/anything"), "");
  EXPECT_EQ(problem("node.kubernetes.io/lifecycle"), "");
  EXPECT_EQ(problem("topology.kubernetes.io/zone"), "");
  EXPECT_EQ(problem("karpenter.sh/nodepool"), "");
  EXPECT_EQ(problem("plain"), "");
}

}  // namespace
}  // namespace tenon::kubesim

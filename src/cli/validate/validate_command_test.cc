// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/validate_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/temp_folder.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
  std::string name, yaml, line;  // the first line of the output
  int code = kExitError;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

struct Answer {
  int code;
  std::string out, err;
};

Answer validate(const std::string& yaml) {
  std::istringstream in(yaml);
  std::ostringstream out, err;
  ValidateOptions options;
  options.files = {"-"};
  const int code = run_validate(options, in, out, err);
  return {code, out.str(), err.str()};
}

class Validate : public testing::TestWithParam<Case> {};

TEST_P(Validate, NamesTheLine) {
  const Answer answer = validate(GetParam().yaml);
  EXPECT_THAT(answer.out, StartsWith(GetParam().line));
  EXPECT_EQ(answer.code, GetParam().code) << answer.out;
  EXPECT_EQ(answer.err, "");
}

std::string provisioner(const std::string& spec) {
  return "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec:\n  providerRef: {name: "
         "p}\n" +
         spec;
}
std::string node_pool(const std::string& more) {
  return R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: p}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
)" + more;
}
std::string deployment(const std::string& pod_spec) {
  return R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
)" + pod_spec;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Validate,
    testing::Values(
        Case{"UnknownField", node_pool("  colour: red\n"), "-:9: error: NodePool/p: spec.colour: unknown field\n"},
        Case{"Schema", node_pool("  weight: 0\n"), "-:9: error: NodePool/p: spec.weight: Invalid value: 0"},
        Case{"BuiltInKind", deployment("      containers: [{image: x}]\n"),
             "-:9: error: Deployment/d: spec.template.spec.containers[0].name: Required value"},
        Case{"Quantity",
             deployment("      containers:\n      - {name: c, image: x, resources: {requests: {cpu: 1x}}}\n"),
             "-:1: error: Deployment/d: Deployment in version"},
        Case{"Webhook", provisioner("  ttlSecondsAfterEmpty: -1\n"),
             "-:6: error: Provisioner/p: spec.ttlSecondsAfterEmpty: invalid value: cannot be negative\n"},
        Case{"InlineProvider",
             "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec:\n  provider:\n"
             "    subnetSelector: {a: b}\n    launchTemplate: mine\n    userData: x\n",
             "-:7: error: Provisioner/p: spec.provider.launchTemplate: expected exactly one, got both\n"},
        Case{"ValidInlineProvider",
             "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec:\n  provider:\n"
             "    subnetSelector: {a: b}\n    launchTemplate: mine\n",
             "", kExitDone},
        Case{"NodeTemplate",
             "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\n"
             "spec:\n  subnetSelector: {a: b}\n",
             "-:4: error: AWSNodeTemplate/t: "},
        Case{"Settings",
             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\ndata:\n"
             "  aws.tags: team=a\n",
             "-:5: error: ConfigMap/karpenter-global-settings: data[aws.tags]: is not a JSON object\n"},
        Case{"UnknownKind", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n",
             "-:2: note: Thing/t: kind: no schema of Thing in example.com/v1 is known here", kExitDone},
        Case{"ValueWithoutType",
             provisioner("  requirements:\n  - {key: kubernetes.io/arch, operator: In, values: [nvidia, amd64]}\n"),
             "-:7: warning: Provisioner/p: spec.requirements[0].values[0]: no instance type has "
             "kubernetes.io/arch=nvidia: the value has no effect\n",
             kExitDone},
        Case{"OnlyValuesWithoutType",
             provisioner("  requirements:\n  - {key: kubernetes.io/arch, operator: In, values: [nvidia]}\n"),
             "-:7: warning: Provisioner/p: spec.requirements[0].values[0]: no instance type has "
             "kubernetes.io/arch=nvidia: nothing can be launched\n",
             kExitDone},
        Case{"LimitsBelowANode",
             provisioner("  limits: {resources: {cpu: 1}}\n  requirements:\n"
                         "  - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}\n"),
             "-:6: warning: Provisioner/p: spec.limits.resources[cpu]: is less than one node", kExitDone},
        Case{"MilliBytes",
             deployment("      containers:\n      - name: c\n        image: x\n        resources:\n"
                        "          limits:\n            memory: 3167538380800m\n"),
             "-:14: warning: Deployment/d: spec.template.spec.containers[0].resources.limits.memory: is in thousandths "
             "of a byte: 3167538380800m is 3167538381 bytes\n",
             kExitDone},
        Case{"RequestAboveEveryType",
             deployment("      containers: [{name: c, image: x, resources: {requests: {cpu: \"1000\"}}}]\n"),
             "-:8: warning: Deployment/d: spec.template.spec: the pod requests more cpu than any instance type has\n",
             kExitDone},
        Case{"StorageAboveTheVolume",
             deployment("      containers: [{name: c, image: x, resources: {requests: {ephemeral-storage: 18Gi}}}]\n"),
             "-:8: warning: Deployment/d: spec.template.spec: the pod requests 19327352832 bytes of ephemeral-storage",
             kExitDone},
        Case{"SelectorWithoutPool",
             node_pool("") + "---\n" +
                 deployment("      nodeSelector: {disk: fast}\n      containers: [{name: c, image: x}]\n"),
             "-:18: warning: Deployment/d: spec.template.spec.nodeSelector[disk]: no pool of these documents gives its "
             "nodes the label disk=fast\n",
             kExitDone}),
    [](const auto& test) { return test.param.name; });

TEST(ValidateTraps, AScaledObjectAndItsTarget) {
  const std::string target = deployment("      containers: [{name: c, image: x}]\n");
  const auto scaled = [](const std::string& ns) {
    return "---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s, namespace: " + ns +
           "}\nspec: {scaleTargetRef: {name: d}}\n";
  };
  EXPECT_THAT(validate(target + scaled("keda")).out, HasSubstr("Deployment d is in namespace default, not in keda"));
  EXPECT_THAT(validate(target + scaled("default")).out, HasSubstr("0 errors, 0 warnings"));
}

TEST(ValidateCommand, ValidDocumentsAndUnreadableFiles) {
  const Answer good = validate(node_pool("") + "---\n" + provisioner(""));
  EXPECT_EQ(good.out, "2 documents, 0 errors, 0 warnings\n");
  EXPECT_EQ(good.code, kExitDone);
  const Answer broken = validate("a: [\n");
  EXPECT_EQ(broken.code, kExitError);
  EXPECT_THAT(broken.err, HasSubstr("line 2"));
}

// The manifests of the walkthroughs, and the oddities in them.
TEST(ValidateCommand, TheExamplesAreAcceptedAndTheirOdditiesAreExplained) {
  const std::string examples = std::string(TENON_SOURCE_DIR) + "/examples/";
  for (const char* folder : {"consolidate", "gpu-notebook", "node-less", "provisioner", "spot-inflate"}) {
    std::istringstream in;
    std::ostringstream out, err;
    ValidateOptions options;
    options.files = {examples + folder};
    EXPECT_EQ(run_validate(options, in, out, err), kExitDone) << out.str();
    EXPECT_EQ(err.str(), "");
    EXPECT_THAT(out.str(), HasSubstr(", 0 errors, ")) << folder;
    if (std::string(folder) != "gpu-notebook") {
      EXPECT_THAT(out.str(), HasSubstr(" 0 warnings")) << folder;
      continue;
    }
    EXPECT_THAT(out.str(), HasSubstr("no instance type has kubernetes.io/arch=nvidia: the value has no effect"));
    EXPECT_THAT(out.str(), HasSubstr("3167538380800m is 3167538381 bytes"));
  }
}

TEST(ValidateCommand, OtherKindsOfTheDocumentsAreAccepted) {
  const Answer answer = validate(R"(apiVersion: v1
kind: Pod
metadata: {name: mynginx}
spec: {containers: [{name: nginx, image: nginx, resources: {requests: {cpu: "0.3", memory: 64Mi}}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kube-system-admin}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default, namespace: kube-system}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: aws-auth, namespace: kube-system}
data: {mapRoles: "- groups: [system:nodes]"}
)");
  EXPECT_EQ(answer.out, "3 documents, 0 errors, 0 warnings\n");
}

// Without a snapshot, the pods of the cluster are unknown, and no selector is reported.
TEST(ValidateCommand, SelectorsAreComparedWithASnapshot) {
  const TempFolder folder;
  const std::string snapshot = folder.write("snapshot.yaml", R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a, namespace: shop, labels: {app: shop}}
  spec: {containers: [{name: c, image: i}]}
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: default}
  spec:
    template:
      metadata: {labels: {team: blue}}
      spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}
)");
  const std::string manifests = R"(apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: right, namespace: shop}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: shop}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: elsewhere}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: shop}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: p}}
spec:
  nodeSelector: {team: blue}
  containers: [{name: c, image: i}]
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: q}}
)";
  std::istringstream in(manifests);
  std::ostringstream out, err;
  ValidateOptions options;
  options.files = {"-"};
  options.snapshot = snapshot;
  EXPECT_EQ(run_validate(options, in, out, err), kExitDone) << err.str();
  EXPECT_EQ(
      out.str(),
      "-:11: warning: PodDisruptionBudget/elsewhere: spec.selector: selects no pod of these documents or of the "
      "snapshot in namespace default\n"
      "-:23: warning: Pod/p: spec.topologySpreadConstraints[0].labelSelector: selects no pod of these documents or "
      "of the snapshot in namespace default\n"
      "3 documents, 0 errors, 2 warnings\n");
  EXPECT_EQ(validate(manifests).out, "3 documents, 0 errors, 0 warnings\n");
}

// The field of an error that an API server does not name.
TEST(ValidateCommand, AQuantityHasItsField) {
  const Answer answer =
      validate(deployment("      containers:\n      - {name: c, image: x, resources: {requests: {cpu: 1x}}}\n"));
  EXPECT_THAT(answer.out,
              HasSubstr("-:10: error: Deployment/d: spec.template.spec.containers[0].resources.requests.cpu"));
}

}  // namespace
}  // namespace tenon::cli

// `tenon install manifests`, and what deploy/ holds of it: the plain manifests, and the part of the chart that the
// table of options determines.
// SPDX-License-Identifier: Apache-2.0
#include "cli/install/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "cli/install/testing/chart_text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli::install {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDeploy = TENON_SOURCE_DIR "/deploy/";
const Settings kLocal = {{"settings.clusterName", "demo"}, {"image.local", "true"}};
const Settings kV027 = {{"settings.aws.clusterName", "demo"},
                        {"image.local", "true"},
                        {"release.name", "karpenter"},
                        {"release.namespace", "karpenter"}};

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Compares a file of deploy/ with the text that it must have, and leaves that text for copying.
void expect_file(const std::string& name, const std::string& wanted) {
  const auto left =
      std::filesystem::temp_directory_path() / ("tenon-" + std::filesystem::path(name).filename().string());
  std::filesystem::remove(left);
  if (file_text(kDeploy + name) == wanted) return;
  std::ofstream(left) << wanted;
  ADD_FAILURE() << "deploy/" << name << " differs. If that is meant: cp " << left.string() << " deploy/" << name;
}

std::vector<json::value> rendered(Settings settings, const Settings& more = {}) {
  settings.insert(settings.end(), more.begin(), more.end());
  const auto text = render_manifests({settings, ""});
  EXPECT_TRUE(text) << text.error().message;
  return text ? *json::parse_yaml(*text) : std::vector<json::value>();
}

std::set<std::string> names(const std::vector<json::value>& objects) {
  std::set<std::string> out;
  for (const json::value& object : objects) {
    const std::string ns(json::string_at(object, {"metadata", "namespace"}));
    out.insert(std::string(json::string_at(object, {"kind"})) + " " + (ns.empty() ? "" : ns + "/") +
               std::string(json::string_at(object, {"metadata", "name"})));
  }
  return out;
}

json::value object_of(const std::vector<json::value>& objects, std::string_view kind) {
  for (const json::value& object : objects) {
    if (json::string_at(object, {"kind"}) == kind) return object;
  }
  ADD_FAILURE() << "no " << kind;
  return json::object();
}

json::value controller(const std::vector<json::value>& objects) {
  return json::array_at(object_of(objects, "Deployment"), {"spec", "template", "spec", "containers"}).at(0);
}

std::string variable_of(const std::vector<json::value>& objects, std::string_view name) {
  const json::value container = controller(objects);
  for (const json::value& item : json::array_at(container, {"env"})) {
    if (json::string_at(item, {"name"}) == name) return std::string(json::string_at(item, {"value"}));
  }
  return "unset";
}

std::string problem(Settings settings) {
  const auto text = render_manifests({settings, ""});
  return text ? "" : text.error().message;
}

TEST(Manifests, OfDeployAreThoseOfTheDefaults) {
  const auto text =
      render_manifests({{{"settings.clusterName", "${CLUSTER_NAME}"}, {"image.repository", "tenon"}}, ""});
  ASSERT_TRUE(text) << text.error().message;
  expect_file("manifests/tenon.yaml", testing::manifests_head() + *text);
}

TEST(ChartSettings, OfTheChartAreTheOptionsOfTheController) {
  expect_file("helm/tenon/files/settings.yaml", testing::settings_file());
  expect_file("helm/tenon/values.yaml",
              testing::with_settings(file_text(kDeploy + std::string("helm/tenon/values.yaml"))));
}

TEST(Charts, HaveTheVersionOfTheBinary) {
  for (const char* chart : {"tenon", "tenon-crd"}) {
    const std::string text = file_text(kDeploy + std::string("helm/") + chart + "/Chart.yaml");
    EXPECT_THAT(text, HasSubstr("\nversion: " TENON_VERSION "\n")) << chart;
    EXPECT_THAT(text, HasSubstr("\nappVersion: " TENON_VERSION "\n")) << chart;
  }
}

// The nine components that helm rendered for v0.27 (walkthrough node-less).
TEST(Manifests, OfV027HaveTheNineComponents) {
  EXPECT_EQ(
      names(rendered(kV027)),
      (std::set<std::string>{
          "PodDisruptionBudget karpenter/karpenter", "ServiceAccount karpenter/karpenter",
          "Secret karpenter/karpenter-cert", "ConfigMap karpenter/config-logging",
          "ConfigMap karpenter/karpenter-global-settings", "ClusterRole karpenter", "ClusterRole karpenter-admin",
          "ClusterRoleBinding karpenter", "Role karpenter/karpenter", "RoleBinding karpenter/karpenter",
          "Role kube-system/karpenter-dns", "RoleBinding kube-system/karpenter-dns", "Service karpenter/karpenter",
          "Deployment karpenter/karpenter", "MutatingWebhookConfiguration defaulting.webhook.karpenter.k8s.aws",
          "ValidatingWebhookConfiguration validation.webhook.karpenter.k8s.aws",
          "ValidatingWebhookConfiguration validation.webhook.karpenter.sh",
          "ValidatingWebhookConfiguration validation.webhook.config.karpenter.sh"}));
}

TEST(Manifests, OfV1HaveNoWebhooks) {
  const auto objects = rendered(kLocal);
  const auto all = names(objects);
  EXPECT_EQ(all.size(), 11u);
  EXPECT_TRUE(all.contains("Deployment kube-system/tenon"));
  for (const std::string& name : all) EXPECT_THAT(name, Not(HasSubstr("Webhook"))) << name;
  EXPECT_EQ(variable_of(objects, "DISABLE_WEBHOOK"), "true");
  EXPECT_EQ(variable_of(rendered(kLocal, {{"webhook.enabled", "true"}}), "WEBHOOK_PORT"), "8443");
  EXPECT_EQ(names(rendered(kV027, {{"settings.featureGates.provisionerAPI", "false"}})).size(), 11u);
}

TEST(Manifests, OfAnObserverHaveItsRolesAndNothingThatConcernsTheControllerBeside) {
  const Settings observe = {{"settings.observe", "true"}, {"webhook.enabled", "true"}};
  const std::set<std::string> wanted = {"PodDisruptionBudget kube-system/tenon",
                                        "ServiceAccount kube-system/tenon",
                                        "ClusterRole tenon",
                                        "ClusterRoleBinding tenon",
                                        "Role kube-system/tenon",
                                        "RoleBinding kube-system/tenon",
                                        "Role kube-system/tenon-dns",
                                        "RoleBinding kube-system/tenon-dns",
                                        "Service kube-system/tenon",
                                        "Deployment kube-system/tenon"};
  const auto objects = rendered(kLocal, observe);
  EXPECT_EQ(names(objects), wanted);
  EXPECT_EQ(variable_of(objects, "OBSERVE"), "true");
  EXPECT_EQ(variable_of(objects, "DISABLE_WEBHOOK"), "true");
  for (const json::value& role : objects) {
    for (const json::value& rule : json::array_at(role, {"rules"})) {
      const std::string text = json::to_string(rule);
      const bool reads = text.find("\"create\"") == text.npos && text.find("\"update\"") == text.npos &&
                         text.find("\"patch\"") == text.npos && text.find("\"delete\"") == text.npos;
      const bool own = json::string_at(role, {"kind"}) == "Role" &&
                       (text.find("\"leases\"") != text.npos || text.find("\"events\"") != text.npos);
      EXPECT_TRUE(reads || own) << text;
      EXPECT_EQ(text.find("karpenter-leader-election"), text.npos) << text;
    }
  }
  auto v027 = names(rendered(kV027, observe));
  for (const std::string& name : v027) {
    EXPECT_THAT(name, Not(HasSubstr("Webhook"))) << name;
    EXPECT_THAT(name, Not(HasSubstr("ConfigMap"))) << name;
  }
}

TEST(Manifests, OnlyKwokMayCreateNodes) {
  const auto creates_nodes = [](const Settings& settings) {
    const auto objects = rendered({{"image.local", "true"}}, settings);
    return std::any_of(objects.begin(), objects.end(), [](const json::value& role) {
      const auto& rules = json::array_at(role, {"rules"});
      return std::any_of(rules.begin(), rules.end(), [](const json::value& rule) {
        return rule == *json::parse(R"({"apiGroups": [""], "resources": ["nodes"], "verbs": ["create"]})");
      });
    });
  };
  EXPECT_TRUE(creates_nodes({{"settings.cloud", "kwok"}}));  // without an EKS cluster
  EXPECT_FALSE(creates_nodes({{"settings.cloud", "aws"}, {"settings.clusterName", "demo"}}));
  EXPECT_FALSE(creates_nodes({{"settings.cloud", "kwok"}, {"settings.observe", "true"}}));
  EXPECT_EQ(variable_of(rendered({{"image.local", "true"}}, {{"settings.cloud", "kwok"}}), "CLOUD"), "kwok");
}

TEST(Manifests, RolesHaveTheNamesOfTheRelease) {
  const auto objects = rendered(kV027, {{"settings.leaderElectionName", "mine"}});
  std::set<std::string> named;
  for (const json::value& object : objects) {
    for (const json::value& rule : json::array_at(object, {"rules"})) {
      for (const json::value& name : json::array_at(rule, {"resourceNames"})) named.emplace(name.as_string());
    }
    for (const json::value& subject : json::array_at(object, {"subjects"})) {
      EXPECT_EQ(json::to_string(subject), R"({"kind":"ServiceAccount","name":"karpenter","namespace":"karpenter"})");
    }
  }
  EXPECT_TRUE(named.contains("mine") && named.contains("karpenter-cert") && named.contains("kube-dns"));
  EXPECT_FALSE(named.contains("karpenter-leader-election"));
}

TEST(Manifests, AdministratorsGetTheObjectsOfTenon) {
  for (const json::value& object : rendered(kLocal)) {
    if (json::string_at(object, {"metadata", "name"}) != "tenon-admin") continue;
    EXPECT_EQ(json::string_at(object, {"metadata", "labels", "rbac.authorization.k8s.io/aggregate-to-admin"}), "true");
    return;
  }
  FAIL() << "no ClusterRole tenon-admin";
}

TEST(Manifests, TheContainerHasNoPrivileges) {
  const json::value container = controller(rendered(kLocal));
  EXPECT_EQ(json::to_string(*json::find(container, {"securityContext"})),
            R"({"privileged":false,"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"runAsNonRoot":true,)"
            R"("runAsUser":65532,"runAsGroup":65532,"capabilities":{"drop":["ALL"]}})");
  const json::value deployment = object_of(rendered(kLocal), "Deployment");
  EXPECT_EQ(json::string_at(deployment, {"spec", "template", "spec", "securityContext", "seccompProfile", "type"}),
            "RuntimeDefault");
}

TEST(Manifests, SettingsBecomeVariables) {
  const auto objects = rendered(kLocal, {{"settings.maxNodes", "1000000"},
                                         {"settings.vmMemoryOverheadPercent", "0.05"},
                                         {"settings.isolatedVPC", "true"},
                                         {"settings.ignoreDRARequests", "false"},
                                         {"settings.featureGates.nodeRepair", "true"},
                                         {"settings.featureGates.capacityBuffer", "true"},
                                         {"controller.metrics.port", "9090"},
                                         {"controller.logLevel", "debug"}});
  EXPECT_EQ(variable_of(objects, "MAX_NODES"), "1000000");
  EXPECT_EQ(variable_of(objects, "VM_MEMORY_OVERHEAD_PERCENT"), "0.05");
  EXPECT_EQ(variable_of(objects, "ISOLATED_VPC"), "true");
  EXPECT_EQ(variable_of(objects, "IGNORE_DRA_REQUESTS"), "false");
  EXPECT_EQ(variable_of(objects, "FEATURE_GATES"), "CapacityBuffer=true,NodeRepair=true");
  EXPECT_EQ(variable_of(objects, "METRICS_PORT"), "9090");
  EXPECT_EQ(variable_of(objects, "LOG_LEVEL"), "debug");
  EXPECT_EQ(variable_of(objects, "NODE_PRICE"), "unset");
}

TEST(Manifests, ThePodsRestartIfTheConfigMapChanges) {
  const auto sum = [](const Settings& more) {
    return std::string(json::string_at(object_of(rendered(kV027, more), "Deployment"),
                                       {"spec", "template", "metadata", "annotations", "checksum/settings"}));
  };
  EXPECT_EQ(sum({}).size(), 64u);
  EXPECT_NE(sum({}), sum({{"settings.aws.tags.team", "a"}}));
  EXPECT_EQ(sum({{"settings.aws.tags.team", "a"}, {"settings.aws.defaultInstanceProfile", "p"}}),
            sum({{"settings.aws.defaultInstanceProfile", "p"}, {"settings.aws.tags.team", "a"}}));
}

TEST(Manifests, ServicesCanBeDualStack) {
  const json::value service = object_of(
      rendered(kLocal, {{"service.ipFamilyPolicy", "RequireDualStack"}, {"service.ipFamilies", "{IPv6,IPv4}"}}),
      "Service");
  EXPECT_EQ(json::string_at(service, {"spec", "ipFamilyPolicy"}), "RequireDualStack");
  EXPECT_EQ(json::to_string(*json::find(service, {"spec", "ipFamilies"})), R"(["IPv6","IPv4"])");
}

TEST(Manifests, ImagesAreNamed) {
  const auto image = [](Settings settings) {
    settings.emplace_back("settings.clusterName", "demo");
    return std::string(json::string_at(controller(rendered(settings)), {"image"}));
  };
  EXPECT_EQ(image({{"image.local", "true"}}), "tenon:" TENON_VERSION);
  EXPECT_EQ(image({{"image.repository", "r/a"}}), "r/a:" TENON_VERSION);
  EXPECT_EQ(image({{"controller.image.repository", "r/a"}, {"controller.image.tag", "1"}}), "r/a:1");
  EXPECT_EQ(image({{"image.repository", "r/a"}, {"image.digest", "sha256:0"}}), "r/a@sha256:0");
}

TEST(Manifests, ErrorsNameTheKey) {
  EXPECT_THAT(problem({{"image.local", "true"}}), HasSubstr("settings.clusterName=NAME is required"));
  EXPECT_THAT(problem({{"settings.clusterName", "a"}}), HasSubstr("there is no public image of Tenon"));
  EXPECT_THAT(
      problem({{"settings.clusterName", "a"}, {"controller.image.repository", "public.ecr.aws/karpenter/controller"}}),
      HasSubstr("contains Karpenter, not Tenon"));
  const auto of = [](const char* key, const char* text) {
    Settings settings = kLocal;
    settings.emplace_back(key, text);
    return problem(settings);
  };
  EXPECT_EQ(of("settings.clustername", "a"), "--set: unknown key settings.clustername");
  EXPECT_EQ(of("replica", "1"), "--set: unknown key replica");
  EXPECT_EQ(of("settings.clusterName.a", "1"), "--set: unknown key settings.clusterName.a");
  EXPECT_EQ(of("settings..a", "1"), "--set: unknown key settings..a");
  EXPECT_EQ(of("controller", "1"), "--set controller: a key below it is required");
  EXPECT_EQ(of("tolerations", "a"), "--set tolerations: a list is required: {a,b}");
  EXPECT_EQ(of("nodeSelector.disk", "ssd"), "");
  EXPECT_EQ(of("controller.resources.limits.cpu", "1"), "");
  EXPECT_EQ(of("controller.resource.limits.cpu", "1"), "--set: unknown key controller.resource.limits.cpu");
  EXPECT_EQ(of("nodeSelector", "ssd"), "--set nodeSelector: a key below it is required");
  EXPECT_EQ(of("replicas", "{1}"), "--set replicas: it is no list");
  EXPECT_EQ(of("release.namespace", ""), "--set release.namespace: a name is required");
}

TEST(Manifests, OfOneKindArePrintedAlone) {
  const auto text = render_manifests({kLocal, "Role"});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(names(*json::parse_yaml(*text)),
            (std::set<std::string>{"Role kube-system/tenon", "Role kube-system/tenon-dns"}));
  EXPECT_THAT(render_manifests({kLocal, "role"}).error().message, HasSubstr("--only role: no manifest has this kind"));
}

TEST(Manifests, KeysBelowAFreeValueMayHaveDots) {
  const json::value account = object_of(
      rendered(kLocal, {{R"(serviceAccount.annotations.eks\.amazonaws\.com/role-arn)", "arn:aws:iam::1:role/a"}}),
      "ServiceAccount");
  EXPECT_EQ(json::string_at(account, {"metadata", "annotations", "eks.amazonaws.com/role-arn"}),
            "arn:aws:iam::1:role/a");
}

}  // namespace
}  // namespace tenon::cli::install

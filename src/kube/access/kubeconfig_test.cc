// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/testing/temp_folder.h"
#include "base/text.h"

namespace tenon::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class KubeconfigTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }
  std::string error(const std::string& text, std::string_view context = {}) const {
    const auto loaded = load_kubeconfig(write("config", text), context);
    return loaded ? "no error" : loaded.error().message;
  }
  const TempFolder folder_;
};

const std::string kTwo = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: c1, user: u1}}
- {name: prod, context: {cluster: c2, user: u2, namespace: karpenter}}
clusters:
- name: c1
  cluster: {server: "https://127.0.0.1:6443/", certificate-authority-data: )" +
                         base64_encode("CA PEM") + R"(}
- name: c2
  cluster: {server: "https://prod", certificate-authority: ca.pem, tls-server-name: api, proxy-url: "http://proxy:3128"}
users:
- {name: u1, user: {token: secret}}
- {name: u2, user: {client-certificate: cert.pem, client-key-data: )" +
                         base64_encode("KEY PEM") + R"(, tokenFile: token}}
)";

TEST_F(KubeconfigTest, CurrentContext) {
  const auto c = load_kubeconfig(write("config", kTwo));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->server, "https://127.0.0.1:6443");
  EXPECT_EQ(c->ca.text, "CA PEM");
  EXPECT_EQ(c->bearer_token, "secret");
  EXPECT_EQ(c->ns, "default");
}

TEST_F(KubeconfigTest, ANamedContextWithFilesBesideTheConfig) {
  write("ca.pem", "CA FILE");
  write("cert.pem", "CERT FILE");
  const auto c = load_kubeconfig(write("config", kTwo), "prod");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->ca.text, "CA FILE");
  EXPECT_EQ(c->client_cert.text, "CERT FILE");
  EXPECT_EQ(c->client_key.text, "KEY PEM");
  EXPECT_EQ(c->ca.file, folder_.file("ca.pem"));
  EXPECT_EQ(c->client_cert.file, folder_.file("cert.pem"));
  EXPECT_EQ(c->client_key.file, "");  // from the text itself: nothing to read again
  EXPECT_EQ(c->token_file, folder_.file("token"));
  EXPECT_EQ(c->tls_server_name, "api");
  EXPECT_EQ(c->proxy_url, "http://proxy:3128");
  EXPECT_EQ(c->ns, "karpenter");
}

// A kubeconfig with one context, whose user and cluster have these fields.
std::string one(const std::string& user, const std::string& cluster = "server: \"https://a\"") {
  return "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\nclusters: [{name: c, cluster: {" +
         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

TEST_F(KubeconfigTest, WhatIsWrongIsNamed) {
  const std::string contexts = "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
  const std::string cluster = "clusters: [{name: c, cluster: {server: \"https://a\"}}]\n";
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, ";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"a: [", "config: line 2, column 1: "},
      {"- 1", "is not a kubeconfig"},
      {"a: 1", "current-context is not set"},
      {"current-context: dev", "config: no entry \"dev\" in contexts"},
      {contexts, "config: no entry \"c\" in clusters"},
      {contexts + cluster, "config: no entry \"u\" in users"},
      {contexts + "clusters: [{name: c}]", "config: clusters \"c\": no cluster"},
      {"contexts: [{name: x, context: {user: u}}]\ncurrent-context: x", "contexts \"x\": cluster: must be set"},
      {contexts + "clusters: [{name: c, cluster: {}}, {name: c, cluster: {}}]",
       "clusters \"c\": the name is there twice"},
      {one("", "server: \"127.0.0.1\""), "clusters \"c\": server: must be an http"},
      {one("", "server: \"https://\""), "clusters \"c\": server: must be an http"},
      {one("", "server: 5"), "clusters \"c\": server: must be a string"},
      {one("", "server: \"https://a\", certificate-authority-data: \"*\""),
       "clusters \"c\": certificate-authority-data: not base64"},
      {one("", "server: \"https://a\", certificate-authority: nowhere.pem"),
       "clusters \"c\": certificate-authority: " + folder_.file("nowhere.pem") + ": No such file or directory"},
      {one("", "server: \"https://a\", insecure-skip-tls-verify: yes please"),
       "clusters \"c\": insecure-skip-tls-verify: must be true or false"},
      {one("", "server: \"https://a\", insecure-skip-tls-verify: true, certificate-authority-data: YQ=="),
       "clusters \"c\": insecure-skip-tls-verify: excludes certificate-authority"},
      {one("", "server: \"https://a\", proxy-url: \"ftp://me:hush@proxy\""),
       "clusters \"c\": proxy-url: must be an http, https or socks5 URL"},
      {one("username: a, password: hush"), "users \"u\": username: basic"},
      {one("auth-provider: {name: oidc}"), "users \"u\": auth-provider: kubectl has removed"},
      {one("client-certificate-data: YQ=="),
       "users \"u\": client-certificate: client-certificate and client-key must both"},
      {one("token: \"hush\\n\""), "users \"u\": token: contains a line break"},
      {one("token: [hush]"), "users \"u\": token: must be a string"},
      {one("as-groups: [a]"), "users \"u\": as: must be set with"},
      {one("as: me, as-groups: a"), "users \"u\": as-groups: must be a list of strings"},
      {one("as: me, as-user-extra: {Reason: [a]}"), "users \"u\": as-user-extra: Reason: must be in lower case"},
      {one("as: \"me\\r\\nX-Evil: 1\""), "must not contain control characters"},
      {one("exec: aws"), "users \"u\": exec: must be an object"},
      {one("exec: {command: aws}"), "users \"u\": exec: apiVersion: must be client.authentication.k8s.io/v1 or "},
      {one("exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: aws}"), "v1beta1, not \"client.a"},
      {one("exec: {" + v1 + "interactiveMode: Never}"), "users \"u\": exec: command: must name a program"},
      {one("exec: {" + v1 + "command: aws}"), "exec: interactiveMode: must be set for client.authentication.k8s.io/v1"},
      {one("exec: {" + v1 + "command: aws, interactiveMode: Always}"), "interactiveMode: Always requires a terminal"},
      {one("exec: {" + v1 + "command: aws, interactiveMode: never}"), "not \"never\""},
      {one("exec: {" + v1 + "command: aws, interactiveMode: Never, args: [1]}"),
       "exec: args: must be a list of strings"},
      {one("exec: {" + v1 + "command: aws, interactiveMode: Never, env: [{name: A=B}]}"),
       "users \"u\": exec: env[0]: name: must name a variable"},
  };
  for (const auto& [text, message] : table) {
    EXPECT_THAT(error(text), HasSubstr(message)) << text;
    EXPECT_THAT(error(text), HasSubstr(folder_.file("config"))) << text;
    EXPECT_THAT(error(text), Not(HasSubstr("hush")));
  }
  EXPECT_THAT(error(kTwo, "staging"), HasSubstr("no entry \"staging\" in contexts"));
  EXPECT_EQ(load_kubeconfig(folder_.file("missing")).error().code, Code::kNotFound);
}

TEST_F(KubeconfigTest, AnEmptyFileOfTheClusterCaIsRefused) {
  write("empty.pem", "\n");
  EXPECT_THAT(error(one("", "server: \"https://a\", certificate-authority: empty.pem")),
              HasSubstr("empty.pem is empty"));
}

TEST_F(KubeconfigTest, AnExecPluginAsAwsWritesIt) {
  const auto c = load_kubeconfig(write("config", R"(
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
clusters:
- name: c
  cluster:
    server: https://a
    certificate-authority-data: )" + base64_encode("CA PEM") +
                                                     R"(
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: me}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: aws
      args: [--region, us-east-1, eks, get-token, --cluster-name, demo]
      env: [{name: AWS_PROFILE, value: dev}]
      installHint: see the manual
)"));
  ASSERT_TRUE(c) << c.error().message;
  ASSERT_TRUE(c->exec);
  EXPECT_EQ(c->exec->command, "aws");
  EXPECT_THAT(c->exec->args, ElementsAre("--region", "us-east-1", "eks", "get-token", "--cluster-name", "demo"));
  EXPECT_THAT(c->exec->env, ElementsAre(std::pair<std::string, std::string>("AWS_PROFILE", "dev")));
  EXPECT_EQ(c->exec->install_hint, "see the manual");
  EXPECT_EQ(c->exec->where, folder_.file("config") + ": users \"u\": exec");
  EXPECT_EQ(c->exec->info, R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
                           R"("spec":{"interactive":false}})");
}

TEST_F(KubeconfigTest, AnExecPluginGetsTheClusterIfItAsks) {
  const auto c = load_kubeconfig(
      write("config",
            one("exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/get, interactiveMode: IfAvailable, "
                "provideClusterInfo: true}",
                "server: \"https://a/\", certificate-authority-data: YQ==, tls-server-name: api, proxy-url: "
                "\"socks5://p:1\", "
                "disable-compression: true, extensions: [{name: other, extension: 1}, "
                "{name: client.authentication.k8s.io/exec, extension: {audience: me}}]")));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->exec->command, folder_.file("./bin/get"));  // relative to the kubeconfig, as it contains a slash
  EXPECT_EQ(c->exec->info,
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,)"
            R"("cluster":{"server":"https://a/","tls-server-name":"api","certificate-authority-data":"YQ==",)"
            R"("proxy-url":"socks5://p:1","disable-compression":true,"config":{"audience":"me"}}}})");
  EXPECT_EQ(c->proxy_url, "socks5h://p:1");
  EXPECT_FALSE(c->compression);
}

TEST_F(KubeconfigTest, ImpersonationIsRead) {
  const auto c = load_kubeconfig(
      write("config", one("as: me, as-uid: u1, as-groups: [a, b], as-user-extra: {example.com/reason: [x, z]}")));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->impersonate.user, "me");
  EXPECT_EQ(c->impersonate.uid, "u1");
  EXPECT_THAT(c->impersonate.groups, ElementsAre("a", "b"));
  ASSERT_EQ(c->impersonate.extra.size(), 1u);
  EXPECT_EQ(c->impersonate.extra[0].first, "example.com/reason");
  EXPECT_THAT(c->impersonate.extra[0].second, ElementsAre("x", "z"));
}

TEST_F(KubeconfigTest, OnlyTheFileTurnsVerificationOffAndWarns) {
  const auto verified = load_kubeconfig(write("config", one("")));
  EXPECT_FALSE(verified->insecure_skip_verify);
  EXPECT_THAT(verified->warnings, IsEmpty());
  const auto unverified =
      load_kubeconfig(write("config", one("", "server: \"https://a\", insecure-skip-tls-verify: true")));
  EXPECT_TRUE(unverified->insecure_skip_verify);
  EXPECT_THAT(unverified->warnings,
              ElementsAre(HasSubstr("clusters \"c\": insecure-skip-tls-verify: the certificate of https://a is not")));
}

// kubectl merges files in the same way: the first one wins, entry by entry; relative names belong to their own file.
TEST_F(KubeconfigTest, SeveralFilesAreMerged) {
  std::filesystem::create_directories(folder_.file("b"));
  write("b/ca.pem", "CA OF B");
  const std::string a = write("a.yaml", R"(
clusters: [{name: shared, cluster: {server: "https://of-a"}}]
users: [{name: u, user: {token: of-a}}]
)");
  const std::string b = write("b/config", R"(
current-context: of-b
contexts: [{name: of-b, context: {cluster: shared, user: u}}, {name: own, context: {cluster: own, user: u}}]
clusters:
- {name: shared, cluster: {server: "https://of-b"}}
- {name: own, cluster: {server: "https://own", certificate-authority: ca.pem}}
users: [{name: u, user: {token: of-b}}]
)");
  const std::string c = write("c.yaml", "current-context: of-c\n");
  const std::vector<std::string> paths = kubeconfig_paths(folder_.file("missing") + ":" + a + "::" + b + ":" + c);
  EXPECT_THAT(paths, ElementsAre(folder_.file("missing"), a, b, c));
  const auto current = load_kubeconfigs(paths);
  ASSERT_TRUE(current) << current.error().message;
  EXPECT_EQ(current->server, "https://of-a");
  EXPECT_EQ(current->bearer_token, "of-a");
  const auto own = load_kubeconfigs(paths, "own");
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(own->server, "https://own");
  EXPECT_EQ(own->ca.text, "CA OF B");

  EXPECT_THAT(load_kubeconfigs(paths, "of-c").error().message,
              HasSubstr(a + ":" + b + ":" + c + ": no entry \"of-c\" in contexts"));
  write("a.yaml", "a: [");
  EXPECT_THAT(load_kubeconfigs(paths).error().message, HasSubstr("a.yaml: line 2"));
  const auto none = load_kubeconfigs({folder_.file("missing"), folder_.file("gone")});
  EXPECT_EQ(none.error().code, Code::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("missing: No such file or directory; "));
}

TEST_F(KubeconfigTest, OutsideAPodThereIsNoClusterConnection) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(in_cluster_connection().error().code, Code::kNotFound);
}

TEST_F(KubeconfigTest, APodUsesTheFilesOfItsServiceAccount) {
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const std::string folder = folder_.path();
  EXPECT_THAT(in_cluster_connection(folder).error().message, HasSubstr("the service account: " + folder + "/ca.crt"));
  write("ca.crt", "CA PEM");
  EXPECT_THAT(in_cluster_connection(folder).error().message, HasSubstr(folder + "/token"));
  write("token", "secret\n");
  EXPECT_EQ(in_cluster_connection(folder)->ns, "default");
  write("namespace", "karpenter\n");
  const auto c = in_cluster_connection(folder);
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->server, "https://[fd00::1]:443");
  EXPECT_EQ(c->ca.text, "CA PEM");
  EXPECT_EQ(c->ca.file, folder + "/ca.crt");
  EXPECT_EQ(c->token_file, folder + "/token");
  EXPECT_EQ(c->ns, "karpenter");
}

}  // namespace
}  // namespace tenon::kube

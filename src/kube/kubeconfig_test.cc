// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/temp_folder.h"
#include "base/text.h"

namespace tenon::kube {
namespace {

using ::testing::HasSubstr;
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
  EXPECT_EQ(c->ca_pem, "CA PEM");
  EXPECT_EQ(c->bearer_token, "secret");
  EXPECT_EQ(c->ns, "default");
}

TEST_F(KubeconfigTest, ANamedContextWithFilesBesideTheConfig) {
  write("ca.pem", "CA FILE");
  write("cert.pem", "CERT FILE");
  const auto c = load_kubeconfig(write("config", kTwo), "prod");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->ca_pem, "CA FILE");
  EXPECT_EQ(c->client_cert_pem, "CERT FILE");
  EXPECT_EQ(c->client_key_pem, "KEY PEM");
  EXPECT_EQ(c->token_file, folder_.file("token"));
  EXPECT_EQ(c->tls_server_name, "api");
  EXPECT_EQ(c->proxy_url, "http://proxy:3128");
  EXPECT_EQ(c->ns, "karpenter");
}

TEST_F(KubeconfigTest, WhatIsWrongIsNamed) {
  const std::string contexts = "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
  const std::string cluster = "clusters: [{name: c, cluster: {server: \"https://a\"}}]\n";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"a: [", "config: line 2, column 1: "},
      {"- 1", "is not a kubeconfig"},
      {"a: 1", "current-context is not set"},
      {"current-context: dev", "no entry \"dev\" in contexts"},
      {contexts, "no entry \"c\" in clusters"},
      {contexts + cluster, "no entry \"u\" in users"},
      {contexts + "clusters: [{name: c}]", "clusters \"c\": no cluster"},
      {contexts + "clusters: [{name: c, cluster: {server: \"127.0.0.1\"}}]", "clusters \"c\": server: must be an http"},
      {contexts + "clusters: [{name: c, cluster: {server: \"https://a\", certificate-authority-data: \"*\"}}]",
       "clusters \"c\": certificate-authority-data: not base64"},
      {contexts + "clusters: [{name: c, cluster: {server: \"https://a\", certificate-authority: nowhere.pem}}]",
       "nowhere.pem: No such file or directory"},
      {contexts + cluster + "users: [{name: u, user: {exec: {command: aws}}}]",
       "users \"u\": exec: credential plugins"},
      {contexts + cluster + "users: [{name: u, user: {username: a, password: hush}}]", "users \"u\": username: basic"},
      {contexts + cluster + "users: [{name: u, user: {client-certificate-data: YQ==}}]", "must both be given"},
  };
  for (const auto& [text, message] : table) {
    EXPECT_THAT(error(text), HasSubstr(message)) << text;
    EXPECT_THAT(error(text), Not(HasSubstr("hush")));
  }
  EXPECT_THAT(error(kTwo, "staging"), HasSubstr("no entry \"staging\" in contexts"));
  EXPECT_EQ(load_kubeconfig(folder_.file("missing")).error().code, Code::kNotFound);
}

TEST_F(KubeconfigTest, OutsideAPodThereIsNoClusterConnection) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(in_cluster_connection().error().code, Code::kNotFound);
}

}  // namespace
}  // namespace tenon::kube

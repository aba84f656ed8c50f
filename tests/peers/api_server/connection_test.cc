// Authentication: the real server's certificate, bearer tokens, token files, client certificates, exec plugins,
// impersonation, and the answer to an unknown user.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "api_server/real_api.h"
#include "base/testing/temp_folder.h"
#include "json/json.h"
#include "kube/access/access.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

using ::testing::HasSubstr;

class Connection : public RealApiTest {
 protected:
  // Returns the connection of the administrator, for the caller to change.
  kube::Connection connection() const { return connection_; }
  kube::Connection stranger() const {
    kube::Connection out = connection_;
    out.bearer_token.clear();
    return out;
  }
  Result<kube::ListPage> list_pods(const kube::Connection& connection) const {
    const auto transport = kube::make_access_transport(*runtime_, connection);
    const auto client = kube::make_client(*runtime_, *transport, {.server = connection.server});
    return client->list(kube::kPods, {.ns = ns_}, stop_);
  }
  const TempFolder files_;
};

TEST_F(Connection, TheCaOfTheKubeconfigIsTheOnlyOneTrusted) {
  EXPECT_TRUE(list_pods(connection()));
  kube::Connection other = connection();
  other.ca = {};
  const auto untrusted = list_pods(other);
  ASSERT_FALSE(untrusted);
  EXPECT_EQ(untrusted.error().code, Code::kUnavailable);
  EXPECT_THAT(untrusted.error().message, HasSubstr("certificate"));
  other.insecure_skip_verify = true;
  EXPECT_TRUE(list_pods(other));
}

TEST_F(Connection, TheCertificateMustBeForTheHost) {
  kube::Connection by_name = connection();
  by_name.server.replace(by_name.server.find("127.0.0.1"), 9, "localhost");
  const auto wrong = list_pods(by_name);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::kUnavailable) << wrong.error().message;
}

TEST_F(Connection, ATokenFileServesAsWellAsAToken) {
  kube::Connection by_file = stranger();
  by_file.token_file = files_.write("token", connection_.bearer_token + "\n");
  EXPECT_TRUE(list_pods(by_file));
}

TEST_F(Connection, AClientCertificateOfAKubeconfigIsAnIdentity) {
  const auto with_certificate = kube::load_kubeconfig(folder_ + "/kubeconfig", "by-certificate");
  ASSERT_TRUE(with_certificate) << with_certificate.error().message;
  EXPECT_EQ(with_certificate->bearer_token, "");
  const auto listed = list_pods(*with_certificate);
  EXPECT_TRUE(listed) << listed.error().message;
}

TEST_F(Connection, AnExecPluginIsAnIdentity) {
  kube::Connection by_plugin = stranger();
  by_plugin.exec = kube::ExecPlugin{
      .command = "sh",
      .args = {"-c", "cat " + files_.write("credential",
                                           R"({"kind":"ExecCredential",)"
                                           R"("apiVersion":"client.authentication.k8s.io/v1","status":{"token":")" +
                                               connection_.bearer_token + "\"}}")},
      .env = {},
      .api_version = std::string(kube::kExecV1),
      .info = "{}",
      .install_hint = {},
      .where = "exec"};
  const auto listed = list_pods(by_plugin);
  EXPECT_TRUE(listed) << listed.error().message;
}

TEST_F(Connection, AnImpersonatedUserHasItsOwnRights) {
  kube::Connection as_nobody = connection();
  as_nobody.impersonate.user = "nobody";
  as_nobody.impersonate.extra = {{"example.com/reason", {"a test"}}};
  const auto refused = list_pods(as_nobody);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
  EXPECT_THAT(refused.error().message, HasSubstr("User \"nobody\" cannot list resource \"pods\""));
  as_nobody.impersonate.groups = {"system:masters"};
  EXPECT_TRUE(list_pods(as_nobody));
}

TEST_F(Connection, StrangersAndThoseWithoutRightsAreForbidden) {
  for (const std::string& token : {std::string(), std::string("wrong")}) {
    kube::Connection unknown = stranger();
    unknown.bearer_token = token;
    const auto refused = list_pods(unknown);
    ASSERT_FALSE(refused) << token;
    EXPECT_EQ(refused.error().code, Code::kForbidden);
  }
  const auto visitor = kube::load_kubeconfig(folder_ + "/kubeconfig", "visitor");
  ASSERT_TRUE(visitor) << visitor.error().message;
  const auto refused = list_pods(*visitor);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot list resource \"pods\""));
}

TEST_F(Connection, NobodyHome) {
  kube::Connection elsewhere = connection();
  elsewhere.server = "https://127.0.0.1:1";
  const auto nobody = list_pods(elsewhere);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace tenon::peers

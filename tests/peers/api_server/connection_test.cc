// Authentication: the real server's certificate, bearer tokens, token files, client certificates, and the answer to an
// unknown user.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "api_server/real_api.h"
#include "base/testing/temp_folder.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

using ::testing::HasSubstr;

class Connection : public RealApiTest {
 protected:
  struct Identity {
    std::string token = {}, token_file = {}, cert = {}, key = {};
  };
  Result<kube::ListPage> list_pods(const Identity& who, http::TlsClientOptions tls, std::string server = {}) const {
    tls.client_cert_pem = who.cert;
    tls.client_key_pem = who.key;
    const auto transport = http::make_curl_transport(std::move(tls));
    const auto client = kube::make_client(*runtime_, *transport,
                                          {.server = server.empty() ? connection_.server : std::move(server),
                                           .bearer_token = who.token,
                                           .token_file = who.token_file});
    return client->list(kube::kPods, {.ns = ns_}, stop_);
  }
  Identity admin() const { return {.token = connection_.bearer_token}; }
  const TempFolder files_;
};

TEST_F(Connection, TheCaOfTheKubeconfigIsTheOnlyOneTrusted) {
  EXPECT_TRUE(list_pods(admin(), {.ca_pem = connection_.ca_pem}));
  const auto stranger = list_pods(admin(), {});
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().code, Code::kUnavailable);
  EXPECT_THAT(stranger.error().message, HasSubstr("certificate"));
  EXPECT_TRUE(list_pods(admin(), {.insecure_skip_verify = true}));
}

TEST_F(Connection, TheCertificateMustBeForTheHost) {
  std::string by_name = connection_.server;
  by_name.replace(by_name.find("127.0.0.1"), 9, "localhost");
  const auto wrong = list_pods(admin(), {.ca_pem = connection_.ca_pem}, by_name);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::kUnavailable) << wrong.error().message;
}

TEST_F(Connection, ATokenFileServesAsWellAsAToken) {
  const std::string file = files_.write("token", connection_.bearer_token + "\n");
  EXPECT_TRUE(list_pods({.token_file = file}, {.ca_pem = connection_.ca_pem}));
}

TEST_F(Connection, AClientCertificateOfAKubeconfigIsAnIdentity) {
  const auto with_certificate = kube::load_kubeconfig(folder_ + "/kubeconfig", "by-certificate");
  ASSERT_TRUE(with_certificate) << with_certificate.error().message;
  EXPECT_EQ(with_certificate->bearer_token, "");
  const Identity who{.cert = with_certificate->client_cert_pem, .key = with_certificate->client_key_pem};
  const auto listed = list_pods(who, {.ca_pem = with_certificate->ca_pem});
  EXPECT_TRUE(listed) << listed.error().message;
}

TEST_F(Connection, StrangersAndThoseWithoutRightsAreForbidden) {
  for (const std::string& token : {std::string(), std::string("wrong")}) {
    const auto refused = list_pods({.token = token}, {.ca_pem = connection_.ca_pem});
    ASSERT_FALSE(refused) << token;
    EXPECT_EQ(refused.error().code, Code::kForbidden);
  }
  const auto visitor = kube::load_kubeconfig(folder_ + "/kubeconfig", "visitor");
  ASSERT_TRUE(visitor) << visitor.error().message;
  const auto refused = list_pods({.token = visitor->bearer_token}, {.ca_pem = connection_.ca_pem});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot list resource \"pods\""));
}

TEST_F(Connection, NobodyHome) {
  const auto nobody = list_pods(admin(), {.ca_pem = connection_.ca_pem}, "https://127.0.0.1:1");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace tenon::peers

// Reads a kubeconfig file and asks an https server that verifies client certificates, with a real plugin and proxy.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "base/testing/temp_folder.h"
#include "base/text.h"
#include "http/certificate.h"
#include "http/server.h"
#include "http/testing/gzip.h"
#include "http/testing/tunnel_proxy.h"
#include "json/json.h"
#include "kube/access/access.h"
#include "kube/client.h"
#include "kube/resource_types.h"
#include "runtime/live.h"

namespace tenon::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Lists one pod, which is named after the user. Compresses what it sends.
class Api : public http::Handler {
 public:
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token&) override {
    const std::lock_guard lock(mutex);
    std::string user = request.client_common_name;
    const std::string_view authorization = request.headers.get("Authorization");
    if (authorization.starts_with("Bearer ")) user = authorization.substr(7);
    users.push_back(user);
    if (rejected == user) return writer.respond({.status = 401, .body = "Unauthorized"});
    const std::string body =
        R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":")" + user + R"("}}]})";
    if (request.headers.get("Accept-Encoding") != "gzip") return writer.respond({.status = 200, .body = body});
    writer.respond({.status = 200, .headers = {{"Content-Encoding", "gzip"}}, .body = http::testing::gzip(body)});
  }
  std::mutex mutex;
  std::vector<std::string> users;
  std::string rejected;
};

class LiveAccessTest : public ::testing::Test {
 protected:
  std::unique_ptr<http::Server> start() {
    const http::KeyPair pair = *authority_->issue_server({"api.test"});
    http::ServerOptions options;
    options.tls = std::make_unique<http::TlsServerOptions>(
        http::TlsServerOptions{pair.cert_pem, pair.key_pem, authority_->ca_pem()});
    return std::move(*http::start_server(api_, std::move(options)));
  }
  // Returns a user with a plugin that prints this status and counts its runs.
  std::string plugin(const std::string& status) const {
    folder_.write("answer", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" +
                                status + "}}");
    return script("cd " + folder_.path() + "\necho run >>runs\ncat answer\n");
  }
  std::string script(const std::string& lines) const {
    folder_.write("plugin", "#!/bin/sh\n" + lines);
    std::filesystem::permissions(folder_.file("plugin"), std::filesystem::perms::owner_all);
    return "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}";
  }
  Result<std::string> first_pod(const std::string& user, const std::string& more_of_cluster = "") {
    const std::string path = folder_.write(
        "config",
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, "
        "cluster: {server: \"https://127.0.0.1:" +
            std::to_string(server_->port()) + "\", tls-server-name: api.test, certificate-authority-data: " +
            base64_encode(authority_->ca_pem()) + more_of_cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n");
    const Connection connection = TRY(load_kubeconfig(path));
    transport_ = make_access_transport(*runtime_, connection);
    client_ = make_client(*runtime_, *transport_, {.server = connection.server});
    return ask();
  }
  Result<std::string> ask() {
    const ListPage pods = TRY(client_->list(kPods, {}, {}));
    return std::string(json::string_at(pods.items.at(0), {"metadata", "name"}));
  }

  const TempFolder folder_;
  const std::unique_ptr<runtime::Runtime> runtime_ = runtime::make_live_runtime();
  const std::unique_ptr<http::CertificateAuthority> authority_ =
      std::move(*http::make_certificate_authority(24h, runtime_->now()));
  Api api_;
  const std::unique_ptr<http::Server> server_ = start();
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Client> client_;
};

std::string json_text(const std::string& text) { return json::to_string(json::value(text)); }

TEST_F(LiveAccessTest, ATokenOfAPluginIsTheIdentity) {
  const auto first = first_pod(plugin(R"("token":"token-1")"));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first, "token-1");
  EXPECT_EQ(*ask(), "token-1");
  EXPECT_EQ(*read_text_file(folder_.file("runs")), "run\n");
}

TEST_F(LiveAccessTest, ATokenFileIsReadAgainWhenTheServerRejectsTheToken) {
  folder_.write("token", "old");
  EXPECT_EQ(first_pod("tokenFile: token").value_or("none"), "old");
  api_.rejected = "old";
  folder_.write("token", "new");
  EXPECT_EQ(ask().value_or("none"), "new");
  EXPECT_THAT(api_.users, ElementsAre("old", "old", "new"));
}

TEST_F(LiveAccessTest, ACertificateOfAPluginIsTheIdentity) {
  const http::KeyPair pair = *authority_->issue_client("alice", {"ops"});
  const auto pod = first_pod(plugin(R"("clientCertificateData":)" + json_text(pair.cert_pem) + R"(,"clientKeyData":)" +
                                    json_text(pair.key_pem)));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(*pod, "alice");
}

TEST_F(LiveAccessTest, ACertificateOfTheFileIsTheIdentity) {
  const http::KeyPair pair = *authority_->issue_client("bob", {});
  folder_.write("bob.crt", pair.cert_pem);
  const auto pod = first_pod("client-certificate: bob.crt, client-key-data: " + base64_encode(pair.key_pem));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(*pod, "bob");
}

TEST_F(LiveAccessTest, APluginThatFailsIsNamedWithoutItsSecrets) {
  const auto failed = first_pod(script("echo secret-output\necho 'no session: log in' >&2\nexit 7\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kForbidden);
  EXPECT_THAT(failed.error().message, HasSubstr(folder_.file("config") + ": users \"u\": exec: "));
  EXPECT_THAT(failed.error().message, HasSubstr("exit status 7: no session: log in"));
  EXPECT_THAT(failed.error().message, Not(HasSubstr("secret-output")));
}

TEST_F(LiveAccessTest, TheProxyOfTheClusterLeadsToTheServer) {
  const http::testing::TunnelProxy proxy(server_->port());
  const auto pod = first_pod("token: me", ", proxy-url: \"" + proxy.url() + "\"");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(*pod, "me");
  EXPECT_THAT(proxy.requests(), ElementsAre("CONNECT 127.0.0.1:" + std::to_string(server_->port()) + " HTTP/1.1"));
}

}  // namespace
}  // namespace tenon::kube

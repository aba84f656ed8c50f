// Compression and proxies. server_test.cc tests the transport together with the server.
// SPDX-License-Identifier: Apache-2.0
#include "http/curl_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "http/certificate.h"
#include "http/limits.h"
#include "http/server.h"
#include "http/testing/gzip.h"
#include "http/testing/tunnel_proxy.h"
#include "runtime/live.h"

namespace tenon::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Answers with one body, compressed if the request accepts that or `always_compressed`.
class Compressing : public Handler {
 public:
  void serve(const ServerRequest& request, ResponseWriter& writer, const std::stop_token&) override {
    accepts = std::string(request.headers.get("Accept-Encoding"));
    if (compressed.empty() || (accepts != "gzip" && !always_compressed)) {
      return writer.respond({.status = 200, .body = plain});
    }
    writer.respond({.status = 200, .headers = {{"Content-Encoding", "gzip"}}, .body = compressed});
  }
  std::string plain = "plain", compressed, accepts;
  bool always_compressed = false;
};

class CompressionTest : public ::testing::Test {
 protected:
  Result<Response> get(bool gzip) {
    Request request{.url = "http://127.0.0.1:" + std::to_string(server_->port()) + "/"};
    if (gzip) request.headers.set("Accept-Encoding", "gzip");
    return client_->send(request, {});
  }
  Compressing handler_;
  const std::unique_ptr<Server> server_ = std::move(*start_server(handler_, {}));
  const std::unique_ptr<Transport> client_ = make_curl_transport();
};

TEST_F(CompressionTest, ACompressedAnswerArrivesDecompressed) {
  const std::string text = "a long list, " + std::string(1'000'000, 'x');
  handler_.compressed = testing::gzip(text);
  const auto answer = get(true);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, text);
  EXPECT_EQ(handler_.accepts, "gzip");
  // The same connection, without: nothing of the earlier request remains.
  EXPECT_EQ(get(false)->body, "plain");
  EXPECT_EQ(handler_.accepts, "");
}

TEST_F(CompressionTest, AnAnswerThatExpandsWithoutEndIsRejected) {
  handler_.compressed = testing::gzip(std::string(kMaxDecodedBodyBytes + 1, '\0'));
  ASSERT_LT(handler_.compressed.size(), size_t{4} << 20);
  const auto bomb = get(true);
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().code, Code::kUnavailable);
  EXPECT_THAT(bomb.error().message, HasSubstr("the answer is too large: its decompressed body"));
}

TEST_F(CompressionTest, ADamagedAnswerIsAnError) {
  handler_.compressed = testing::gzip(std::string(100'000, 'x'));
  handler_.compressed.replace(handler_.compressed.size() / 2, 8, "damaged!");
  const auto damaged = get(true);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Code::kUnavailable);
  handler_.compressed = "not gzip at all";
  EXPECT_FALSE(get(true));
  // A body that was not asked for is not decompressed.
  handler_.always_compressed = true;
  EXPECT_EQ(get(false)->body, "not gzip at all");
}

// Sets variables of the proxy for the life of the object.
class ProxyVariables {
 public:
  explicit ProxyVariables(const std::string& https_proxy, const std::string& no_proxy = "") {
    for (const char* name : {"https_proxy", "no_proxy", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
    ::setenv("HTTPS_PROXY", https_proxy.c_str(), 1);
    if (!no_proxy.empty()) ::setenv("NO_PROXY", no_proxy.c_str(), 1);
  }
  ProxyVariables(const ProxyVariables&) = delete;
  ProxyVariables& operator=(const ProxyVariables&) = delete;
  ~ProxyVariables() {
    ::unsetenv("HTTPS_PROXY");
    ::unsetenv("NO_PROXY");
  }
};

// An https server named api.localhost, at a port of which only the proxy knows: the URLs have port 1, which is closed.
class ProxyTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start() {
    const KeyPair pair = *authority_->issue_server({"api.localhost"});
    ServerOptions options;
    options.tls = std::make_unique<TlsServerOptions>(TlsServerOptions{pair.cert_pem, pair.key_pem, ""});
    return std::move(*start_server(handler_, std::move(options)));
  }
  Result<Response> get(TlsClientOptions options, const std::string& host = "api.localhost") {
    options.ca_pem = authority_->ca_pem();
    return make_curl_transport(std::move(options))->send({.url = "https://" + host + ":1/", .timeout = 10s}, {});
  }
  const std::unique_ptr<runtime::Runtime> runtime_ = runtime::make_live_runtime();
  const std::unique_ptr<CertificateAuthority> authority_ = std::move(*make_certificate_authority(24h, runtime_->now()));
  Compressing handler_;
  const std::unique_ptr<Server> server_ = start();
  const testing::TunnelProxy proxy_{server_->port()};
};

TEST_F(ProxyTest, HttpsGoesThroughTheProxyOfTheEnvironment) {
  const ProxyVariables variables(proxy_.url());
  const auto answer = get({});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "plain");
  EXPECT_THAT(proxy_.requests(), ElementsAre("CONNECT api.localhost:1 HTTP/1.1"));
}

TEST_F(ProxyTest, NoProxyNamesHostsThatAreReachedDirectly) {
  for (const char* hosts : {"api.localhost", "other, .localhost", "*"}) {
    const ProxyVariables variables(proxy_.url(), hosts);
    const auto answer = get({});
    ASSERT_FALSE(answer) << hosts;
    EXPECT_THAT(answer.error().message, HasSubstr("cannot connect")) << hosts;
  }
  EXPECT_THAT(proxy_.requests(), IsEmpty());
}

TEST_F(ProxyTest, AConfiguredProxyIsUsedForEveryHost) {
  const ProxyVariables variables("http://127.0.0.1:1", "api.localhost,127.0.0.1");
  const auto answer = get({.proxy_url = proxy_.url()});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(proxy_.requests(), ElementsAre("CONNECT api.localhost:1 HTTP/1.1"));
}

TEST_F(ProxyTest, AnotherServerNameIsVerifiedThroughTheProxy) {
  const auto wrong = get({.proxy_url = proxy_.url()}, "10.0.0.1");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("certificate is for another name"));
  const auto answer = get({.server_name = "api.localhost", .proxy_url = proxy_.url()}, "10.0.0.1");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(proxy_.requests().back(), "CONNECT 10.0.0.1:1 HTTP/1.1");
}

}  // namespace
}  // namespace tenon::http

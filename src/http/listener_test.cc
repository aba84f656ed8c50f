// SPDX-License-Identifier: Apache-2.0
#include "http/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "http/curl_transport.h"
#include "http/server.h"

namespace tenon::http {
namespace {

using testing::HasSubstr;

class Hello : public Handler {
 public:
  void serve(const ServerRequest&, ResponseWriter& writer, const std::stop_token&) override {
    writer.respond({200, {}, "hello"});
  }
};

bool has_ipv6() {
  const Descriptor probe(::socket(AF_INET6, SOCK_STREAM, 0));
  return probe.get() >= 0;
}

TEST(Listener, AServerOfEveryAddressAnswersOverBothFamilies) {
  Hello hello;
  ServerOptions options;
  options.address = "";
  const auto server = start_server(hello, std::move(options));
  ASSERT_TRUE(server) << server.error().message;
  const auto transport = make_curl_transport();
  std::vector<std::string> hosts = {"127.0.0.1"};
  if (has_ipv6()) hosts.emplace_back("[::1]");
  for (const std::string& host : hosts) {
    Request request;
    request.url = "http://" + host + ":" + std::to_string((*server)->port()) + "/";
    const auto answer = transport->send(request, {});
    ASSERT_TRUE(answer) << host << ": " << answer.error().message;
    EXPECT_EQ(answer->body, "hello");
  }
}

// A kernel that was started with ipv6.disable=1, and a sandbox that has the family without an address.
TEST(Listener, WithoutIpv6ItListensOnIpv4) {
  for (const int error : {EAFNOSUPPORT, EADDRNOTAVAIL}) {
    int refused = 0;
    const auto listener = listen_on("", 0, [&](int family, int type, int protocol) {
      if (family != AF_INET6) return ::socket(family, type, protocol);
      ++refused;
      errno = error;
      return -1;
    });
    ASSERT_TRUE(listener) << listener.error().message;
    EXPECT_EQ(refused, 1);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ASSERT_EQ(getsockname(listener->socket.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
    EXPECT_EQ(bound.ss_family, AF_INET);
    EXPECT_NE(listener->port, 0);
  }
}

TEST(Listener, OtherFaultsAreToldAndNotWorkedAround) {
  const auto first = listen_on("", 0);
  ASSERT_TRUE(first);
  const auto second = listen_on("", first->port);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(first->port) + ": the port is taken"));
  const auto wrong = listen_on("localhost", 0);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "address: not an IP address: 'localhost'");
}

}  // namespace
}  // namespace tenon::http

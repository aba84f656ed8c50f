// Runs in virtual time, with a scripted server and plugin. access_live_test.cc has real ones.
// SPDX-License-Identifier: Apache-2.0
#include "kube/access/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "base/testing/temp_folder.h"
#include "base/text.h"
#include "json/json.h"
#include "kube/client.h"
#include "kube/limits.h"
#include "kube/resource_types.h"
#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The state that the transports of one test share: the requests, and the token that is accepted.
struct Server {
  std::string accepted;  // the token that is accepted; empty: every request
  std::vector<http::Request> requests;
  std::vector<http::TlsClientOptions> connections;  // options of each transport that was made

  http::Response answer(const http::Request& request) {
    requests.push_back(request);
    const bool in = accepted.empty() || request.headers.get("Authorization") == "Bearer " + accepted;
    return in ? http::Response{200, {}, R"({"gitVersion":"v1.34.0"})"} : http::Response{401, {}, "Unauthorized"};
  }
  std::vector<std::string> tokens() const {
    std::vector<std::string> all;
    for (const http::Request& request : requests) {
      all.emplace_back(cut(request.headers.get("Authorization"), ' ').second);
    }
    return all;
  }
};

class ScriptedTransport : public http::Transport {
 public:
  explicit ScriptedTransport(Server& server) : server_(server) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token&) override {
    return server_.answer(request);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token&) override {
    const http::Response response = server_.answer(request);
    (void)(sink.on_head(response.status, response.headers) && sink.on_data(response.body));
    return ok();
  }

 private:
  Server& server_;
};

class AccessTest : public ::testing::Test {
 protected:
  // Prints a token with the number of the run, or a certificate; takes a second.
  Result<std::string> plugin(const std::stop_token& stop) {
    ++runs_;
    if (sim_->sleep_for(1s, stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "stopped");
    if (!plugin_fails_.empty()) return fail(Code::kForbidden, plugin_fails_);
    const std::string number = same_token_ ? "0" : std::to_string(runs_);
    const std::string expires =
        life_ == Duration::zero() ? "" : R"(,"expirationTimestamp":")" + format_rfc3339(sim_->now() + life_) + "\"";
    const std::string what = prints_certificate_
                                 ? R"("clientCertificateData":"CERT )" + number + R"(","clientKeyData":"KEY )" + number
                                 : R"("token":"token-)" + number;
    return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" + what + "\"" +
           expires + "}}";
  }
  Connection with_plugin() const {
    Connection connection{.server = "https://api"};
    connection.exec = ExecPlugin{.command = "get",
                                 .args = {},
                                 .env = {},
                                 .api_version = std::string(kExecV1),
                                 .info = "{}",
                                 .install_hint = {},
                                 .where = "exec"};
    return connection;
  }
  void open(Connection connection) {
    AccessParts parts;
    parts.make_transport = [this](http::TlsClientOptions options) {
      server_.connections.push_back(std::move(options));
      return std::make_unique<ScriptedTransport>(server_);
    };
    parts.run = [this](const runtime::Program&, Duration, const std::stop_token& stop) { return plugin(stop); };
    transport_ = make_access_transport(*sim_, std::move(connection), std::move(parts));
    client_ = make_client(*sim_, *transport_, {.server = "https://api"});
  }
  void run(const std::function<void(const std::stop_token&)>& body) {
    const auto task = sim_->spawn("test", body);
    sim_->run_for(24h);
    task->join();
  }

  const std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  Server server_;
  int runs_ = 0;
  Duration life_{};  // of the plugin's credentials; zero: for ever
  bool same_token_ = false, prints_certificate_ = false;
  std::string plugin_fails_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Client> client_;
};

TEST_F(AccessTest, ATokenFileIsReadAgain) {
  const TempFolder folder;
  const std::string path = folder.write("token", "first\n");
  open({.server = "https://api", .bearer_token = "", .token_file = path});
  run([&](const std::stop_token& stop) {
    const auto used = [&] {
      EXPECT_TRUE(client_->server_version(stop));
      return server_.tokens().back();
    };
    EXPECT_EQ(used(), "first");
    folder.write("token", "second\n");
    EXPECT_EQ(used(), "first");
    sim_->sleep_for(61s, stop);
    EXPECT_EQ(used(), "second");
    EXPECT_EQ(std::remove(path.c_str()), 0);
    sim_->sleep_for(61s, stop);
    EXPECT_EQ(used(), "second");
    folder.write("token", "third");
    sim_->sleep_for(6s, stop);  // after a failure sooner
    EXPECT_EQ(used(), "third");
    folder.write("token", "");
    sim_->sleep_for(61s, stop);
    EXPECT_EQ(used(), "third");
  });
  EXPECT_EQ(server_.connections.size(), 1u);  // another token needs no other connection
}

TEST_F(AccessTest, ATokenIsUsedUntilItsFileIsReadable) {
  const TempFolder folder;
  open({.server = "https://api", .bearer_token = "inline", .token_file = folder.file("token")});
  run([&](const std::stop_token& stop) {
    ASSERT_TRUE(client_->server_version(stop));
    folder.write("token", "from file");
    sim_->sleep_for(6s, stop);
    ASSERT_TRUE(client_->server_version(stop));
    EXPECT_THAT(server_.tokens(), ElementsAre("inline", "from file"));
  });
}

TEST_F(AccessTest, WithoutAnyTokenTheFileIsNamed) {
  open({.server = "https://api", .bearer_token = "", .token_file = "/nonexistent/token"});
  run([&](const std::stop_token& stop) {
    const auto none = client_->server_version(stop);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Code::kForbidden);
    EXPECT_THAT(none.error().message, HasSubstr("no token can be read: /nonexistent/token: No such file"));
  });
  EXPECT_THAT(server_.requests, IsEmpty());
}

TEST_F(AccessTest, ARejectedTokenIsReadAgainAtOnce) {
  const TempFolder folder;
  open({.server = "https://api", .bearer_token = "", .token_file = folder.write("token", "old")});
  run([&](const std::stop_token& stop) {
    server_.accepted = "old";
    ASSERT_TRUE(client_->server_version(stop));
    folder.write("token", "new");
    server_.accepted = "new";
    EXPECT_TRUE(client_->server_version(stop));
    EXPECT_THAT(server_.tokens(), ElementsAre("old", "old", "new"));
    server_.accepted = "another";  // and the file still has "new": no second attempt
    EXPECT_EQ(client_->server_version(stop).error().code, Code::kForbidden);
    EXPECT_THAT(server_.tokens(), ElementsAre("old", "old", "new", "new"));
  });
}

TEST_F(AccessTest, ACertificateOrCaThatRotatesMakesAnotherConnection) {
  const TempFolder folder;
  Connection connection{.server = "https://api"};
  connection.ca = {"CA 1", folder.write("ca", "CA 1")};
  connection.client_cert = {"CERT 1", folder.write("cert", "CERT 1")};
  connection.client_key = {"KEY 1", folder.write("key", "KEY 1")};
  connection.tls_server_name = "name";
  connection.proxy_url = "http://proxy";
  open(connection);
  run([&](const std::stop_token& stop) {
    const auto ask = [&] { EXPECT_TRUE(client_->server_version(stop)); };
    ask();
    sim_->sleep_for(61s, stop);
    ask();
    ASSERT_EQ(server_.connections.size(), 1u);
    EXPECT_EQ(server_.connections[0].server_name, "name");
    EXPECT_EQ(server_.connections[0].proxy_url, "http://proxy");
    EXPECT_FALSE(server_.connections[0].insecure_skip_verify);
    folder.write("cert", "CERT 2");
    folder.write("key", "KEY 2");
    folder.write("ca", "");  // caught in the middle of its writing
    sim_->sleep_for(61s, stop);
    ask();
    ASSERT_EQ(server_.connections.size(), 2u);
    EXPECT_EQ(server_.connections[1].client_cert_pem, "CERT 2");
    EXPECT_EQ(server_.connections[1].client_key_pem, "KEY 2");
    EXPECT_EQ(server_.connections[1].ca_pem, "CA 1");
    folder.write("ca", "CA 2");
    sim_->sleep_for(61s, stop);
    ask();
    ASSERT_EQ(server_.connections.size(), 3u);
    EXPECT_EQ(server_.connections[2].ca_pem, "CA 2");
  });
}

TEST_F(AccessTest, APluginRunsOnceAndAgainBeforeItsTokenExpires) {
  life_ = 15min;
  open(with_plugin());
  run([&](const std::stop_token& stop) {
    const auto used = [&] {
      EXPECT_TRUE(client_->server_version(stop));
      return server_.tokens().back();
    };
    EXPECT_EQ(used(), "token-1");
    sim_->sleep_for(13min, stop);
    EXPECT_EQ(used(), "token-1");
    sim_->sleep_for(61s, stop);  // less than a minute is left
    const Instant asked = sim_->now();
    EXPECT_EQ(used(), "token-1");
    EXPECT_EQ(sim_->now(), asked);  // does not wait for the plugin
    sim_->sleep_for(2s, stop);
    EXPECT_EQ(used(), "token-2");
    plugin_fails_ = "no network";
    sim_->sleep_for(14min + 1s, stop);
    EXPECT_EQ(used(), "token-2");
    sim_->sleep_for(10s, stop);
    EXPECT_EQ(used(), "token-2");  // still valid
    sim_->sleep_for(1min, stop);
    const auto expired = client_->server_version(stop);
    ASSERT_FALSE(expired);
    EXPECT_EQ(expired.error().code, Code::kForbidden);
    EXPECT_THAT(expired.error().message, HasSubstr("exec: no network"));
    plugin_fails_.clear();
    sim_->sleep_for(6s, stop);
    EXPECT_THAT(used(), HasSubstr("token-"));
  });
}

TEST_F(AccessTest, ConcurrentRequestsShareOneRunAndOneFailure) {
  life_ = 15min;
  open(with_plugin());
  std::vector<std::unique_ptr<runtime::Task>> tasks;
  int good = 0, bad = 0;
  const auto ask_all = [&] {
    for (int i = 0; i < 20; ++i) {
      tasks.push_back(sim_->spawn("ask" + std::to_string(i), [&](const std::stop_token& stop) {
        ++(client_->server_version(stop) ? good : bad);
      }));
    }
    sim_->run_for(10s);
    tasks.clear();
  };
  plugin_fails_ = "no network";
  ask_all();
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(bad, 20);
  plugin_fails_.clear();
  ask_all();
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(good, 20);
}

TEST_F(AccessTest, ACallerThatStopsDoesNotFailTheOthers) {
  open(with_plugin());
  Result<std::string> first = fail(Code::kInternal, ""), second = fail(Code::kInternal, "");
  const auto a = sim_->spawn("a", [&](const std::stop_token& stop) { first = client_->server_version(stop); });
  sim_->run_for(500ms);
  const auto b = sim_->spawn("b", [&](const std::stop_token& stop) { second = client_->server_version(stop); });
  a->request_stop();
  sim_->run_for(10s);
  EXPECT_EQ(first.error().code, Code::kCancelled);
  EXPECT_TRUE(second) << second.error().message;
}

TEST_F(AccessTest, ARejectedPluginTokenIsRenewedOnce) {
  open(with_plugin());
  server_.accepted = "token-1";
  run([&](const std::stop_token& stop) {
    ASSERT_TRUE(client_->server_version(stop));
    sim_->sleep_for(1h, stop);
    server_.accepted = "token-2";
    EXPECT_TRUE(client_->server_version(stop));
    EXPECT_THAT(server_.tokens(), ElementsAre("token-1", "token-1", "token-2"));
    // New credentials that are rejected as well: the plugin does not run for each request.
    server_.accepted = "another";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(client_->server_version(stop).error().code, Code::kForbidden);
    EXPECT_EQ(runs_, 2);
    sim_->sleep_for(11s, stop);
    EXPECT_EQ(client_->server_version(stop).error().code, Code::kForbidden);
    EXPECT_EQ(runs_, 3);
    EXPECT_EQ(server_.tokens().back(), "token-3");
  });
}

TEST_F(AccessTest, TheSameTokenIsNotTriedTwice) {
  same_token_ = true;
  open(with_plugin());
  server_.accepted = "another";
  run([&](const std::stop_token& stop) {
    EXPECT_FALSE(client_->server_version(stop));
    sim_->sleep_for(1h, stop);
    EXPECT_FALSE(client_->server_version(stop));
  });
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(AccessTest, ARejectedWatchRenewsForTheNextOne) {
  open(with_plugin());
  server_.accepted = "token-2";
  run([&](const std::stop_token& stop) {
    const auto watch = [&] {
      return client_->watch(kPods, {}, "1", [](std::string_view, boost::json::value) { return false; }, stop);
    };
    EXPECT_EQ(watch().error().code, Code::kForbidden);
    sim_->sleep_for(11s, stop);
    EXPECT_EQ(watch().error().code, Code::kForbidden);
    EXPECT_TRUE(watch());
  });
  EXPECT_THAT(server_.tokens(), ElementsAre("token-1", "token-1", "token-2"));
}

TEST_F(AccessTest, AnExpiredAnswerDoesNotRunThePluginForEachRequest) {
  life_ = -1h;
  open(with_plugin());
  run([&](const std::stop_token& stop) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(client_->server_version(stop));
    EXPECT_EQ(runs_, 1);
    sim_->sleep_for(6s, stop);
    EXPECT_TRUE(client_->server_version(stop));
    EXPECT_EQ(runs_, 2);
  });
}

TEST_F(AccessTest, ACertificateOfAPluginMakesAnotherConnection) {
  life_ = 15min;
  prints_certificate_ = true;
  open(with_plugin());
  run([&](const std::stop_token& stop) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(client_->server_version(stop));
    sim_->sleep_for(1h, stop);
    EXPECT_TRUE(client_->server_version(stop));
  });
  EXPECT_EQ(runs_, 2);
  ASSERT_EQ(server_.connections.size(), 2u);
  EXPECT_EQ(server_.connections[0].client_cert_pem, "CERT 1");
  EXPECT_EQ(server_.connections[1].client_cert_pem, "CERT 2");
  EXPECT_EQ(server_.connections[1].client_key_pem, "KEY 2");
  EXPECT_FALSE(server_.requests[0].headers.has("Authorization"));
}

TEST_F(AccessTest, RotatingFilesDoNotRunThePlugin) {
  const TempFolder folder;
  Connection connection = with_plugin();
  connection.ca = {"CA", folder.write("ca", "CA")};
  open(connection);
  run([&](const std::stop_token& stop) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(client_->server_version(stop));
      sim_->sleep_for(61s, stop);
    }
  });
  EXPECT_EQ(runs_, 1);
}

TEST_F(AccessTest, ATokenTakesPrecedenceOverThePlugin) {
  Connection connection = with_plugin();
  connection.bearer_token = "inline";
  open(connection);
  run([&](const std::stop_token& stop) { EXPECT_TRUE(client_->server_version(stop)); });
  EXPECT_EQ(runs_, 0);
  EXPECT_THAT(server_.tokens(), ElementsAre("inline"));
}

TEST_F(AccessTest, ImpersonationAndCompressionAreHeaders) {
  Connection connection{.server = "https://api"};
  connection.impersonate = {.user = "me",
                            .uid = "u1",
                            .groups = {"a", "b"},
                            .extra = {{"example.com/reason", {"x", "y"}}, {"scopes", {"z"}}}};
  open(connection);
  run([&](const std::stop_token& stop) {
    EXPECT_TRUE(client_->server_version(stop));
    (void)client_->watch(kPods, {}, "1", [](std::string_view, boost::json::value) { return false; }, stop);
  });
  std::vector<std::string> headers;
  for (const auto& [name, text] : server_.requests.at(0).headers.entries()) {
    if (name.starts_with("Impersonate")) headers.push_back(name + "=" + text);
  }
  EXPECT_THAT(headers, ElementsAre("Impersonate-User=me", "Impersonate-Uid=u1", "Impersonate-Group=a",
                                   "Impersonate-Group=b", "Impersonate-Extra-example.com%2Freason=x",
                                   "Impersonate-Extra-example.com%2Freason=y", "Impersonate-Extra-scopes=z"));
  EXPECT_EQ(server_.requests[0].headers.get("Accept-Encoding"), "gzip");
  EXPECT_EQ(server_.requests.at(1).headers.get("Impersonate-User"), "me");
  EXPECT_FALSE(server_.requests[1].headers.has("Accept-Encoding"));  // events must arrive at once
  connection.compression = false;
  open(connection);
  run([&](const std::stop_token& stop) { EXPECT_TRUE(client_->server_version(stop)); });
  EXPECT_FALSE(server_.requests.back().headers.has("Accept-Encoding"));
}

}  // namespace
}  // namespace tenon::kube

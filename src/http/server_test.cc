// The server and the curl transport against each other, plain and through TLS; and the server against raw sockets.
// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "http/certificate.h"
#include "http/curl_transport.h"
#include "http/limits.h"
#include "runtime/live.h"

namespace tenon::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// /echo returns the request, /stream?n writes n pieces, /watch writes one piece and waits for its stop,
// /pair writes one piece and, after change(), another.
class TestHandler : public Handler {
 public:
  explicit TestHandler(runtime::Runtime& runtime) : changed_(runtime.make_event()) {}

  void serve(const ServerRequest& request, ResponseWriter& writer, const std::stop_token& stop) override {
    ++served;
    if (request.raw_path == "/echo") {
      writer.respond(
          {.status = 200,
           .headers = {{"X-Method", request.method},
                       {"X-Query", request.raw_query},
                       {"X-Host", request.host},
                       {"X-Names", names_of(request)},
                       {"X-User", request.client_common_name},
                       {"X-Group", request.client_organizations.empty() ? "" : request.client_organizations[0]}},
           .body = request.body});
    } else if (request.raw_path == "/stream") {
      if (!writer.begin(200, {{"Content-Type", "text/plain"}})) return;
      for (int i = 0; i < std::stoi(request.raw_query); ++i) {
        if (!writer.write("piece " + std::to_string(i) + "\n")) return;
      }
    } else if (request.raw_path == "/watch") {
      stopped_early = stop.stop_requested();  // later the client may already have disconnected
      if (!writer.begin(200, {}) || !writer.write("first\n")) return;
      ++watching;
      if (changed_->wait(0, kNever, stop) == runtime::Wake::kStopped) ++watches_stopped;
    } else if (request.raw_path == "/pair") {
      const uint64_t seen = changed_->version();
      if (!writer.begin(200, {}) || !writer.write("first\n")) return;
      changed_->wait(seen, kNever, stop);
      (void)writer.write("second\n");
    } else if (request.raw_path == "/throw") {
      throw std::runtime_error("a bug");
    } else if (request.raw_path == "/inject") {
      writer.respond({.status = 200, .headers = {{"X-A", "b\r\nX-Evil: 1"}}});
    } else if (request.raw_path == "/silent") {
      changed_->wait(0, kNever, stop);
      writer.respond({.status = 200});
    } else if (request.raw_path != "/nothing") {
      writer.respond({.status = 404, .body = request.raw_path});
    }
  }

  void change() { changed_->notify(); }

  std::atomic<int> served = 0, watching = 0, watches_stopped = 0;
  std::atomic<bool> stopped_early = false;

 private:
  static std::string names_of(const ServerRequest& request) {
    std::string names;
    for (const auto& [name, value] : request.headers.entries()) names += name + " ";
    return names;
  }
  const std::unique_ptr<runtime::Event> changed_;
};

struct Collector : StreamSink {
  bool on_head(int got, const Headers&) override {
    status = got;
    return true;
  }
  bool on_data(std::string_view bytes) override {
    data += bytes;
    if (on_bytes) on_bytes();
    return data.size() < enough;
  }
  int status = 0;
  std::string data;
  size_t enough = SIZE_MAX;
  std::function<void()> on_bytes;
};

class ServerTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    authority_ = std::move(*make_certificate_authority(24h, runtime_->now()));
    start(0);
    client_ = make_curl_transport({.ca_pem = authority_->ca_pem()});
  }
  void start(uint16_t port) {
    ServerOptions options;
    options.port = port;
    options.threw = [this](const ServerRequest& request, std::string_view what) {
      const std::lock_guard lock(mutex_);
      threw_.push_back(request.raw_path + ": " + std::string(what));
    };
    if (GetParam()) {
      const KeyPair pair = *authority_->issue_server({"localhost", "127.0.0.1"});
      options.tls =
          std::make_unique<TlsServerOptions>(TlsServerOptions{pair.cert_pem, pair.key_pem, authority_->ca_pem()});
    }
    auto server = start_server(handler_, std::move(options));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  std::string url(const std::string& path) const {
    return (GetParam() ? "https" : "http") + ("://127.0.0.1:" + std::to_string(server_->port())) + path;
  }
  void wait_until(const std::function<bool()>& condition) const {
    for (int i = 0; i < 5000 && !condition(); ++i) runtime_->sleep_for(1ms, {});
    EXPECT_TRUE(condition());
  }

  std::unique_ptr<runtime::Runtime> runtime_ = runtime::make_live_runtime();
  TestHandler handler_{*runtime_};
  std::unique_ptr<CertificateAuthority> authority_;
  std::mutex mutex_;
  std::vector<std::string> threw_;  // under mutex_
  std::unique_ptr<Server> server_;  // last: its threads use the members above
  std::unique_ptr<Transport> client_;
};

TEST_P(ServerTest, MethodsHeadersAndBodiesArriveAsSent) {
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    const std::string body = method == "GET" ? "" : std::string("{\"a\":\0}", 7);
    const auto response = client_->send(
        {.method = method, .url = url("/echo?b=2&a=%2F&c"), .headers = {{"X-Own", "1"}, {"X-Empty", ""}}, .body = body},
        {});
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->headers.get("x-method"), method);
    EXPECT_EQ(response->headers.get("x-query"), "b=2&a=%2F&c");
    EXPECT_EQ(response->body, body);
    EXPECT_THAT(response->headers.get("x-names"), HasSubstr("X-Own X-Empty"));
    EXPECT_THAT(response->headers.get("x-names"), testing::Not(HasSubstr("Expect")));
    EXPECT_THAT(response->headers.get("x-names"), testing::Not(HasSubstr("Content-Type")));
  }
}

TEST_P(ServerTest, HeadHasNoBodyAndTheConnectionStaysInStep) {
  const auto head = client_->send({.method = "HEAD", .url = url("/other")}, {});
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->status, 404);
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(client_->send({.url = url("/other")}, {})->body, "/other");
}

TEST_P(ServerTest, ThePathIsNotNormalised) {
  EXPECT_EQ(client_->send({.url = url("/a/../b%2Fc//d")}, {})->body, "/a/../b%2Fc//d");
}

TEST_P(ServerTest, LargeBodiesInBothDirections) {
  std::string body(12 << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 997) body[i] = static_cast<char>(i);
  const auto response = client_->send({.method = "POST", .url = url("/echo"), .body = body}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_TRUE(response->body == body);
}

TEST_P(ServerTest, AStreamArrivesWhole) {
  Collector sink;
  const Status ended = client_->stream({.url = url("/stream?2000")}, sink, {});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(sink.status, 200);
  EXPECT_THAT(sink.data, StartsWith("piece 0\npiece 1\n"));
  EXPECT_TRUE(sink.data.ends_with("piece 1999\n"));
}

TEST_P(ServerTest, PiecesOfAWatchArriveAtOnceAndAStopEndsIt) {
  Collector sink;
  std::stop_source stop;
  sink.on_bytes = [&] { stop.request_stop(); };  // would hang if the piece waited in a buffer
  const Status ended = client_->stream({.url = url("/watch")}, sink, stop.get_token());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kCancelled);
  EXPECT_EQ(sink.data, "first\n");
  wait_until([&] { return handler_.watches_stopped == 1; });  // the server noticed that its peer disconnected
  EXPECT_FALSE(handler_.stopped_early);
}

// The second piece arrives just after the first has been read: in the same read, or after the pause.
TEST_P(ServerTest, PiecesOfABurstAreReadTogether) {
  bool paused = false;
  for (int attempt = 0; attempt < 100 && !paused; ++attempt) {
    Collector sink;
    sink.on_bytes = [&] { handler_.change(); };
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(client_->stream({.url = url("/pair")}, sink, {}));
    EXPECT_EQ(sink.data, "first\nsecond\n");
    paused = std::chrono::steady_clock::now() - begun >= kStreamPause;
  }
  EXPECT_TRUE(paused);
}

TEST_P(ServerTest, AStopFromAnotherThreadCancelsASleepingCall) {
  std::stop_source stop;
  auto stopper = runtime_->spawn("stopper", [&](const std::stop_token&) {
    wait_until([&] { return handler_.served == 1; });
    stop.request_stop();
  });
  const auto response = client_->send({.url = url("/silent")}, stop.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kCancelled);
}

TEST_P(ServerTest, ASinkThatHasEnoughEndsTheStream) {
  Collector sink;
  sink.enough = 1;
  EXPECT_TRUE(client_->stream({.url = url("/watch")}, sink, {}));
  wait_until([&] { return handler_.watches_stopped == 1; });
}

TEST_P(ServerTest, ASilentServerIsATimeout) {
  const auto response = client_->send({.url = url("/silent"), .timeout = 50ms}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kTimeout);
  EXPECT_THAT(response.error().message, HasSubstr("no answer within 50ms"));
  Collector sink;
  const Status ended = client_->stream({.url = url("/watch"), .timeout = 50ms}, sink, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kTimeout);
  EXPECT_EQ(sink.data, "first\n");
}

TEST_P(ServerTest, ManyClientsAtOnce) {
  std::atomic<int> good = 0;
  {
    std::vector<std::unique_ptr<runtime::Task>> tasks;
    for (int t = 0; t < 8; ++t) {
      tasks.push_back(runtime_->spawn("client", [&, t](const std::stop_token& stop) {
        for (int i = 0; i < 25; ++i) {
          const std::string body = std::to_string(t) + "/" + std::to_string(i);
          const auto response = client_->send({.method = "POST", .url = url("/echo"), .body = body}, stop);
          if (response && response->body == body) ++good;
        }
      }));
    }
    for (auto& task : tasks) task->join();
  }
  EXPECT_EQ(good, 200);
}

TEST_P(ServerTest, StoppingTheServerEndsWatches) {
  Collector sink;
  Status ended;
  auto watcher = runtime_->spawn(
      "watcher", [&](const std::stop_token& stop) { ended = client_->stream({.url = url("/watch")}, sink, stop); });
  wait_until([&] { return handler_.watching == 1; });
  server_.reset();
  watcher->join();
  EXPECT_EQ(handler_.watches_stopped, 1);
  EXPECT_TRUE(ended) << ended.error().message;  // the response was ended properly
}

TEST_P(ServerTest, AServerThatWasRestartedIsFoundAgain) {
  EXPECT_EQ(client_->send({.url = url("/echo")}, {})->status, 200);
  const uint16_t port = server_->port();
  server_.reset();
  EXPECT_EQ(client_->send({.url = "http://127.0.0.1:" + std::to_string(port)}, {}).error().code, Code::kUnavailable);
  start(port);
  const auto response = client_->send({.url = url("/echo")}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
}

TEST_P(ServerTest, ABuggyHandlerCostsOnlyItsRequest) {
  EXPECT_EQ(client_->send({.url = url("/throw")}, {})->status, 500);
  EXPECT_EQ(client_->send({.url = url("/nothing")}, {})->status, 500);
  EXPECT_EQ(client_->send({.url = url("/echo")}, {})->status, 200);
  const std::lock_guard lock(mutex_);
  EXPECT_THAT(threw_, testing::ElementsAre("/throw: a bug"));
}

TEST_P(ServerTest, AHeaderValueCannotAddAHeader) {
  const auto response = client_->send({.url = url("/inject")}, {});
  ASSERT_TRUE(response);
  EXPECT_FALSE(response->headers.has("X-Evil"));
}

TEST_P(ServerTest, ATakenPortIsNamed) {
  ServerOptions options;
  options.port = server_->port();
  const auto second = start_server(handler_, std::move(options));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(server_->port()) + ": the port is taken"));
}

INSTANTIATE_TEST_SUITE_P(Wire, ServerTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "Tls" : "Plain"; });

TEST(CurlTransport, ARefusedConnectionNamesHostAndCause) {
  auto runtime = runtime::make_live_runtime();
  TestHandler handler(*runtime);
  const uint16_t port = (*start_server(handler, {}))->port();  // free again by now
  const std::string host = "127.0.0.1:" + std::to_string(port);
  const auto response = make_curl_transport()->send({.url = "http://" + host + "/"}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_EQ(response.error().message, host + ": cannot connect: connection refused");
}

TEST(CurlTransport, AProxyOfTheEnvironmentIsNotAskedWithoutProxy) {
  const auto runtime = runtime::make_live_runtime();
  TestHandler handler{*runtime};
  const auto proxy = std::move(*start_server(handler, {}));
  ::setenv("http_proxy", ("http://127.0.0.1:" + std::to_string(proxy->port())).c_str(), 1);
  const Request request{.url = "http://proxied.invalid/echo", .timeout = 5s};
  const auto through = make_curl_transport()->send(request, {});
  const auto straight = make_curl_transport({.no_proxy = true})->send(request, {});
  ::unsetenv("http_proxy");
  ASSERT_TRUE(through) << through.error().message;
  EXPECT_EQ(handler.served, 1);
  ASSERT_FALSE(straight);
  EXPECT_THAT(straight.error().message, HasSubstr("cannot be resolved"));
}

TEST(CurlTransport, AConfiguredProxyIsAskedForTheUrl) {
  auto runtime = runtime::make_live_runtime();
  TestHandler handler(*runtime);
  const auto proxy = std::move(*start_server(handler, {}));
  const auto client = make_curl_transport({.proxy_url = "http://127.0.0.1:" + std::to_string(proxy->port())});
  const auto response = client->send({.url = "http://nowhere.invalid/echo?x"}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->headers.get("X-Host"), "nowhere.invalid");
  EXPECT_EQ(response->headers.get("X-Query"), "x");
}

TEST(CurlTransport, BadUrlsAndSchemesAreInvalid) {
  auto client = make_curl_transport();
  EXPECT_EQ(client->send({.url = "localhost"}, {}).error().code, Code::kInvalid);
  EXPECT_EQ(client->send({.url = "ftp://localhost/"}, {}).error().code, Code::kInvalid);
}

class TlsTest : public testing::Test {
 protected:
  void start(const std::vector<std::string>& names) {
    const KeyPair pair = *authority_->issue_server(names);
    ServerOptions options;
    options.tls =
        std::make_unique<TlsServerOptions>(TlsServerOptions{pair.cert_pem, pair.key_pem, authority_->ca_pem()});
    server_ = std::move(*start_server(handler_, std::move(options)));
    url_ = "https://127.0.0.1:" + std::to_string(server_->port()) + "/echo";
  }
  Result<Response> get(TlsClientOptions options) {
    return make_curl_transport(std::move(options))->send({.url = url_}, {});
  }

  std::unique_ptr<runtime::Runtime> runtime_ = runtime::make_live_runtime();
  TestHandler handler_{*runtime_};
  std::unique_ptr<CertificateAuthority> authority_ = std::move(*make_certificate_authority(24h, runtime_->now()));
  std::unique_ptr<Server> server_;
  std::string url_;
};

TEST_F(TlsTest, TheWrongCaIsNamed) {
  start({"127.0.0.1"});
  const auto other = std::move(*make_certificate_authority(24h, runtime_->now()));
  for (const std::string& ca : {other->ca_pem(), std::string()}) {
    const auto response = get({.ca_pem = ca});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, Code::kUnavailable);
    EXPECT_THAT(response.error().message, HasSubstr("certificate is not trusted by the configured CA"));
  }
  EXPECT_EQ(get({.insecure_skip_verify = true})->status, 200);
}

TEST_F(TlsTest, AnUnreadableCaIsInvalid) {
  start({"127.0.0.1"});
  EXPECT_EQ(get({.ca_pem = "not PEM"}).error().code, Code::kInvalid);
}

TEST_F(TlsTest, ACertificateForAnotherNameIsNamedUnlessThatNameIsAskedFor) {
  start({"api.example.com"});
  const auto response = get({.ca_pem = authority_->ca_pem()});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_THAT(response.error().message, HasSubstr("certificate is for another name"));
  const auto renamed = get({.ca_pem = authority_->ca_pem(), .server_name = "api.example.com"});
  ASSERT_TRUE(renamed) << renamed.error().message;
  EXPECT_EQ(renamed->headers.get("X-Host"), "127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(TlsTest, AnExpiredCertificateIsNamed) {
  authority_ = std::move(*make_certificate_authority(1h, runtime_->now() - 48h));
  start({"127.0.0.1"});
  const auto response = get({.ca_pem = authority_->ca_pem()});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, HasSubstr("expired"));
}

TEST_F(TlsTest, TheClientCertificateNamesUserAndGroup) {
  start({"127.0.0.1"});
  const KeyPair pair = *authority_->issue_client("alice", {"system:masters"});
  const auto response =
      get({.ca_pem = authority_->ca_pem(), .client_cert_pem = pair.cert_pem, .client_key_pem = pair.key_pem});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->headers.get("X-User"), "alice");
  EXPECT_EQ(response->headers.get("X-Group"), "system:masters");
  EXPECT_EQ(get({.ca_pem = authority_->ca_pem()})->headers.get("X-User"), "");
}

TEST_F(TlsTest, AForeignClientCertificateIsRefused) {
  start({"127.0.0.1"});
  const auto other = std::move(*make_certificate_authority(24h, runtime_->now()));
  const KeyPair pair = *other->issue_client("mallory", {});
  const auto response =
      get({.ca_pem = authority_->ca_pem(), .client_cert_pem = pair.cert_pem, .client_key_pem = pair.key_pem});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kUnavailable);
}

TEST_F(TlsTest, PlainHttpToATlsPortIsTold) {
  start({"127.0.0.1"});
  const auto response = make_curl_transport()->send({.url = "http" + url_.substr(5)}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 400);
  EXPECT_THAT(response->body, HasSubstr("speaks https"));
}

TEST_F(TlsTest, UnreadableServerCertificatesAreInvalid) {
  const KeyPair a = *authority_->issue_server({"a"}), b = *authority_->issue_server({"b"});
  for (const auto& [cert, key, client_ca] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"junk", a.key_pem, ""},
                                                                      {a.cert_pem, "junk", ""},
                                                                      {a.cert_pem, b.key_pem, ""},
                                                                      {a.cert_pem, a.key_pem, "junk"}}) {
    ServerOptions options;
    options.tls = std::make_unique<TlsServerOptions>(TlsServerOptions{cert, key, client_ca});
    const auto server = start_server(handler_, std::move(options));
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().code, Code::kInvalid);
    EXPECT_THAT(server.error().message, StartsWith("TLS: "));
  }
}

TEST(Certificate, NamesAreChecked) {
  auto authority = std::move(*make_certificate_authority(24h, Instant{} + 24h * 20000));
  EXPECT_EQ(authority->issue_server({}).error().code, Code::kInvalid);
  EXPECT_EQ(authority->issue_server({"a,DNS:evil"}).error().code, Code::kInvalid);
  EXPECT_TRUE(authority->issue_server({"::1", "*.example.com"}));
  EXPECT_EQ(authority->issue_client("", {}).error().code, Code::kInvalid);
}

// Requests that curl never sends.
class RawTest : public testing::Test {
 protected:
  void SetUp() override { server_ = std::move(*start_server(handler_, {})); }

  int dial() const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  // Sends, and reads until the server closes.
  std::string talk(const std::string& sent) const {
    const int fd = dial();
    EXPECT_EQ(send(fd, sent.data(), sent.size(), MSG_NOSIGNAL), static_cast<ssize_t>(sent.size()));
    std::string answer;
    char buffer[4096];
    for (ssize_t got; (got = recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<size_t>(got));
    close(fd);
    return answer;
  }

  std::unique_ptr<runtime::Runtime> runtime_ = runtime::make_live_runtime();
  TestHandler handler_{*runtime_};
  std::unique_ptr<Server> server_;
};

TEST_F(RawTest, BadInputIsAnswered) {
  const std::string long_header = "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(kMaxHeaderBytes, 'x') + "\r\n\r\n";
  const std::string long_body =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(kMaxRequestBodyBytes + 1) + "\r\n\r\n";
  for (const auto& [sent, status] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\n\r\n", "400"},
           {"GET relative HTTP/1.1\r\nHost: h\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"},
           {long_header, "431"},
           {long_body, "413"},
       }) {
    EXPECT_THAT(talk(sent), StartsWith("HTTP/1.1 " + status + " ")) << sent.substr(0, 80);
  }
  EXPECT_EQ(handler_.served, 0);
}

TEST_F(RawTest, PipelinedAndChunkedRequestsAreServedInOrder) {
  const std::string answer = talk(
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
      "GET /second HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const size_t first = answer.find("\r\n\r\nabcde"), second = answer.find("\r\n\r\n/second");
  EXPECT_NE(first, std::string::npos);
  EXPECT_NE(second, std::string::npos);
  EXPECT_LT(first, second);
}

TEST_F(RawTest, AnAbsoluteTargetIsTakenApart) {
  EXPECT_THAT(talk("GET http://other/p?q HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), HasSubstr("\r\n\r\n/p"));
}

TEST_F(RawTest, Http10GetsNoChunksAndTheEndOfTheConnection) {
  const std::string answer = talk("GET /stream?2 HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, testing::Not(HasSubstr("chunked")));
  EXPECT_TRUE(answer.ends_with("\r\n\r\npiece 0\npiece 1\n"));
}

TEST_F(RawTest, ExpectContinueIsHonoured) {
  const int fd = dial();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  send(fd, head.data(), head.size(), MSG_NOSIGNAL);
  char buffer[256] = {};
  EXPECT_GT(recv(fd, buffer, sizeof buffer - 1, 0), 0);
  EXPECT_STREQ(buffer, "HTTP/1.1 100 Continue\r\n\r\n");
  close(fd);
}

TEST_F(RawTest, AnIdleConnectionDoesNotHoldUpTheStop) {
  const int fd = dial();
  const std::string request = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  char buffer[256];
  EXPECT_GT(recv(fd, buffer, sizeof buffer, 0), 0);
  const Instant before = runtime_->now();
  server_.reset();
  EXPECT_LT(runtime_->now() - before, kDrainTimeout);
  EXPECT_EQ(recv(fd, buffer, sizeof buffer, 0), 0);
  close(fd);
}

TEST_F(RawTest, TooManyConnectionsAreRefused) {
  ServerOptions options;
  options.max_connections = 3;
  server_ = std::move(*start_server(handler_, std::move(options)));
  std::vector<int> fds;
  for (int i = 0; i < 3; ++i) fds.push_back(dial());
  EXPECT_THAT(talk("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 503 "));
  for (const int fd : fds) close(fd);
}

}  // namespace
}  // namespace tenon::http

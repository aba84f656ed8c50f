// SPDX-License-Identifier: Apache-2.0
#include "api_server/real_api.h"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "base/text.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

constexpr Duration kPatience = 60s;  // a restarted kube-apiserver is ready after 10 s on a slow machine

std::string cluster_folder() {
  const char* folder = std::getenv("TENON_PEER_CLUSTER");
  CHECK(folder != nullptr);
  return folder;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  CHECK(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

kube::Connection connection_in(const std::string& folder) {
  auto connection = kube::load_kubeconfig(folder + "/kubeconfig");
  CHECK(connection.has_value());
  return *std::move(connection);
}

// "ResumesAWatch" → "resumesawatch".
std::string namespace_of_this_test() {
  return to_lower(::testing::UnitTest::GetInstance()->current_test_info()->name());
}

// The lines of a watch as they arrive.
class CountingSink : public http::StreamSink {
 public:
  CountingSink(http::StreamSink& above, Witness& counts) : above_(above), counts_(counts) {}
  bool on_head(int status, const http::Headers& headers) override {
    if (status == 410) ++counts_.expired;
    return above_.on_head(status, headers);
  }
  bool on_data(std::string_view bytes) override {
    for (const char c : bytes) {
      line_ += c;
      if (c == '\n') take_line();
    }
    return above_.on_data(bytes);
  }

 private:
  void take_line() {
    if (line_.starts_with(R"({"type":"BOOKMARK")")) ++counts_.bookmarks;
    if (line_.starts_with(R"({"type":"ERROR")") && line_.find(R"("code":410)") != std::string::npos) ++counts_.expired;
    line_.clear();
  }
  http::StreamSink& above_;
  Witness& counts_;
  std::string line_;
};

}  // namespace

json::value parse(std::string_view text) {
  auto parsed = json::parse(text);
  CHECK(parsed.has_value());
  return *std::move(parsed);
}

json::value pod(const std::string& name, const std::string& labels) {
  return parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","labels":)" + labels +
               R"(},"spec":{"containers":[{"name":"a","image":"pause","resources":{"limits":{"cpu":"250m"}}}]}})");
}

json::value config_map(const std::string& name, const std::string& text) {
  return json::object{
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", {{"a", text}}}};
}

Result<http::Response> Witness::send(const http::Request& request, const std::stop_token& stop) {
  ++sends;
  auto response = below_.send(request, stop);
  if (response && response->status == 410) ++expired;
  return response;
}

Status Witness::stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) {
  ++watches;
  CountingSink counting(sink, *this);
  http::Request shortened = request;
  constexpr std::string_view kTimeout = "timeoutSeconds=";
  if (const size_t at = request.url.find(kTimeout); watch_seconds_ > 0 && at != std::string::npos) {
    const size_t begin = at + kTimeout.size();
    const size_t end = request.url.find('&', begin);
    shortened.url.replace(begin, end == std::string::npos ? end : end - begin, std::to_string(watch_seconds_));
  }
  return below_.stream(shortened, counting, stop);
}

RealApiTest::RealApiTest()
    : folder_(cluster_folder()),
      connection_(connection_in(folder_)),
      runtime_(runtime::make_live_runtime()),
      transport_(http::make_curl_transport({.ca_pem = connection_.ca.text})),
      client_(client_over(*transport_)),
      ns_(namespace_of_this_test()) {
  const json::value ns = json::object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}};
  const auto made = client_->create(kube::kNamespaces, "", ns, stop_);
  EXPECT_TRUE(made || made.error().code == Code::kAlreadyExists) << made.error().message;
}

std::unique_ptr<kube::Client> RealApiTest::client_over(http::Transport& transport) const {
  return kube::make_client(*runtime_, transport,
                           {.server = connection_.server, .bearer_token = connection_.bearer_token});
}

http::Response RealApiTest::ask(const std::string& method, const std::string& path, const json::value& body) const {
  http::Request request;
  request.method = method;
  request.url = connection_.server + path;
  request.headers = {{"Authorization", "Bearer " + connection_.bearer_token}, {"Accept", "application/json"}};
  request.headers.add("Content-Type", "application/json");
  request.body = json::to_string(body);
  const auto response = transport_->send(request, stop_);
  EXPECT_TRUE(response) << response.error().message;
  return response ? *response : http::Response{};
}

json::value RealApiTest::etcd(const std::string& path, const json::value& body) const {
  http::Request request;
  request.method = "POST";
  request.url = read(folder_ + "/etcd.url") + "/v3/" + path;
  request.body = json::to_string(body);
  const auto response = transport_->send(request, stop_);
  EXPECT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200) << response->body;
  return parse(response->body);
}

void RealApiTest::delete_and_compact(const std::string& key) const {
  const json::value deleted = etcd("kv/deleterange", json::object{{"key", base64_encode(key)}});
  EXPECT_EQ(json::string_at(deleted, {"deleted"}), "1") << key;
  compact();
}

void RealApiTest::compact() const {
  const json::value now = etcd("kv/range", json::object{{"key", base64_encode("/none")}});
  etcd("kv/compaction", json::object{{"revision", json::string_at(now, {"header", "revision"})}, {"physical", true}});
}

void RealApiTest::kill_api_server() const {
  const int pid = std::atoi(read(folder_ + "/api.pid").c_str());
  ASSERT_GT(pid, 1);
  EXPECT_EQ(::kill(pid, SIGKILL), 0);
}

void RealApiTest::bind(const std::string& pod_name, const std::string& node) const {
  const json::value binding = json::object{{"apiVersion", "v1"},
                                           {"kind", "Binding"},
                                           {"metadata", {{"name", pod_name}}},
                                           {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
  const auto bound = ask("POST", "/api/v1/namespaces/" + ns_ + "/pods/" + pod_name + "/binding", binding);
  EXPECT_EQ(bound.status, 201) << bound.body;
}

void RealApiTest::set_status(const kube::ResourceType& type, const kube::ObjectName& name,
                             const std::string& status) const {
  const auto patched = client_->patch(type, name, kube::PatchType::kMerge, parse(R"({"status":)" + status + "}"),
                                      {.subresource = "status"}, stop_);
  EXPECT_TRUE(patched) << patched.error().message;
}

bool await(runtime::Runtime& runtime, runtime::Event& event, const std::function<bool()>& done) {
  const Instant until = runtime.now() + kPatience;
  while (true) {
    const uint64_t seen = event.version();
    if (done()) return true;
    if (event.wait(seen, until, {}) == runtime::Wake::kTimeout) return done();
  }
}

}  // namespace tenon::peers

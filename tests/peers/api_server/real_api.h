// The kube-apiserver and etcd that tests/peers/api-server has started (folder in TENON_PEER_CLUSTER): how the tests
// connect to them, and how they disturb them. Every test uses a namespace of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <string>

#include "http/curl_transport.h"
#include "kube/access/kubeconfig.h"
#include "kube/client.h"
#include "runtime/live.h"

namespace tenon::peers {

// Types that kube/resource_types.h lacks because the autoscaler does not use them.
inline const kube::ResourceType kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const kube::ResourceType kCrds{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                      "CustomResourceDefinition", false};

// Aborts the test program if the text is not JSON: it is a literal of a test.
boost::json::value parse(std::string_view text);
// A pod whose only container asks for 250m by its limit.
boost::json::value pod(const std::string& name, const std::string& labels = "{}");
boost::json::value config_map(const std::string& name, const std::string& text = "a");

// Forwards every request and counts it. Thread rule: any thread.
class Witness : public http::Transport {
 public:
  // `watch_seconds` > 0: watches ask the server to end them after this time instead of some minutes.
  explicit Witness(http::Transport& below, int watch_seconds = 0) : below_(below), watch_seconds_(watch_seconds) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override;
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override;

  std::atomic<int> sends = 0, watches = 0, bookmarks = 0;
  std::atomic<int> expired = 0;  // watches and lists that were answered with 410

 private:
  http::Transport& below_;
  const int watch_seconds_;
};

class RealApiTest : public ::testing::Test {
 protected:
  RealApiTest();

  // Returns a client of the same server; `transport` must outlive it.
  std::unique_ptr<kube::Client> client_over(http::Transport& transport) const;
  // Makes one exchange as the administrator, for requests that kube::Client does not support.
  http::Response ask(const std::string& method, const std::string& path, const boost::json::value& body) const;
  // etcd's own gateway: {"revision": …} and so on. `path`: "kv/range".
  boost::json::value etcd(const std::string& path, const boost::json::value& body) const;
  // Deletes a key without the API server, then compacts all earlier history.
  void delete_and_compact(const std::string& key) const;
  void compact() const;
  // Sends SIGKILL; tests/peers/control-plane.bash restarts the server.
  void kill_api_server() const;

  void bind(const std::string& pod_name, const std::string& node) const;
  void set_status(const kube::ResourceType& type, const kube::ObjectName& name, const std::string& status) const;

  const std::string folder_;
  const kube::Connection connection_;
  const std::unique_ptr<runtime::LiveRuntime> runtime_;
  const std::unique_ptr<http::Transport> transport_;
  const std::unique_ptr<kube::Client> client_;
  const std::stop_token stop_;
  const std::string ns_;  // created by the constructor
};

// Checks after each notification, for at most a minute; returns whether `done` held at the end.
bool await(runtime::Runtime& runtime, runtime::Event& event, const std::function<bool()>& done);

}  // namespace tenon::peers

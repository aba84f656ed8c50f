// SPDX-License-Identifier: Apache-2.0
#include "kube/client_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using ::testing::HasSubstr;

TEST(RequestSubject, OfEachKindOfPath) {
  struct Row {
    const char* path;
    RequestSubject subject;
  };
  const Row rows[] = {
      {"/api/v1/nodes", {"", "v1", "nodes", ""}},
      {"/api/v1/nodes/n1", {"", "v1", "nodes", ""}},
      {"/api/v1/namespaces/default", {"", "v1", "namespaces", ""}},
      {"/api/v1/namespaces/default/pods/p/eviction", {"", "v1", "pods", "eviction"}},
      {"/apis/karpenter.sh/v1/nodeclaims/x/status", {"karpenter.sh", "v1", "nodeclaims", "status"}},
      {"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l", {"coordination.k8s.io", "v1", "leases", ""}},
      {"/version", {"", "", "", ""}},
      {"/apis/karpenter.sh/v1", {"", "", "", ""}},
      {"", {"", "", "", ""}},
  };
  for (const Row& row : rows) {
    const RequestSubject subject = subject_of(row.path);
    EXPECT_EQ(subject.group, row.subject.group) << row.path;
    EXPECT_EQ(subject.version, row.subject.version) << row.path;
    EXPECT_EQ(subject.resource, row.subject.resource) << row.path;
    EXPECT_EQ(subject.subresource, row.subject.subresource) << row.path;
  }
}

struct Server : http::Transport {
  explicit Server(runtime::SimRuntime& sim) : clock(sim) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token&) override {
    if (request.method == "DELETE") return fail(Code::kUnavailable, "no connection");
    return http::Response{404, {}, ""};
  }
  Status stream(const http::Request&, http::StreamSink& sink, const std::stop_token&) override {
    sink.on_head(200, {});
    return ok();
  }
  runtime::SimRuntime& clock;
};

struct Ignore : http::StreamSink {
  bool on_head(int, const http::Headers&) override { return true; }
  bool on_data(std::string_view) override { return true; }
};

TEST(MeasuredRequests, AreCountedByAnswer) {
  const auto sim = runtime::make_sim_runtime({});
  metrics::Registry registry;
  Server server(*sim);
  const auto transport = measure_requests(server, *sim, registry);
  (void)transport->send({.method = "GET", .url = "https://k8s:443/api/v1/nodes/n1"}, {});
  (void)transport->send({.method = "DELETE", .url = "https://k8s:443/api/v1/nodes/n1"}, {});
  Ignore sink;
  (void)transport->stream({.method = "GET", .url = "https://k8s:443/api/v1/nodes?watch=1"}, sink, {});
  const std::string text = registry.text();
  for (const char* line :
       {"rest_client_requests_total{code=\"404\",host=\"k8s:443\",method=\"GET\"} 1\n",
        "rest_client_requests_total{code=\"200\",host=\"k8s:443\",method=\"GET\"} 1\n",
        "client_go_request_total{code=\"<error>\",method=\"DELETE\"} 1\n",
        "client_go_request_duration_seconds_count{verb=\"GET\",group=\"\",version=\"v1\",kind=\"nodes\","
        "subresource=\"\"} 2\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace tenon::kube

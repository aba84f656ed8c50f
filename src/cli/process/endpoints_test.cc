// SPDX-License-Identifier: Apache-2.0
#include "cli/process/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/metrics.h"
#include "http/loopback_transport.h"
#include "metrics/text.h"
#include "model/labels.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;

class EndpointsTest : public ::testing::Test {
 protected:
  http::Response ask(const std::string& path, const std::string& method = "GET", const std::string& accept = "*/*") {
    EndpointHandler handler(registry_, [this] { return not_ready_; });
    const auto transport = http::make_loopback_transport({{"tenon", &handler}});
    http::Request request;
    request.method = method;
    request.url = "http://tenon" + path;
    request.headers.set("Accept", accept);
    return transport->send(request, {}).value();
  }
  metrics::Registry registry_;
  std::string not_ready_;
};

TEST_F(EndpointsTest, WhatWasDoneIsCounted) {
  controllers::Metrics metrics(registry_);
  model::NodeClaim claim;
  claim.meta.labels = {{std::string(model::kLabelNodePool), "default"},
                       {std::string(model::kLabelCapacityType), "spot"},
                       {std::string(model::kLabelZone), "us-east-1a"}};
  claim.meta.finalizers = {std::string(model::kFinalizerTermination)};
  const Instant now{};
  metrics.performed(plan::CreateNodeClaim{claim}, now);
  model::NodeClaim registered = claim;
  registered.conditions.push_back({.type = std::string(model::kRegistered), .status = "True"});
  metrics.performed(plan::PatchNodeClaim{claim, registered}, now);
  metrics.performed(plan::PatchNodeClaim{registered, registered}, now);
  metrics.performed(plan::DeleteNodeClaim{registered, "empty", "when_empty"}, now);
  model::NodeClaim released = registered;
  released.meta.finalizers.clear();
  metrics.performed(plan::PatchNodeClaim{registered, released}, now);

  const http::Response answer = ask("/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("Content-Type"), metrics::content_type(metrics::Format::kText));
  for (const char* line :
       {R"(created_total{reason="provisioned",nodepool="default",min_values_relaxed="false"} 1)",
        R"(karpenter_nodes_created_total{nodepool="default",zone="us-east-1a"} 1)",
        R"(disrupted_total{reason="empty",nodepool="default",capacity_type="spot",consolidation_policy="when_empty",)",
        R"(terminated_total{nodepool="default",capacity_type="spot",zone="us-east-1a"} 1)"}) {
    EXPECT_THAT(answer.body, HasSubstr(line));
  }
}

TEST_F(EndpointsTest, AScraperChoosesTheFormat) {
  registry_.counter({"c_total", "C."}).add();
  const http::Response open = ask("/metrics", "GET", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
  EXPECT_EQ(open.headers.get("Content-Type"), metrics::content_type(metrics::Format::kOpenMetrics));
  EXPECT_EQ(open.body, "# HELP c C.\n# TYPE c counter\nc_total 1\n# EOF\n");
  EXPECT_EQ(ask("/metrics").body, "# HELP c_total C.\n# TYPE c_total counter\nc_total 1\n");
}

TEST_F(EndpointsTest, ProbesAndTheRest) {
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/readyz").body, "ok");
  not_ready_ = "NodeClaim: list nodeclaims: forbidden";
  EXPECT_EQ(ask("/readyz").status, 503);
  EXPECT_EQ(ask("/readyz").body, "not ready:\nNodeClaim: list nodeclaims: forbidden\n");
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/debug").status, 404);
  EXPECT_EQ(ask("/metrics", "POST").status, 405);
}

}  // namespace
}  // namespace tenon::cli

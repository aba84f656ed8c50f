// SPDX-License-Identifier: Apache-2.0
#include "kube/observer_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/leases.h"

namespace tenon::kube {
namespace {

constexpr const char* kServer = "https://api:6443";
constexpr const char* kOwn = R"({"metadata":{"name":"tenon-observer"}})";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

Status judge(const std::string& method, const std::string& path, const std::string& body = "",
             const std::string& server = kServer) {
  return observer_may_send({.method = method, .url = kServer + path, .body = body},
                           {server, "kube-system", std::string(model::kObserverLease)});
}

TEST(ObserverRule, AdmitsReadsItsLeaseAndItsEvents) {
  const std::string own = kLeases + ("/" + std::string(model::kObserverLease));
  for (const auto& [method, path, body] : std::vector<std::array<std::string, 3>>{
           {"GET", "/version", ""},
           {"GET", "/api/v1/pods?limit=500", ""},
           {"GET", "/api/v1/nodes?watch=true&resourceVersion=1", ""},
           {"GET", "/apis/karpenter.sh/v1/nodeclaims/default-x", ""},
           {"GET", "/api/v1/namespaces/karpenter/configmaps/config-logging", ""},
           {"GET", own, ""},
           {"POST", kLeases, kOwn},
           {"PUT", own, "{}"},
           {"PATCH", own, "{}"},
           {"POST", "/api/v1/namespaces/kube-system/events", "{}"},
       }) {
    const Status judged = judge(method, path, body);
    EXPECT_TRUE(judged) << method << " " << path << ": " << judged.error().message;
  }
}

TEST(ObserverRule, RefusesEverythingElse) {
  const std::string leases = kLeases;
  for (const auto& [method, path, body] : std::vector<std::array<std::string, 3>>{
           {"POST", "/apis/karpenter.sh/v1/nodeclaims", "{}"},
           {"PATCH", "/apis/karpenter.sh/v1/nodeclaims/a", "{}"},
           {"PATCH", "/apis/karpenter.sh/v1/nodeclaims/a/status", "{}"},
           {"DELETE", "/apis/karpenter.sh/v1/nodeclaims/a", ""},
           {"PATCH", "/apis/karpenter.sh/v1/nodepools/a/status", "{}"},
           {"PATCH", "/api/v1/nodes/a", "{}"},
           {"DELETE", "/api/v1/nodes/a", ""},
           {"DELETE", "/api/v1/namespaces/default/pods/a", ""},
           {"POST", "/api/v1/namespaces/default/pods/a/eviction", "{}"},
           {"POST", "/api/v1/namespaces/default/pods/a/binding", "{}"},
           {"PUT", "/api/v1/namespaces/kube-system/secrets/karpenter-cert", "{}"},
           {"PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh", "{}"},
           // The lease and the events of others.
           {"PUT", leases + "/karpenter-leader-election", "{}"},
           {"POST", leases, R"({"metadata":{"name":"karpenter-leader-election"}})"},
           {"POST", leases, R"({"metadata":{"generateName":"tenon-observer"}})"},
           {"POST", leases, "not JSON"},
           {"DELETE", leases + "/tenon-observer", ""},
           {"DELETE", leases, ""},
           {"PUT", "/apis/coordination.k8s.io/v1/namespaces/other/leases/tenon-observer", "{}"},
           {"POST", "/api/v1/namespaces/default/events", "{}"},
           {"PATCH", "/api/v1/namespaces/kube-system/events/a", "{}"},
           {"DELETE", "/api/v1/namespaces/kube-system/events", ""},
           // Paths that may lead elsewhere, and reads that reach into a container.
           {"PUT", leases + "/x/../karpenter-leader-election", "{}"},
           {"POST", "/api/v1/namespaces/kube-system/events/../pods", "{}"},
           {"GET", "/api/v1/../../etc", ""},
           {"GET", "/api/v1/namespaces/default/pods/a/exec?command=sh", ""},
           {"GET", "/api/v1/namespaces/default/pods/a/attach", ""},
           {"GET", "/api/v1/namespaces/default/pods/a/portforward", ""},
           {"GET", "/api/v1/nodes/a/proxy/run/default/a/b", ""},
           {"HEAD", "/api/v1/nodes", ""},
           {"OPTIONS", "/api/v1/nodes", ""},
           {"get", "/api/v1/nodes", ""},
           {"", "/api/v1/nodes", ""},
       }) {
    const Status judged = judge(method, path, body);
    ASSERT_FALSE(judged) << method << " " << path;
    EXPECT_EQ(judged.error().code, Code::kForbidden);
    EXPECT_THAT(judged.error().message, ::testing::StartsWith(method + " " + path.substr(0, path.find('?'))));
  }
}

TEST(ObserverRule, BelongsToOneServer) {
  const std::string below = "https://api:6443/k8s/clusters/c-1";
  EXPECT_TRUE(judge("GET", "/k8s/clusters/c-1/api/v1/nodes", "", below));
  EXPECT_TRUE(judge("POST", "/k8s/clusters/c-1/api/v1/namespaces/kube-system/events", "{}", below + "/"));
  EXPECT_FALSE(judge("GET", "/api/v1/nodes", "", below));
  EXPECT_FALSE(judge("GET", "/k8s/clusters/c-12/api/v1/nodes", "", below));
  EXPECT_FALSE(judge("GET", "/api/v1/nodes", "", "https://other:6443"));
  EXPECT_FALSE(judge("GET", "/api/v1/nodes", "", "http://api:6443"));
}

}  // namespace
}  // namespace tenon::kube

// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/table.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/apiserver/testing/caller.h"

namespace tenon::kubesim {
namespace {

const std::string kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

class Tables : public ::testing::Test {
 protected:
  void make(const std::string& path, const std::string& body) {
    const auto made = api_.call("POST", path, body);
    ASSERT_EQ(made.status, 201) << made.text;
  }
  testing::Caller::Answer table(const std::string& path) { return api_.call("GET", path, "", {.accept = kTable}); }
  // The cells of the first row, separated by commas.
  static std::string cells(const testing::Caller::Answer& answer) {
    std::string text;
    for (const json::value& cell : json::array_at(json::array_at(answer.body, {"rows"}).at(0), {"cells"})) {
      text += (text.empty() ? "" : ",") + (cell.is_string() ? std::string(cell.get_string()) : json::to_string(cell));
    }
    return text;
  }
  testing::Caller api_;
};

TEST_F(Tables, OfPods) {
  make("/api/v1/namespaces/default/pods",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(cells(table("/api/v1/namespaces/default/pods")), "p,0/1,Pending,0,0s,<none>,<none>,<none>,<none>");
  api_.run(90min);
  EXPECT_EQ(cells(table("/api/v1/namespaces/default/pods/p")), "p,0/1,Pending,0,90m,<none>,<none>,<none>,<none>");
}

TEST_F(Tables, OfWorkloadsAndBudgets) {
  make("/apis/apps/v1/namespaces/default/deployments", R"({"metadata":{"name":"d"},"spec":{"replicas":2,
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
  EXPECT_EQ(cells(table("/apis/apps/v1/namespaces/default/deployments")), "d,0/2,0,0,0s,c,i:1,a=b");
  make("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
       R"({"metadata":{"name":"b"},"spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_EQ(cells(table("/apis/policy/v1/namespaces/default/poddisruptionbudgets")), "b,50%,N/A,0,0s");
}

TEST_F(Tables, OfNodes) {
  make("/api/v1/nodes", R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/infra":""}},
      "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
      "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],"nodeInfo":{"kubeletVersion":"v1.34.1"}}})");
  EXPECT_TRUE(cells(table("/api/v1/nodes")).starts_with("n,Ready,SchedulingDisabled,infra,0s,v1.34.1,10.0.0.1,<none>"))
      << cells(table("/api/v1/nodes"));
}

TEST_F(Tables, CarryTheObjectAsAsked) {
  make("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
  const std::string path = "/api/v1/namespaces/default/configmaps/m";
  EXPECT_EQ(table(path).at("rows/0/object/kind"), "PartialObjectMetadata");
  EXPECT_EQ(table(path + "?includeObject=Object").at("rows/0/object/data/a"), "1");
  EXPECT_EQ(table(path + "?includeObject=None").at("rows/0/object"), "");
  EXPECT_EQ(table(path).at("columnDefinitions/0/format"), "name");
}

TEST_F(Tables, AreNotForErrors) { EXPECT_EQ(table("/api/v1/namespaces/default/configmaps/none").at("kind"), "Status"); }

}  // namespace
}  // namespace tenon::kubesim

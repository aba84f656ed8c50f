// Custom resources through the whole API server: kubectl's view of Karpenter's three kinds.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/server.h"
#include "runtime/sim.h"
#include "schema/builtin_crds.h"

namespace tenon::kubesim {
namespace {

using json::string_at;
using ::testing::ElementsAre;

const Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
const Resource kPools{"karpenter.sh", "nodepools"};
const Resource kClaims{"karpenter.sh", "nodeclaims"};
const Resource kClasses{"karpenter.k8s.aws", "ec2nodeclasses"};

constexpr std::string_view kPoolPath = "/apis/karpenter.sh/v1/nodepools";
constexpr std::string_view kPool =
    R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
    "spec": {"template": {"spec": {"requirements": [],
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}}})";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

json::value parse(std::string_view text) {
  Result<json::value> out = json::parse(text);
  EXPECT_TRUE(out) << text;
  return out ? *out : json::value();
}

class Recorder final : public http::ResponseWriter {
 public:
  void respond(http::Response response) override { last = std::move(response); }
  Status begin(int status, http::Headers headers) override {
    last = {.status = status, .headers = std::move(headers)};
    return ok();
  }
  Status write(std::string_view bytes) override {
    last.body += bytes;
    return ok();
  }
  http::Response last;
};

class Crds : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, yaml] : schema::builtin_crds()) {
      const auto created = api_->create(kDefinitions, "", json::parse_yaml(yaml)->at(0));
      ASSERT_TRUE(created) << name << ": " << created.error().message;
    }
  }

  http::Response call(std::string method, std::string_view path, std::string_view body = {}, std::string accept = {}) {
    http::ServerRequest request;
    request.method = std::move(method);
    request.raw_path = path.substr(0, path.find('?'));
    if (path.find('?') != std::string_view::npos) request.raw_query = path.substr(path.find('?') + 1);
    request.headers.set("Accept", accept.empty() ? "application/json" : std::move(accept));
    const bool patch = request.method == "PATCH";
    if (!body.empty()) request.headers.set("Content-Type", patch ? "application/merge-patch+json" : "application/json");
    request.body = body;
    Recorder recorder;
    api_->serve(request, recorder, {});
    return recorder.last;
  }
  json::value must(std::string method, std::string_view path, std::string_view body = {}, std::string accept = {}) {
    const http::Response response = call(std::move(method), path, body, std::move(accept));
    EXPECT_LT(response.status, 300) << path << ": " << response.body;
    return parse(response.body);
  }
  // Returns the Status of a rejection.
  json::value refused(int code, std::string method, std::string_view path, std::string_view body) {
    const http::Response response = call(std::move(method), path, body);
    EXPECT_EQ(response.status, code) << response.body;
    return parse(response.body);
  }
  static std::string pool_with(std::string_view patch_path, json::value v) {
    json::value pool = parse(kPool);
    json::value* at = &pool;
    while (!patch_path.empty()) {
      const size_t dot = patch_path.find('.');
      at = &at->as_object()[patch_path.substr(0, dot)];
      if (dot == std::string_view::npos) break;
      if (!at->is_object()) *at = json::object();
      patch_path.remove_prefix(dot + 1);
    }
    *at = std::move(v);
    return json::to_string(pool);
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  std::unique_ptr<ApiServer> api_ = make_api_server(*sim_);
};

TEST_F(Crds, AreEstablishedAndDiscovered) {
  const Object crd = *api_->get(kDefinitions, "", "ec2nodeclasses.karpenter.k8s.aws");
  std::vector<std::string> conditions;
  for (const json::value& condition : json::array_at(*crd, {"status", "conditions"}))
    conditions.push_back(std::string(string_at(condition, {"type"})) + "=" +
                         std::string(string_at(condition, {"status"})));
  EXPECT_THAT(conditions, ::testing::IsSupersetOf({"NamesAccepted=True", "Established=True"}));
  EXPECT_EQ(json::find(*crd, {"status", "acceptedNames"})->at("plural"), "ec2nodeclasses");
  const json::value list = must("GET", "/apis/karpenter.k8s.aws/v1");
  const json::value* found = nullptr;
  for (const json::value& resource : list.at("resources").as_array())
    if (string_at(resource, {"name"}) == "ec2nodeclasses") found = &resource;
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->at("shortNames"), json::value({"ec2nc", "ec2ncs"}));
  EXPECT_EQ(found->at("categories"), json::array({"karpenter"}));
  EXPECT_EQ(found->at("namespaced"), false);
  EXPECT_EQ(found->at("kind"), "EC2NodeClass");
}

TEST_F(Crds, ANewPoolHasDefaultsAndGenerationOne) {
  const json::value pool = must("POST", kPoolPath, kPool);
  EXPECT_EQ(pool.at("spec").at("disruption"), parse(R"({"consolidateAfter": "0s", "budgets": [{"nodes": "10%"}],
                      "consolidationPolicy": "WhenEmptyOrUnderutilized"})"));
  EXPECT_EQ(string_at(pool, {"spec", "template", "spec", "expireAfter"}), "720h");
  EXPECT_EQ(json::int_at(pool, {"metadata", "generation"}), 1);
  EXPECT_EQ(json::find(pool, {"status"}), nullptr);
}

TEST_F(Crds, AnInvalidPoolIsRefusedWithEveryCause) {
  const std::string bad = pool_with("spec.template.spec.requirements", parse(R"([{"key": "a", "operator": "Foo"}])"));
  const json::value status = refused(422, "POST", kPoolPath, bad);
  EXPECT_EQ(string_at(status, {"reason"}), "Invalid");
  EXPECT_EQ(
      string_at(status, {"message"}),
      "NodePool.karpenter.sh \"default\" is invalid: [spec.template.spec.requirements[0].operator: Unsupported value: "
      "\"Foo\": supported values: \"Gte\", \"Lte\", \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\", "
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the "
      "existing errors to complete validation]");
  const json::value& cause = status.at("details").at("causes").at(0);
  EXPECT_EQ(string_at(cause, {"reason"}), "FieldValueNotSupported");
  EXPECT_EQ(string_at(cause, {"field"}), "spec.template.spec.requirements[0].operator");
  EXPECT_EQ(string_at(status, {"details", "kind"}), "NodePool");
  EXPECT_EQ(string_at(status, {"details", "group"}), "karpenter.sh");
}

TEST_F(Crds, ARuleRefusesWithItsMessage) {
  const std::string bad =
      pool_with("spec.template.spec.requirements", parse(R"([{"key": "a", "operator": "In", "values": []}])"));
  EXPECT_EQ(string_at(refused(422, "POST", kPoolPath, bad), {"message"}),
            "NodePool.karpenter.sh \"default\" is invalid: spec.template.spec.requirements: Invalid value: \"array\": "
            "requirements with operator 'In' must have a value defined");
}

TEST_F(Crds, UnknownFieldsAreDroppedOrRefused) {
  const std::string odd = pool_with("spec.oops", 1);
  const json::value status = refused(400, "POST", std::string(kPoolPath) + "?fieldValidation=Strict", odd);
  EXPECT_EQ(
      string_at(status, {"message"}),
      "NodePool in version \"v1\" cannot be handled as a NodePool: strict decoding error: unknown field \"spec.oops\"");
  const http::Response warned = call("POST", std::string(kPoolPath) + "?fieldValidation=Warn", odd);
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_EQ(warned.headers.get("Warning"), "299 - \"unknown field \\\"spec.oops\\\"\"");
  EXPECT_EQ(json::find(parse(warned.body), {"spec", "oops"}), nullptr);
}

TEST_F(Crds, WhatMayNotChangeDoesNot) {
  must("POST", kPoolPath, kPool);
  const std::string path = std::string(kPoolPath) + "/default";
  EXPECT_EQ(
      string_at(refused(422, "PATCH", path, R"({"spec": {"template": {"spec": {"nodeClassRef": {"group": "x"}}}}})"),
                {"message"}),
      "NodePool.karpenter.sh \"default\" is invalid: spec.template.spec.nodeClassRef: Invalid value: \"object\": "
      "nodeClassRef.group is immutable");
  EXPECT_EQ(string_at(refused(422, "PATCH", path, R"({"spec": {"replicas": 3}})"), {"message"}),
            "NodePool.karpenter.sh \"default\" is invalid: spec: Invalid value: \"object\": Cannot transition NodePool "
            "between "
            "static (replicas set) and dynamic (replicas unset) provisioning modes");
  const json::value claim =
      parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "c"}, "spec":
      {"requirements": [], "nodeClassRef": {"group": "g", "kind": "K", "name": "n"}}})");
  ASSERT_TRUE(api_->create(kClaims, "", claim));
  EXPECT_EQ(api_->merge_patch(kClaims, "", "c", parse(R"({"spec": {"expireAfter": "1h"}})")).error().message,
            "NodeClaim.karpenter.sh \"c\" is invalid: spec: Invalid value: \"object\": spec is immutable");
}

TEST_F(Crds, StatusAndSpecAreWrittenApart) {
  must("POST", kPoolPath, kPool);
  const std::string path = std::string(kPoolPath) + "/default";
  json::value pool = must("PATCH", path, R"({"spec": {"weight": 7}, "status": {"nodes": 5}})");
  EXPECT_EQ(json::int_at(pool, {"metadata", "generation"}), 2);
  EXPECT_EQ(json::find(pool, {"status"}), nullptr);
  pool = must("PATCH", path + "/status", R"({"spec": {"weight": 9}, "status": {"nodes": 5}})");
  EXPECT_EQ(json::int_at(pool, {"status", "nodes"}), 5);
  EXPECT_EQ(json::int_at(pool, {"spec", "weight"}), 7);
  EXPECT_EQ(json::int_at(pool, {"metadata", "generation"}), 2);
  EXPECT_EQ(refused(422, "PATCH", path + "/status", R"({"status": {"nodes": "many"}})").at("reason"), "Invalid");
}

TEST_F(Crds, APoolScales) {
  must("POST", kPoolPath, pool_with("spec.replicas", 2));
  const std::string path = std::string(kPoolPath) + "/default/scale";
  must("PATCH", std::string(kPoolPath) + "/default/status", R"({"status": {"nodes": 1}})");
  json::value scale = must("GET", path);
  EXPECT_EQ(string_at(scale, {"kind"}), "Scale");
  EXPECT_EQ(json::int_at(scale, {"spec", "replicas"}), 2);
  EXPECT_EQ(json::int_at(scale, {"status", "replicas"}), 1);
  must("PATCH", path, R"({"spec": {"replicas": 5}})");
  EXPECT_EQ(json::int_at(**api_->get(kPools, "", "default"), {"spec", "replicas"}), 5);
}

// Returns, for a Table, the names of the columns, those of priority 1 with a star; and the cells of the first row.
std::vector<std::string> columns_of(const json::value& table) {
  std::vector<std::string> out;
  for (const json::value& column : table.at("columnDefinitions").as_array())
    out.push_back(std::string(string_at(column, {"name"})) + (json::int_at(column, {"priority"}) > 0 ? "*" : ""));
  return out;
}

TEST_F(Crds, KubectlsTable) {
  must("POST", kPoolPath, pool_with("spec.weight", 10));
  must("PATCH", std::string(kPoolPath) + "/default/status",
       R"({"status": {"nodes": 3, "resources": {"cpu": "8"}, "conditions": [{"type": "Ready", "status": "True",
           "reason": "Ready", "message": "", "lastTransitionTime": "2026-09-01T12:00:00Z"}]}})");
  sim_->run_for(90s);
  const json::value table = must("GET", kPoolPath, {}, std::string(kTable));
  EXPECT_THAT(columns_of(table),
              ElementsAre("Name", "NodeClass", "Nodes", "Ready", "Age", "Weight*", "CPU*", "Memory*"));
  EXPECT_EQ(table.at("rows").at(0).at("cells"), parse(R"(["default", "default", "3", "True", "90s", 10, "8", null])"));
  ASSERT_TRUE(api_->create(kClasses, "", parse(R"({"metadata": {"name": "default"}, "spec": {"role": "node",
      "amiSelectorTerms": [{"alias": "al2023@latest"}], "subnetSelectorTerms": [{"id": "subnet-1"}],
      "securityGroupSelectorTerms": [{"id": "sg-1"}]}})")));
  const json::value classes = must("GET", "/apis/karpenter.k8s.aws/v1/ec2nodeclasses", {}, std::string(kTable));
  EXPECT_THAT(columns_of(classes), ElementsAre("Name", "Ready", "Age", "Role*"));
  EXPECT_EQ(classes.at("rows").at(0).at("cells"), parse(R"(["default", null, "0s", "node"])"));
}

TEST_F(Crds, ABadDefinitionIsRefused) {
  json::value crd = json::parse_yaml(schema::builtin_crds()[0].second)->at(0);
  crd.at("metadata").at("name") = "things.example.com";
  crd.at("spec").at("group") = "example.com";
  crd.at("spec").at("names") =
      parse(R"({"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"})");
  json::value& schema = crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
  schema.at("properties").at("spec").as_object()["x-kubernetes-validations"] = parse(R"([{"rule": "self.nope == 1"}])");
  const auto created = api_->create(kDefinitions, "", crd);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, Code::kInvalid);
  EXPECT_THAT(created.error().message, ::testing::HasSubstr("undefined field 'nope'"));
}

TEST_F(Crds, ADeletedDefinitionTakesItsObjectsAlong) {
  must("POST", kPoolPath, kPool);
  ASSERT_TRUE(api_->remove(kDefinitions, "", "nodepools.karpenter.sh"));
  sim_->run_for(10s);
  EXPECT_EQ(call("GET", kPoolPath).status, 404);
  ASSERT_TRUE(api_->create(kDefinitions, "", json::parse_yaml(schema::builtin_crds()[0].second)->at(0)));
  EXPECT_TRUE(must("GET", kPoolPath).at("items").as_array().empty());
}

}  // namespace
}  // namespace tenon::kubesim

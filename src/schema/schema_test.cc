// SPDX-License-Identifier: Apache-2.0
#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "schema/builtin_crds.h"
#include "schema/causes.h"

namespace tenon::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::value parsed(std::string_view text) {
  Result<json::value> v = json::parse(text);
  EXPECT_TRUE(v) << v.error().message << " in " << text;
  return v ? *v : json::value();
}

std::shared_ptr<const CrdSchema> compiled(const json::value& schema) {
  auto out = CrdSchema::compile(schema);
  EXPECT_TRUE(out) << out.error().message;
  return out ? *out : nullptr;
}

std::string compile_error(std::string_view schema) {
  const auto out = CrdSchema::compile(parsed(schema));
  return out ? "" : out.error().message;
}

// A schema with one property `spec`, and an object of it.
json::value schema_of_spec(json::value spec) {
  return {{"type", "object"}, {"properties", {{"spec", std::move(spec)}}}};
}
json::value object_of(json::value spec) {
  return {{"apiVersion", "a/v1"}, {"kind", "K"}, {"metadata", {{"name", "n"}}}, {"spec", std::move(spec)}};
}

// "reason|field|message", sorted, because an API server gives them in no fixed order.
std::vector<std::string> lines(const std::vector<Cause>& causes) {
  std::vector<std::string> out;
  for (const Cause& cause : causes) out.push_back(cause.reason + "|" + cause.field + "|" + cause.message);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> strings(const json::value& list) {
  std::vector<std::string> out;
  for (const json::value& each : list.as_array()) out.emplace_back(each.as_string());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<json::value> read_rows(const std::string& name) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/src/schema/testdata/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<json::value> out;
  for (std::string line; std::getline(file, line);) out.push_back(parsed(line));
  return out;
}

const json::value& schema_of(std::string_view kind) {
  static const auto schemas = [] {
    std::map<std::string, json::value, std::less<>> out;
    for (const auto& [name, yaml] : builtin_crds()) {
      const auto documents = json::parse_yaml(yaml);
      EXPECT_TRUE(documents) << name << ": " << documents.error().message;
      const json::value& spec = documents->at(0).at("spec");
      out[std::string(json::string_at(spec, {"names", "kind"}))] =
          spec.at("versions").at(0).at("schema").at("openAPIV3Schema");
    }
    return out;
  }();
  return schemas.find(kind)->second;
}

// Returns the verdict on a change to an object that was accepted before, and on a new one.
std::vector<std::string> after_approval(const CrdSchema& schema, json::value old, json::value object) {
  json::ensure(old, {"metadata", "uid"}) = "approved";
  json::ensure(object, {"metadata", "uid"}) = "approved";
  EXPECT_EQ(lines(schema.validate(old, nullptr)), std::vector<std::string>());
  return lines(schema.validate(object, &old));
}
std::vector<std::string> without_approval(const CrdSchema& schema, json::value old, json::value object) {
  json::erase(old, {"metadata", "uid"});
  json::erase(object, {"metadata", "uid"});
  return lines(schema.validate(object, &old));
}

// Objects of the three kinds, and the verdict of the API machinery of Kubernetes 1.34 with Karpenter 1.14.1's own CRDs
// on them.
TEST(CrdSchema, JudgesKarpentersObjectsAsKubernetesDoes) {
  std::map<std::string, json::value, std::less<>> base;
  std::map<std::string, std::shared_ptr<const CrdSchema>, std::less<>> schemas;
  int judged = 0;
  for (const json::value& row : read_rows("karpenter_verdicts.jsonl")) {
    if (const json::value* name = json::find(row, {"define"})) {
      const std::string kind(name->as_string());
      base[kind] = row.at("object");
      schemas[kind] = compiled(schema_of(kind));
      continue;
    }
    const std::string_view kind = json::string_at(row, {"kind"});
    json::value object = base.find(kind)->second, old = object;
    json::apply_merge_patch(object, row.at("patch"));
    const json::value* old_patch = json::find(row, {"old"});
    if (old_patch) json::apply_merge_patch(old, *old_patch);
    const CrdSchema& schema = *schemas.find(kind)->second;
    schema.apply_defaults(object);
    const std::vector<std::string> pruned = schema.prune(object);
    EXPECT_EQ(lines(schema.validate(object, old_patch ? &old : nullptr)), strings(row.at("causes")))
        << json::to_string(row);
    EXPECT_EQ(after_approval(schema, base.find(kind)->second, object),
              without_approval(schema, base.find(kind)->second, object))
        << json::to_string(row);
    const json::value* expected = json::find(row, {"pruned"});
    EXPECT_EQ(pruned, expected ? strings(*expected) : std::vector<std::string>()) << json::to_string(row);
    ++judged;
  }
  EXPECT_GT(judged, 250);
}

// The same for single keywords of schemas. "$name" stands for a value defined above.
TEST(CrdSchema, JudgesSchemaKeywordsAsKubernetesDoes) {
  std::map<std::string, json::value, std::less<>> defined;
  const auto resolve = [&](const json::value& v) -> json::value {
    if (!v.is_string() || !v.get_string().starts_with("$")) return v;
    return defined.find(std::string_view(v.get_string()).substr(1))->second;
  };
  int judged = 0;
  for (const json::value& row : read_rows("schema_verdicts.jsonl")) {
    if (const json::value* name = json::find(row, {"define"})) {
      const json::value* schema = json::find(row, {"schema"});
      defined[std::string(name->as_string())] = schema ? *schema : row.at("value");
      continue;
    }
    json::value spec =
        row.at("schema").is_string() ? defined.find(row.at("schema").as_string())->second : row.at("schema");
    if (const json::value* rules = json::find(row, {"rules"})) spec.as_object()["x-kubernetes-validations"] = *rules;
    const auto schema = compiled(schema_of_spec(spec));
    ASSERT_TRUE(schema) << json::to_string(row);
    json::value object = object_of(resolve(row.at("value")));
    const json::value* old_spec = json::find(row, {"old"});
    const json::value old = old_spec ? object_of(resolve(*old_spec)) : json::value();
    const json::value* after = json::find(row, {"after"});
    const json::value expected = after ? *after : object.at("spec");
    schema->apply_defaults(object);
    const std::vector<std::string> pruned = schema->prune(object);
    EXPECT_EQ(object.at("spec"), expected) << json::to_string(row);
    EXPECT_EQ(lines(schema->validate(object, old_spec ? &old : nullptr)), strings(row.at("causes")))
        << json::to_string(row);
    const json::value* unknown = json::find(row, {"pruned"});
    EXPECT_EQ(pruned, unknown ? strings(*unknown) : std::vector<std::string>()) << json::to_string(row);
    ++judged;
  }
  EXPECT_GT(judged, 400);
}

TEST(CrdSchema, DefaultsOfANodePool) {
  const auto schema = compiled(schema_of("NodePool"));
  json::value pool =
      parsed(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec":
      {"template": {"spec": {"requirements": [], "nodeClassRef": {"group": "g", "kind": "K", "name": "n"}}}}})");
  schema->apply_defaults(pool);
  EXPECT_EQ(pool.at("spec").at("disruption"), parsed(R"({"consolidateAfter": "0s", "budgets": [{"nodes": "10%"}],
                       "consolidationPolicy": "WhenEmptyOrUnderutilized"})"));
  EXPECT_EQ(json::string_at(pool, {"spec", "template", "spec", "expireAfter"}), "720h");
  EXPECT_EQ(json::find(pool, {"status"}), nullptr);
  EXPECT_THAT(schema->validate(pool, nullptr), IsEmpty());
}

TEST(CrdSchema, DefaultsOfAnEc2NodeClass) {
  const auto schema = compiled(schema_of("EC2NodeClass"));
  json::value node_class = parsed(R"({"spec": {"metadataOptions": {"httpTokens": "optional"}}})");
  schema->apply_defaults(node_class);
  EXPECT_EQ(node_class.at("spec").at("metadataOptions"),
            parsed(R"({"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled", "httpPutResponseHopLimit": 1,
                       "httpTokens": "optional"})"));
}

TEST(CrdSchema, UnknownFieldsAreNamedInOrder) {
  const auto schema = compiled(schema_of("NodePool"));
  json::value pool =
      parsed(R"({"apiVersion": "a", "kind": "K", "metadata": {"anything": {"goes": 1}}, "zeta": 1, "alpha": 2,
      "spec": {"template": {"spec": {"kubelet": {"maxPods": 1}, "requirements": [{"key": "a"}, {"oops": [1]}]}}}})");
  EXPECT_THAT(schema->prune(pool),
              ElementsAre("alpha", "spec.template.spec.kubelet", "spec.template.spec.requirements[1].oops", "zeta"));
  EXPECT_EQ(pool, parsed(R"({"apiVersion": "a", "kind": "K", "metadata": {"anything": {"goes": 1}},
      "spec": {"template": {"spec": {"requirements": [{"key": "a"}, {}]}}}})"));
  EXPECT_THAT(schema->prune(pool), IsEmpty());
}

TEST(CrdSchema, CompileErrorsNameThePlace) {
  struct Row {
    std::string_view schema, error;
  };
  constexpr Row rows[] = {
      {R"("x")", "openAPIV3Schema: must be an object"},
      {R"({"type": "objekt"})", "openAPIV3Schema.type: unknown type \"objekt\""},
      {R"({"type": "object", "properties": {"a": {"pattern": "("}}})",
       "openAPIV3Schema.properties[a].pattern: missing ): ("},
      {R"({"items": {"maxItems": -1}})", "openAPIV3Schema.items.maxItems: must be a whole number, not negative"},
      {R"({"$ref": "#/x"})", "openAPIV3Schema.$ref: references are not allowed"},
      {R"({"anyOf": {}})", "openAPIV3Schema.anyOf: must be a list"},
      {R"({"allOf": [{}, {"type": 5}, 6]})", "openAPIV3Schema.allOf[2]: must be an object"},
      {R"({"enum": "a"})", "openAPIV3Schema.enum: must be a list"},
      {R"({"multipleOf": 0})", "openAPIV3Schema.multipleOf: must be positive"},
      {R"({"x-kubernetes-list-type": "bag"})", "openAPIV3Schema.x-kubernetes-list-type: unknown type \"bag\""},
      {R"({"x-kubernetes-list-type": "map"})", "openAPIV3Schema.x-kubernetes-list-map-keys: must not be empty"},
      {R"({"type": "object", "x-kubernetes-validations": [{"rule": "self.x == 1"}]})",
       "openAPIV3Schema.x-kubernetes-validations[0].rule: <input>:1:5: undefined field 'x'"},
      {R"({"type": "object", "x-kubernetes-validations": [{"rule": "self.kind"}]})",
       "openAPIV3Schema.x-kubernetes-validations[0].rule: must evaluate to a bool, not to string"},
      {R"({"type": "object", "x-kubernetes-validations": [{"rule": "true", "messageExpression": "1 +"}]})",
       "openAPIV3Schema.x-kubernetes-validations[0].messageExpression: <input>:1:4: Syntax error: mismatched input "
       "'<EOF>'"},
      {R"({"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{"rule": "true"}]})",
       "openAPIV3Schema.x-kubernetes-validations[0]: rules need a schema with a type"},
  };
  for (const Row& row : rows) EXPECT_EQ(compile_error(row.schema), row.error) << row.schema;
}

TEST(CrdSchema, DepthIsBounded) {
  std::string deep;
  for (int i = 0; i < 150; ++i) deep += R"({"items": )";
  EXPECT_THAT(compile_error(deep + "{}" + std::string(150, '}')), ::testing::EndsWith("deeper than 100 levels"));
}

TEST(CrdSchema, ManyErrorsAreCapped) {
  const auto schema = compiled(parsed(R"({"type": "object", "properties":
      {"l": {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}},
       "m": {"type": "array", "items": {"type": "integer", "minimum": 3}}}})"));
  json::array ones;
  for (int i = 0; i < 1000; ++i) ones.push_back(1);
  EXPECT_EQ(schema->validate({{"l", ones}}, nullptr).size(), 100u);
  EXPECT_EQ(schema->validate({{"m", ones}}, nullptr).size(), 100u);
}

TEST(CrdSchema, RulesStopWhenTheyCostTooMuch) {
  const auto schema = compiled(parsed(R"json({"type": "object", "properties": {"l": {"type": "array",
      "items": {"type": "integer"}, "x-kubernetes-validations": [
          {"rule": "self.all(a, self.all(b, self.all(c, a + b + c > 0)))", "message": "m"},
          {"rule": "false"}]}}})json"));
  json::array ones;
  for (int i = 0; i < 200; ++i) ones.push_back(1);
  EXPECT_THAT(lines(schema->validate({{"l", ones}}, nullptr)),
              ElementsAre("FieldValueInvalid|l|Invalid value: \"array\": 'operation cancelled: actual cost limit "
                          "exceeded': no further validation rules will be run due to call cost exceeds limit for "
                          "rule: m"));
}

TEST(CrdSchema, TheSameInputGivesTheSameOrder) {
  const auto schema = compiled(schema_of("EC2NodeClass"));
  const json::value bad =
      parsed(R"({"spec": {"tags": {"": "a", "karpenter.sh/nodepool": "b"}, "role": "", "amiFamily": "X"}})");
  const std::vector<Cause> first = schema->validate(bad, nullptr);
  EXPECT_EQ(first.size(), 5u);
  EXPECT_EQ(schema->validate(bad, nullptr), first);
}

TEST(Causes, AreJoinedAsAStatusMessageHasThem) {
  const Cause a{"FieldValueRequired", "Required value", "spec.a"};
  const Cause b{"FieldValueInvalid", "Invalid value: 1", "spec.b"};
  EXPECT_EQ(aggregate({a}), "spec.a: Required value");
  EXPECT_EQ(aggregate({a, b, a}), "[spec.a: Required value, spec.b: Invalid value: 1]");
}

TEST(Causes, ValuesAreShownAsGoShowsThem) {
  struct Row {
    std::string_view value, shown;
  };
  constexpr Row rows[] = {
      {"5", "5"},
      {"2.5", "2.5"},
      {"1e6", "1e+06"},
      {"true", "true"},
      {"null", "null"},
      {R"("a\"b\n\u0001ä")", R"("a\"b\n\x01ä")"},
      {R"({"b": [1, {"z": 1, "y": "<&>"}], "a": null})", R"({"a":null,"b":[1,{"y":"\u003c\u0026\u003e","z":1}]})"}};
  for (const Row& row : rows)
    EXPECT_EQ(schema::invalid("f", parsed(row.value), "").message, "Invalid value: " + std::string(row.shown))
        << row.value;
}

TEST(OptionalCrds, CompileAndJudge) {
  std::map<std::string, std::shared_ptr<const CrdSchema>, std::less<>> schemas;
  for (const auto& [file, yaml] : optional_crds()) {
    const auto documents = json::parse_yaml(yaml);
    ASSERT_TRUE(documents) << file;
    const json::value& spec = documents->at(0).at("spec");
    schemas[std::string(json::string_at(spec, {"names", "kind"}))] =
        compiled(spec.at("versions").at(0).at("schema").at("openAPIV3Schema"));
  }
  ASSERT_EQ(schemas.size(), 2u);
  struct Row {
    const char *kind, *spec, *message;  // of the first cause; empty: valid
  };
  const Row rows[] = {
      {"NodeOverlay", R"({"requirements":[{"key":"a","operator":"In","values":["b"]}],"price":"0.05","weight":3})", ""},
      {"NodeOverlay", R"({"requirements":[{"key":"a","operator":"In","values":[]}]})",
       "requirements with operator 'In' must have a value defined"},
      {"NodeOverlay", R"({"requirements":[],"price":"1","priceAdjustment":"-10%"})",
       "cannot set both 'price' and 'priceAdjustment'"},
      {"NodeOverlay", R"({"requirements":[],"capacity":{"cpu":"4"}})", "invalid resource restricted"},
      {"NodeOverlay", R"({"requirements":[],"capacity":{"example.com/device":4}})", ""},
      {"CapacityBuffer", R"({"podTemplateRef":{"name":"a"},"replicas":2})", ""},
      {"CapacityBuffer", R"({"podTemplateRef":{"name":"a"}})", "podTemplateRef requires replicas or limits"},
      {"CapacityBuffer",
       R"({"podTemplateRef":{"name":"a"},"replicas":1,"scalableRef":{"kind":"Deployment","name":"b"}})",
       "podTemplateRef and scalableRef exclude each other"},
  };
  for (const Row& row : rows) {
    const auto causes = schemas.at(row.kind)->validate(object_of(parsed(row.spec)), nullptr);
    ASSERT_EQ(causes.empty(), std::string_view(row.message).empty()) << row.spec;
    const std::string said = causes.empty() ? "" : causes.front().message;
    EXPECT_NE(said.find(row.message), std::string::npos) << said;
  }
}

TEST(BuiltinCrds, HaveWhatKubectlShows) {
  std::map<std::string, json::value, std::less<>> crds;
  for (const auto& [file, yaml] : builtin_crds()) {
    const auto documents = json::parse_yaml(yaml);
    ASSERT_TRUE(documents) << file;
    ASSERT_EQ(documents->size(), 1u);
    const std::string name(json::string_at(documents->at(0), {"metadata", "name"}));
    EXPECT_EQ(json::string_at(documents->at(0), {"spec", "names", "plural"}), name.substr(0, name.find('.')));
    EXPECT_EQ(json::string_at(documents->at(0), {"spec", "scope"}), "Cluster") << name;
    EXPECT_EQ(json::array_at(documents->at(0), {"spec", "names", "categories"}), json::array({"karpenter"})) << name;
    crds[name] = documents->at(0);
  }
  ASSERT_EQ(crds.size(), 3u);
  const auto columns = [&](std::string_view name) {
    std::string out;
    for (const json::value& column :
         crds.find(name)->second.at("spec").at("versions").at(0).at("additionalPrinterColumns").as_array())
      out += std::string(json::string_at(column, {"name"})) + (json::int_at(column, {"priority"}) ? "* " : " ");
    return out;
  };
  EXPECT_EQ(columns("nodepools.karpenter.sh"), "NodeClass Nodes Ready Age Weight* CPU* Memory* ");
  EXPECT_EQ(columns("nodeclaims.karpenter.sh"),
            "Type Capacity Zone Node Ready Age ImageID* ID* NodePool* NodeClass* Drifted* ");
  EXPECT_EQ(columns("ec2nodeclasses.karpenter.k8s.aws"), "Ready Age Role* ");
  EXPECT_EQ(json::array_at(crds["ec2nodeclasses.karpenter.k8s.aws"], {"spec", "names", "shortNames"}),
            json::array({"ec2nc", "ec2ncs"}));
  const json::value& pool = crds["nodepools.karpenter.sh"].at("spec").at("versions").at(0);
  EXPECT_EQ(json::string_at(pool, {"subresources", "scale", "specReplicasPath"}), ".spec.replicas");
  EXPECT_NE(json::find(pool, {"subresources", "status"}), nullptr);
}

}  // namespace
}  // namespace tenon::schema

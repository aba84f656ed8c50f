// deploy/crds in a real kube-apiserver: it accepts the definitions without warnings, applies the defaults, and gives
// for some hundred objects exactly the verdicts of the table that tests the minicluster's schemas. So the minicluster,
// which passes the same table, rejects what a real cluster rejects.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "api_server/real_api.h"
#include "base/text.h"
#include "json/json.h"
#include "json/patch.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

class Crds : public RealApiTest {
 protected:
  struct Verdict {
    int status = 0;
    Lines causes, pruned;  // sorted
  };
  static const kube::ResourceType& type_of(std::string_view kind) {
    return kind == "NodePool" ? kube::kNodePools : kind == "NodeClaim" ? kube::kNodeClaims : kube::kNodeClasses;
  }
  static std::string path_of(const kube::ResourceType& type, std::string_view name) {
    return "/apis/" + type.api_version() + "/" + type.plural + (name.empty() ? "" : "/" + std::string(name));
  }
  Verdict judge(const std::string& method, const std::string& path, const json::value& object) const {
    const http::Response response = ask(method, path + "?dryRun=All&fieldValidation=Warn", object);
    Verdict verdict{response.status, {}, {}};
    const json::value body = parse(response.body);
    for (const json::value& cause : json::array_at(body, {"details", "causes"})) {
      // The scale subresource checks its fields again; the table covers schemas only.
      if (json::string_at(cause, {"field"}).starts_with(".")) continue;
      verdict.causes.push_back(std::string(json::string_at(cause, {"reason"})) + "|" +
                               std::string(json::string_at(cause, {"field"})) + "|" +
                               std::string(json::string_at(cause, {"message"})));
    }
    for (const auto& [name, text] : response.headers.entries()) {  // 299 - "unknown field \"spec.x\""
      const size_t begin = text.find("unknown field \\\"");
      if (begin == std::string::npos) continue;
      const size_t from = begin + std::string_view("unknown field \\\"").size();
      verdict.pruned.push_back(text.substr(from, text.find('\\', from) - from));
    }
    std::sort(verdict.causes.begin(), verdict.causes.end());
    std::sort(verdict.pruned.begin(), verdict.pruned.end());
    return verdict;
  }
  // Tests the change from `base`, overlaid with `old`, to `after`. Only the first object is really created, and removed
  // again. It goes into etcd past the API server, because older rules may have allowed it.
  Verdict judge_change(const kube::ResourceType& type, const json::value& base, const json::value& old,
                       json::value after) const {
    const auto made = client_->create(type, "", base, stop_);
    EXPECT_TRUE(made) << made.error().message << "\n" << json::to_string(base);
    if (!made) return {};
    const std::string name(json::string_at(*made, {"metadata", "name"}));
    overwrite("/registry/" + type.group + "/" + type.plural + "/" + name, old);
    const auto before = client_->get(type, {"", name}, stop_);
    EXPECT_TRUE(before) << before.error().message;
    json::ensure(after, {"metadata", "resourceVersion"}) = json::string_at(*before, {"metadata", "resourceVersion"});
    const bool of_status = after.get_object().contains("status");
    const Verdict verdict = judge("PUT", path_of(type, name) + (of_status ? "/status" : ""), after);
    EXPECT_TRUE(client_->remove(type, {"", name}, {}, stop_));
    return verdict;
  }
  void overwrite(const std::string& key, const json::value& patch) const {
    const json::value found = etcd("kv/range", json::object{{"key", base64_encode(key)}});
    const json::array& values = json::array_at(found, {"kvs"});
    ASSERT_EQ(values.size(), 1u) << key;
    std::string text;
    ASSERT_TRUE(base64_decode(json::string_at(values[0], {"value"}), text));
    json::value object = parse(text);
    json::apply_merge_patch(object, patch);
    etcd("kv/put", json::object{{"key", base64_encode(key)}, {"value", base64_encode(json::to_string(object))}});
  }
};

Lines strings(const json::value* list) {
  Lines out;
  if (list == nullptr) return out;
  for (const json::value& each : list->as_array()) out.emplace_back(each.as_string());
  std::sort(out.begin(), out.end());
  return out;
}

// "reason|field".
Lines without_text(const Lines& causes) {
  Lines out;
  for (const std::string& cause : causes) out.push_back(cause.substr(0, cause.find('|', cause.find('|') + 1)));
  return out;
}

TEST_F(Crds, AreTakenWithoutComplaint) {
  for (const kube::ResourceType* type : {&kube::kNodePools, &kube::kNodeClaims, &kube::kNodeClasses}) {
    const auto crd = client_->get(kCrds, {"", type->plural + "." + type->group}, stop_);
    ASSERT_TRUE(crd) << crd.error().message;
    Lines conditions;
    for (const json::value& condition : json::array_at(*crd, {"status", "conditions"})) {
      conditions.push_back(std::string(json::string_at(condition, {"type"})) + "=" +
                           std::string(json::string_at(condition, {"status"})));
    }
    std::sort(conditions.begin(), conditions.end());
    EXPECT_THAT(conditions, ElementsAre("Established=True", "NamesAccepted=True")) << type->plural;
    EXPECT_EQ(json::string_at(*crd, {"status", "acceptedNames", "kind"}), type->kind);
  }
}

TEST_F(Crds, RefuseWhatTheTableSays) {
  std::ifstream table(TENON_SOURCE_DIR "/src/schema/testdata/karpenter_verdicts.jsonl");
  std::map<std::string, json::value, std::less<>> base;
  int judged = 0, refused = 0;
  for (std::string line; std::getline(table, line);) {
    const json::value row = parse(line);
    if (const json::value* kind = json::find(row, {"define"})) {
      base[std::string(kind->as_string())] = row.at("object");
      continue;
    }
    const std::string_view kind = json::string_at(row, {"kind"});
    const kube::ResourceType& type = type_of(kind);
    json::value object = base.find(kind)->second;
    json::apply_merge_patch(object, row.at("patch"));
    const json::value* old = json::find(row, {"old"});
    // The status of a new object is dropped unread: it is judged as a change.
    const bool of_status = json::find(row, {"patch", "status"}) != nullptr;
    const Verdict verdict = old || of_status
                                ? judge_change(type, base.find(kind)->second, old ? *old : json::object(), object)
                                : judge("POST", path_of(type, ""), object);
    const Lines causes = strings(&row.at("causes"));
    if (of_status) {  // the real server's texts begin below "status"
      EXPECT_EQ(without_text(verdict.causes), without_text(causes)) << line;
    } else {
      EXPECT_EQ(verdict.causes, causes) << line;
    }
    EXPECT_EQ(verdict.status == 422, !causes.empty()) << verdict.status << " " << line;
    EXPECT_EQ(verdict.pruned, strings(json::find(row, {"pruned"}))) << line;
    ++judged;
    refused += !causes.empty();
  }
  EXPECT_GT(judged, 250);
  EXPECT_GT(refused, 180);
}

class AnyCrds : public Crds {};

TEST_F(AnyCrds, DefaultsAreFilledInAndRead) {
  const json::value pool = parse(R"({"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"defaults"},
    "spec":{"template":{"spec":{"requirements":[],
      "nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"}}}}})");
  const auto made = client_->create(kube::kNodePools, "", pool, stop_);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(json::string_at(*made, {"spec", "disruption", "consolidateAfter"}), "0s");
  EXPECT_EQ(json::string_at(*made, {"spec", "template", "spec", "expireAfter"}), "720h");
  const auto read = kube::codec::decode_node_pool(*made);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->budgets.size(), 1u);
  EXPECT_TRUE(client_->remove(kube::kNodePools, {"", "defaults"}, {}, stop_));
}

// A claim from its creation to its end, written as the controllers write it.
TEST_F(AnyCrds, AClaimGoesThroughItsLife) {
  model::NodeClaim claim;
  claim.meta.generate_name = "default-";
  claim.meta.finalizers = {"karpenter.sh/termination"};
  claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  claim.requirements = {{"node.kubernetes.io/instance-type", model::Operator::kIn, {"c5.large", "m5.large"}, 2}};
  claim.requests = {{"cpu", 1150}, {"memory", 128 << 20}};
  claim.taints = {{"dedicated", "gpu", "NoSchedule", std::nullopt}};
  claim.expire_after = std::nullopt;
  const auto created = client_->create(kube::kNodeClaims, "", kube::codec::encode(claim), stop_);
  ASSERT_TRUE(created) << created.error().message;
  const auto back = kube::codec::decode_node_claim(*created);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->requirements, claim.requirements);
  EXPECT_EQ(back->requests, claim.requests);
  EXPECT_EQ(back->taints, claim.taints);
  EXPECT_EQ(back->expire_after, claim.expire_after);

  model::NodeClaim launched = *back;
  launched.provider_id = "aws:///us-east-1a/i-1";
  launched.capacity = {{"cpu", 2000}, {"memory", int64_t{8} << 30}};
  model::set_condition(launched.conditions, {"Launched", "True", "Launched", "", runtime_->now(), 1});
  launched.requests = {{"cpu", 1}};  // the status subresource must reject this
  const json::value patch = json::make_merge_patch(kube::codec::encode(*back), kube::codec::encode(launched));
  const kube::ObjectName name{"", back->meta.name};
  const auto patched =
      client_->patch(kube::kNodeClaims, name, kube::PatchType::kMerge, patch, {.subresource = "status"}, stop_);
  ASSERT_TRUE(patched) << patched.error().message;
  const auto after = kube::codec::decode_node_claim(*patched);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->provider_id, launched.provider_id);
  EXPECT_EQ(after->capacity, launched.capacity);
  EXPECT_TRUE(after->is(model::kLaunched));
  EXPECT_EQ(after->requests, claim.requests);
  // Conversely, a patch of the object leaves the status unchanged.
  const auto stripped = client_->patch(kube::kNodeClaims, name, kube::PatchType::kMerge,
                                       parse(R"({"status":null,"metadata":{"labels":{"a":"b"}}})"), {}, stop_);
  ASSERT_TRUE(stripped) << stripped.error().message;
  EXPECT_EQ(json::string_at(*stripped, {"status", "providerID"}), launched.provider_id);

  ASSERT_TRUE(client_->remove(kube::kNodeClaims, name, {.uid = after->meta.uid}, stop_));
  EXPECT_NE(json::find(*client_->get(kube::kNodeClaims, name, stop_), {"metadata", "deletionTimestamp"}), nullptr);
  ASSERT_TRUE(client_->patch(kube::kNodeClaims, name, kube::PatchType::kMerge,
                             parse(R"({"metadata":{"finalizers":null}})"), {}, stop_));
  EXPECT_EQ(client_->get(kube::kNodeClaims, name, stop_).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace tenon::peers

// The Kubernetes client against a real kube-apiserver: every verb, every precondition, and the errors of rejected
// requests. Tests named Any… here and in the other files also run against the minicluster.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "api_server/real_api.h"
#include "json/json.h"
#include "kube/events.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

using kube::PatchType;
using ::testing::HasSubstr;

class AnyApi : public RealApiTest {
 protected:
  json::value create(const kube::ResourceType& type, const json::value& object) const {
    auto created = client_->create(type, type.namespaced ? ns_ : "", object, stop_);
    EXPECT_TRUE(created) << created.error().message;
    return created ? *std::move(created) : json::value();
  }
  Result<json::value> patch(const kube::ResourceType& type, const std::string& name, PatchType patch_type,
                            std::string_view text, const kube::PatchOptions& options = {}) const {
    return client_->patch(type, {type.namespaced ? ns_ : "", name}, patch_type, parse(text), options, stop_);
  }
  std::string uid_of(const std::string& name) const {
    return std::string(json::string_at(*client_->get(kube::kPods, {ns_, name}, stop_), {"metadata", "uid"}));
  }
  // A pod that runs on some node, as an eviction finds it.
  std::string running_pod(const std::string& name, const std::string& labels) const {
    create(kube::kPods, pod(name, labels));
    bind(name, "some-node");
    set_status(kube::kPods, {ns_, name}, R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
    return uid_of(name);
  }
  void budget(const std::string& name, const std::string& app, int allowed) const {
    create(kube::kDisruptionBudgets, parse(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",
        "metadata":{"name":")" + name + R"("},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":")" +
                                           app + R"("}}}})"));
    set_status(
        kube::kDisruptionBudgets, {ns_, name},
        R"({"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,"disruptionsAllowed":)" +
            std::to_string(allowed) + "}");
  }
};

TEST_F(AnyApi, TellsItsVersion) { EXPECT_THAT(*client_->server_version(stop_), HasSubstr("v1.34")); }

TEST_F(AnyApi, CreatesAndRefuses) {
  create(kube::kPods, pod("a"));
  EXPECT_EQ(client_->create(kube::kPods, ns_, pod("a"), stop_).error().code, Code::kAlreadyExists);
  EXPECT_EQ(client_->get(kube::kPods, {ns_, "b"}, stop_).error().code, Code::kNotFound);
  EXPECT_EQ(client_->create(kube::kPods, "no-such-namespace", pod("a"), stop_).error().code, Code::kNotFound);
  const auto invalid = client_->create(kube::kPods, ns_, pod("Not A Name"), stop_);
  EXPECT_EQ(invalid.error().code, Code::kInvalid);
  EXPECT_THAT(invalid.error().message, HasSubstr("metadata.name"));
}

TEST_F(AnyApi, PatchesInFourWays) {
  const json::value created = create(kube::kPods, pod("a", R"({"app":"web"})"));
  const auto merged = patch(kube::kPods, "a", PatchType::kMerge, R"({"metadata":{"labels":{"a":"1"}}})");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(json::string_at(*merged, {"metadata", "labels", "app"}), "web");
  ASSERT_TRUE(patch(kube::kPods, "a", PatchType::kJson, R"([{"op":"add","path":"/metadata/labels/b","value":"2"}])"));
  const auto status =
      patch(kube::kPods, "a", PatchType::kStrategic,
            R"({"status":{"conditions":[{"type":"Ready","status":"True"}]},"metadata":{"labels":{"c":"3"}}})",
            {.subresource = "status"});
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(json::to_string(*status), HasSubstr(R"("type":"Ready")"));
  EXPECT_EQ(json::string_at(*status, {"metadata", "labels", "b"}), "2");
  const auto applied = patch(kube::kPods, "a", PatchType::kApply,
                             R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"d":"4"}}})",
                             {.field_manager = "tenon"});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(json::string_at(*applied, {"metadata", "labels", "d"}), "4");
}

TEST_F(AnyApi, AStalePatchOrUpdateIsAConflict) {
  json::value stale = create(kConfigMaps, config_map("m"));
  const std::string version(json::string_at(stale, {"metadata", "resourceVersion"}));
  const std::string guarded = R"({"metadata":{"resourceVersion":")" + version + R"("},"data":{"a":"b"}})";
  ASSERT_TRUE(patch(kConfigMaps, "m", PatchType::kMerge, guarded));
  EXPECT_EQ(patch(kConfigMaps, "m", PatchType::kMerge, guarded).error().code, Code::kConflict);
  EXPECT_EQ(client_->update(kConfigMaps, {ns_, "m"}, stale, "", stop_).error().code, Code::kConflict);
  const std::string other_uid = R"({"metadata":{"uid":"0b0e9cbc-7d0c-4c51-a1f8-000000000000"}})";
  EXPECT_EQ(patch(kConfigMaps, "m", PatchType::kMerge, other_uid).error().code, Code::kInvalid);  // no precondition
  json::value fresh = *client_->get(kConfigMaps, {ns_, "m"}, stop_);
  json::value reborn = fresh;
  json::ensure(reborn, {"metadata", "uid"}) = "0b0e9cbc-7d0c-4c51-a1f8-000000000000";
  EXPECT_EQ(client_->update(kConfigMaps, {ns_, "m"}, reborn, "", stop_).error().code, Code::kConflict);
  json::ensure(fresh, {"data", "a"}) = "c";
  ASSERT_TRUE(client_->update(kConfigMaps, {ns_, "m"}, fresh, "", stop_));
}

TEST_F(AnyApi, ApplyKeepsOwners) {
  const std::string one = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1"}})";
  const std::string two = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"2"}})";
  ASSERT_TRUE(patch(kConfigMaps, "m", PatchType::kApply, one, {.field_manager = "first"}));
  const auto refused = patch(kConfigMaps, "m", PatchType::kApply, two, {.field_manager = "second"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr(".data.a"));
  const auto forced = patch(kConfigMaps, "m", PatchType::kApply, two, {.field_manager = "second", .force = true});
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_EQ(json::string_at(*forced, {"data", "a"}), "2");
}

TEST_F(AnyApi, DeletesOnlyWhatWasMeant) {
  const json::value created = create(kConfigMaps, config_map("m"));
  const std::string uid(json::string_at(created, {"metadata", "uid"}));
  const std::string version(json::string_at(created, {"metadata", "resourceVersion"}));
  const kube::ObjectName name{ns_, "m"};
  EXPECT_EQ(client_->remove(kConfigMaps, name, {.uid = "0b0e9cbc-7d0c-4c51-a1f8-000000000000"}, stop_).error().code,
            Code::kConflict);
  ASSERT_TRUE(patch(kConfigMaps, "m", PatchType::kMerge, R"({"data":{"a":"b"}})"));
  EXPECT_EQ(client_->remove(kConfigMaps, name, {.uid = uid, .resource_version = version}, stop_).error().code,
            Code::kConflict);
  EXPECT_TRUE(client_->remove(kConfigMaps, name, {.uid = uid}, stop_));
  EXPECT_EQ(client_->remove(kConfigMaps, name, {}, stop_).error().code, Code::kNotFound);
}

TEST_F(AnyApi, APodHasItsGracePeriod) {
  running_pod("a", "{}");
  ASSERT_TRUE(client_->remove(kube::kPods, {ns_, "a"}, {.grace_period_seconds = 20}, stop_));
  const json::value going = *client_->get(kube::kPods, {ns_, "a"}, stop_);
  EXPECT_EQ(json::int_at(going, {"metadata", "deletionGracePeriodSeconds"}), 20);
  ASSERT_TRUE(client_->remove(kube::kPods, {ns_, "a"}, {.grace_period_seconds = 0}, stop_));
  EXPECT_EQ(client_->get(kube::kPods, {ns_, "a"}, stop_).error().code, Code::kNotFound);
}

TEST_F(AnyApi, AFinalizerHoldsAnObjectUntilItIsTakenAway) {
  json::value map = config_map("m");
  json::ensure(map, {"metadata", "finalizers"}) = json::array{"karpenter.sh/termination"};
  create(kConfigMaps, map);
  ASSERT_TRUE(client_->remove(kConfigMaps, {ns_, "m"}, {}, stop_));
  EXPECT_NE(json::find(*client_->get(kConfigMaps, {ns_, "m"}, stop_), {"metadata", "deletionTimestamp"}), nullptr);
  ASSERT_TRUE(patch(kConfigMaps, "m", PatchType::kMerge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_EQ(client_->get(kConfigMaps, {ns_, "m"}, stop_).error().code, Code::kNotFound);
}

TEST_F(AnyApi, EvictsWhatNoBudgetCovers) {
  const std::string uid = running_pod("a", R"({"app":"free"})");
  EXPECT_EQ(client_->evict({ns_, "a"}, "0b0e9cbc-7d0c-4c51-a1f8-000000000000", stop_).error().code, Code::kConflict);
  EXPECT_TRUE(client_->evict({ns_, "a"}, uid, stop_));
  EXPECT_NE(json::find(*client_->get(kube::kPods, {ns_, "a"}, stop_), {"metadata", "deletionTimestamp"}), nullptr);
  EXPECT_EQ(client_->evict({ns_, "nothing"}, "", stop_).error().code, Code::kNotFound);
}

TEST_F(AnyApi, ABudgetForbidsAnEviction) {
  const std::string uid = running_pod("a", R"({"app":"kept"})");
  budget("one", "kept", 0);
  const Status kept = client_->evict({ns_, "a"}, uid, stop_);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Code::kThrottled) << kept.error().message;
  EXPECT_THAT(kept.error().message, HasSubstr("disruption budget"));
  EXPECT_TRUE(client_->remove(kube::kDisruptionBudgets, {ns_, "one"}, {}, stop_));
  EXPECT_TRUE(client_->evict({ns_, "a"}, uid, stop_));
}

TEST_F(AnyApi, TwoBudgetsForOnePodAreAnError) {
  const std::string uid = running_pod("a", R"({"app":"twice"})");
  budget("one", "twice", 1);
  budget("two", "twice", 1);
  const Status refused = client_->evict({ns_, "a"}, uid, stop_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInternal) << refused.error().message;
}

// More than two pages of config maps, with a label that excludes those of other clients in the namespace.
constexpr size_t kMaps = 1100;
void make_pages(kube::Client& client, const std::string& ns) {
  for (size_t i = 0; i < kMaps; ++i) {
    json::value map = config_map("m" + std::to_string(i));
    json::ensure(map, {"metadata", "labels"}) = json::object{{"third", i % 3 == 0 ? "yes" : "no"}};
    ASSERT_TRUE(client.create(kConfigMaps, ns, map, {}));
  }
}

TEST_F(AnyApi, ListsInPagesAndBySelector) {
  make_pages(*client_, ns_);
  Witness witness(*transport_);
  const auto all = client_over(witness)->list(kConfigMaps, {.ns = ns_, .label_selector = "third"}, stop_);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->items.size(), kMaps);
  EXPECT_EQ(witness.sends, 3);
  EXPECT_EQ(client_->list(kConfigMaps, {.ns = ns_, .label_selector = "third in (yes)"}, stop_)->items.size(), 367u);
  EXPECT_EQ(client_->list(kConfigMaps, {.ns = ns_, .field_selector = "metadata.name=m7"}, stop_)->items.size(), 1u);
}

class RealApi : public AnyApi {};

TEST_F(RealApi, AListThatIsForgottenBetweenItsPagesBeginsAnew) {
  make_pages(*client_, ns_);
  Witness witness(*transport_);
  size_t items = 0, beginnings = 0;
  const auto version = client_over(witness)->list_items(
      kConfigMaps, {.ns = ns_, .label_selector = "third"},
      [&](const json::value* item) {
        beginnings += item ? 0 : 1;
        items = item ? items + 1 : 0;
        if (beginnings > 1 || items != 1) return;
        ASSERT_TRUE(patch(kConfigMaps, "m0", PatchType::kMerge, R"({"data":{"a":"b"}})"));
        compact();
      },
      stop_);
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(items, kMaps);
  EXPECT_EQ(beginnings, 2u);
  EXPECT_EQ(witness.expired, 1);
}

TEST_F(AnyApi, WritesEvents) {
  metrics::Registry registry;
  kube::EventRecorder recorder(*runtime_, *client_, registry);
  recorder.start();
  const std::string long_text(3000, 'x');
  EXPECT_TRUE(recorder.record({{"v1", "Pod", ns_, "p", "u"}, "Warning", "FailedScheduling", long_text, 2min}));
  EXPECT_TRUE(recorder.record({{"v1", "Node", "", "n", "u"}, "Normal", "Unconsolidatable", "text", 2min}));
  recorder.stop();
  EXPECT_EQ(registry.counter({"tenon_events_written_total", ""}).value(), 2);
  const auto events = client_->list(kube::kEvents, {.ns = ns_, .field_selector = "reason=FailedScheduling"}, stop_);
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->items.size(), 1u);
  EXPECT_EQ(json::string_at(events->items[0], {"source", "component"}), "karpenter");
}

}  // namespace
}  // namespace tenon::peers

// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/applier.h"

#include <gtest/gtest.h>

#include <map>

#include "json/json.h"
#include "json/patch.h"
#include "kube/resource_types.h"
#include "runtime/sim.h"

namespace tenon::controllers {
namespace {

using json::value;

// Notes every write as one line and answers with the object's next resource version; fails what it is told to fail.
class ScriptedClient : public kube::Client {
 public:
  std::vector<std::string> writes;
  std::map<std::string, Error> failures;  // by the line's beginning

  Result<value> get(const kube::ResourceType&, const kube::ObjectName&, const std::stop_token&) override {
    return fail(Code::kNotFound, "not here");
  }
  Result<kube::ListPage> list(const kube::ResourceType&, const kube::ListOptions&, const std::stop_token&) override {
    return kube::ListPage{};
  }
  Result<value> create(const kube::ResourceType& type, std::string_view, const value& object,
                       const std::stop_token&) override {
    TRY(note("create " + type.plural + " " + std::string(json::string_at(object, {"metadata", "generateName"})) +
             std::string(json::string_at(object, {"reason"}))));
    value answer = object;
    json::ensure(answer, {"metadata", "name"}) = "default-new";
    return answer;
  }
  Result<value> update(const kube::ResourceType& type, const kube::ObjectName& name, const value&, std::string_view,
                       const std::stop_token&) override {
    TRY(note("update " + type.plural + " " + name.name));
    return value(nullptr);
  }
  Result<value> patch(const kube::ResourceType& type, const kube::ObjectName& name, kube::PatchType, const value& patch,
                      const kube::PatchOptions& options, const std::stop_token&) override {
    const std::string sub = options.subresource.empty() ? "" : "/" + options.subresource;
    TRY(note("patch " + type.plural + "/" + name.name + sub + " " + json::to_string(patch)));
    return value{{"metadata", {{"resourceVersion", "8"}}}};
  }
  Status remove(const kube::ResourceType& type, const kube::ObjectName& name, const kube::DeleteOptions& options,
                const std::stop_token&) override {
    return note("delete " + type.plural + "/" + name.name + " uid=" + options.uid);
  }
  Status evict(const kube::ObjectName& pod, std::string_view uid, const std::stop_token&) override {
    return note("evict " + pod.ns + "/" + pod.name + " uid=" + std::string(uid));
  }
  Status watch(const kube::ResourceType&, const kube::ListOptions&, std::string_view,
               const std::function<bool(std::string_view, value)>&, const std::stop_token&) override {
    return ok();
  }
  Result<std::string> server_version(const std::stop_token&) override { return std::string("v1"); }

 private:
  Status note(const std::string& line) {
    writes.push_back(line);
    for (const auto& [start, error] : failures) {
      if (line.starts_with(start)) return fail(error);
    }
    return ok();
  }
};

class ApplierTest : public testing::Test {
 protected:
  void SetUp() override { events_.start(); }
  Result<Outcome> apply(const plan::Plan& plan) { return applier_.apply(plan, {}); }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  ScriptedClient client_;
  metrics::Registry registry_;
  kube::EventRecorder events_{*sim_, client_, registry_};
  Applier applier_{client_, events_};
};

model::NodeClaim claim() {
  model::NodeClaim c;
  c.meta.name = "default-abc";
  c.meta.uid = "u1";
  c.meta.resource_version = "7";
  return c;
}

TEST_F(ApplierTest, MetadataAndStatusArePatchedApartUnderTheVersionThatWasSeen) {
  plan::Plan plan;
  model::NodeClaim after = claim();
  after.meta.labels["team"] = "a";
  after.provider_id = "aws:///a/i-1";
  plan.add(plan::PatchNodeClaim{claim(), after});
  ASSERT_TRUE(apply(plan));
  ASSERT_EQ(client_.writes.size(), 2u);
  EXPECT_EQ(client_.writes[0],
            R"(patch nodeclaims/default-abc {"metadata":{"labels":{"team":"a"},"resourceVersion":"7"}})");
  EXPECT_EQ(client_.writes[1],
            "patch nodeclaims/default-abc/status "
            R"({"status":{"providerID":"aws:///a/i-1"},"metadata":{"resourceVersion":"8"}})");
}

TEST_F(ApplierTest, TheFirstFailureEndsThePlanAndNamesTheAction) {
  client_.failures["patch"] = {Code::kConflict, "modified", std::nullopt};
  plan::Plan plan;
  model::NodeClaim after = claim();
  after.meta.labels["team"] = "a";
  plan.add(plan::PatchNodeClaim{claim(), after});
  plan.add(plan::DeleteNodeClaim{claim(), "empty"});
  const auto outcome = apply(plan);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kConflict);
  EXPECT_EQ(outcome.error().message, "PatchNodeClaim default-abc: modified");
  EXPECT_EQ(client_.writes.size(), 1u);
}

TEST_F(ApplierTest, DeletionsCarryTheUidAndWhatHasGoneIsFine) {
  client_.failures["delete nodes"] = {Code::kNotFound, "gone", std::nullopt};
  plan::Plan plan;
  plan.add(plan::DeleteNode{"n1", "uid-n"});
  model::NodeClaim gone;
  gone.meta.name = "c1";
  gone.meta.uid = "uid-c";
  plan.add(plan::DeleteNodeClaim{gone, "empty"});
  ASSERT_TRUE(apply(plan));
  EXPECT_EQ(client_.writes, (std::vector<std::string>{"delete nodes/n1 uid=uid-n", "delete nodeclaims/c1 uid=uid-c"}));
}

TEST_F(ApplierTest, CreatedClaimsComeBackWithTheirNames) {
  plan::Plan plan;
  model::NodeClaim wanted;
  wanted.meta.generate_name = "default-";
  plan.add(plan::CreateNodeClaim{wanted});
  const auto outcome = apply(plan);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->created.front().meta.name, "default-new");
}

TEST_F(ApplierTest, ARefusedEvictionIsAnEventAndALaterTry) {
  client_.failures["evict default/a"] = {Code::kThrottled, "budget", std::nullopt};
  plan::Plan plan;
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "a", "uid-a"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "b", "uid-b"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  const auto outcome = apply(plan);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->refused_pods, std::vector<std::string>{"uid-a"});
  events_.stop();
  EXPECT_EQ(client_.writes, (std::vector<std::string>{"evict default/a uid=uid-a", "evict default/b uid=uid-b",
                                                      "create events FailedDraining", "create events Evicted"}));
}

}  // namespace
}  // namespace tenon::controllers

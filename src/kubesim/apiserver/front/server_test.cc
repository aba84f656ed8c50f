// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/server.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "runtime/sim.h"

namespace tenon::kubesim {
namespace {

using json::string_at;

const Resource kPods{"", "pods"};
const Resource kConfigMaps{"", "configmaps"};
const Resource kEvents{"", "events"};
const Resource kBudgets{"policy", "poddisruptionbudgets"};

boost::json::value parse(std::string_view text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : boost::json::value();
}

class InProcessApi : public testing::Test {
 protected:
  Object must(Result<Object> result) {
    EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
    return result ? *result : std::make_shared<const boost::json::value>(boost::json::object());
  }
  Object create_pod(std::string_view name) {
    auto pod = parse(R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}})");
    json::ensure(pod, {"metadata", "name"}) = name;
    return must(api_->create(kPods, "default", pod));
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  std::unique_ptr<ApiServer> api_ = make_api_server(*sim_);
};

TEST_F(InProcessApi, ANewPodHasIdentityDefaultsAndPhase) {
  const Object pod = create_pod("a");
  EXPECT_EQ(string_at(*pod, {"apiVersion"}), "v1");
  EXPECT_EQ(string_at(*pod, {"kind"}), "Pod");
  EXPECT_EQ(string_at(*pod, {"metadata", "creationTimestamp"}), "2026-09-01T12:00:00Z");
  EXPECT_EQ(string_at(*pod, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(string_at(*pod, {"status", "phase"}), "Pending");
  EXPECT_EQ(string_at(*pod, {"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(string_at(*pod, {"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(string_at(*pod, {"spec", "serviceAccountName"}), "default");
  EXPECT_EQ(json::int_at(*pod, {"spec", "priority"}, -1), 0);
  EXPECT_EQ(json::array_at(*pod, {"spec", "tolerations"}).size(), 2u);
}

TEST_F(InProcessApi, GeneratedNames) {
  auto body = parse(R"({"metadata":{"generateName":"web-"}})");
  const Object a = must(api_->create(kConfigMaps, "default", body));
  const Object b = must(api_->create(kConfigMaps, "default", body));
  EXPECT_TRUE(string_at(*a, {"metadata", "name"}).starts_with("web-"));
  EXPECT_EQ(string_at(*a, {"metadata", "name"}).size(), 9u);
  EXPECT_NE(string_at(*a, {"metadata", "name"}), string_at(*b, {"metadata", "name"}));
}

TEST_F(InProcessApi, ErrorsAreTold) {
  create_pod("a");
  EXPECT_EQ(api_->get(kPods, "default", "b").error().message, "pods \"b\" not found");
  EXPECT_EQ(api_->create(kPods, "default",
                         parse(R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}})"))
                .error()
                .code,
            Code::kAlreadyExists);
  EXPECT_EQ(api_->create(kPods, "nowhere", parse(R"({"metadata":{"name":"a"}})")).error().message,
            "namespaces \"nowhere\" not found");
  EXPECT_EQ(api_->get({"x.io", "things"}, "", "a").error().code, Code::kNotFound);
  auto stale = *api_->get(kPods, "default", "a").value();
  EXPECT_TRUE(api_->merge_patch(kPods, "default", "a", parse(R"({"metadata":{"labels":{"x":"y"}}})")).has_value());
  const auto refused = api_->update(kPods, "default", stale);
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_EQ(refused.error().message,
            "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to "
            "the latest version and try again");
}

TEST_F(InProcessApi, StatusAndSpecAreWrittenApart) {
  create_pod("a");
  must(api_->merge_patch(kPods, "default", "a", parse(R"({"status":{"phase":"Running"},"spec":{"priority":7}})"),
                         "status"));
  Object pod = must(api_->get(kPods, "default", "a"));
  EXPECT_EQ(string_at(*pod, {"status", "phase"}), "Running");
  EXPECT_EQ(json::int_at(*pod, {"spec", "priority"}), 0);
  pod = must(api_->merge_patch(kPods, "default", "a", parse(R"({"status":{"phase":"Failed"}})")));
  EXPECT_EQ(string_at(*pod, {"status", "phase"}), "Running");
}

TEST_F(InProcessApi, BindsOnce) {
  create_pod("a");
  EXPECT_TRUE(api_->bind("default", "a", "n1").has_value());
  const Object pod = must(api_->get(kPods, "default", "a"));
  EXPECT_EQ(string_at(*pod, {"spec", "nodeName"}), "n1");
  EXPECT_EQ(string_at(json::array_at(*pod, {"status", "conditions"}).at(0), {"type"}), "PodScheduled");
  const Status again = api_->bind("default", "a", "n2");
  EXPECT_EQ(again.error().code, Code::kConflict);
  EXPECT_EQ(again.error().message,
            "Operation cannot be fulfilled on pods \"a\": pod a is already assigned to node \"n1\"");
}

TEST_F(InProcessApi, APodGoesAtOnceUnlessItRunsSomewhere) {
  create_pod("unbound");
  EXPECT_TRUE(api_->remove(kPods, "default", "unbound").has_value());
  EXPECT_FALSE(api_->get(kPods, "default", "unbound").has_value());
  create_pod("bound");
  ASSERT_TRUE(api_->bind("default", "bound", "n1").has_value());
  EXPECT_TRUE(api_->remove(kPods, "default", "bound").has_value());
  const Object pod = must(api_->get(kPods, "default", "bound"));
  EXPECT_EQ(string_at(*pod, {"metadata", "deletionTimestamp"}), "2026-09-01T12:00:30Z");
  EXPECT_EQ(json::int_at(*pod, {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_TRUE(api_->remove(kPods, "default", "bound", {.grace_period_seconds = 0}).has_value());
  EXPECT_FALSE(api_->get(kPods, "default", "bound").has_value());
}

TEST_F(InProcessApi, FinalizersKeepAnObject) {
  must(api_->create(kConfigMaps, "default", parse(R"({"metadata":{"name":"c","finalizers":["x.io/keep"]}})")));
  EXPECT_TRUE(api_->remove(kConfigMaps, "default", "c").has_value());
  EXPECT_FALSE(string_at(*must(api_->get(kConfigMaps, "default", "c")), {"metadata", "deletionTimestamp"}).empty());
  const auto watch = api_->watch(kConfigMaps);
  watch->take();
  must(api_->merge_patch(kConfigMaps, "default", "c", parse(R"({"metadata":{"finalizers":null}})")));
  EXPECT_FALSE(api_->get(kConfigMaps, "default", "c").has_value());
  EXPECT_EQ(watch->take().back().type, WatchEvent::Type::kDeleted);
}

TEST_F(InProcessApi, EqualEventsAreCounted) {
  const Object pod = create_pod("a");
  api_->record_event(*pod, "Warning", "FailedScheduling", "no", "default-scheduler");
  api_->record_event(*pod, "Warning", "FailedScheduling", "no", "default-scheduler");
  api_->record_event(*pod, "Normal", "Scheduled", "yes", "default-scheduler");
  const auto events = api_->list(kEvents, "default");
  ASSERT_EQ(events->items.size(), 2u);
  int64_t count = 0;
  for (const Object& e : events->items) count += json::int_at(*e, {"count"});
  EXPECT_EQ(count, 3);
  EXPECT_EQ(string_at(*events->items[0], {"involvedObject", "name"}), "a");
}

TEST_F(InProcessApi, EventsExpireAfterAnHour) {
  const Object pod = create_pod("a");
  const auto events = [&] { return api_->list(kEvents, "default")->items.size(); };
  api_->record_event(*pod, "Warning", "FailedScheduling", "no", "default-scheduler");
  sim_->run_for(59min);
  api_->record_event(*pod, "Normal", "Scheduled", "yes", "default-scheduler");
  EXPECT_EQ(events(), 2u);
  sim_->run_for(11min);
  api_->record_event(*pod, "Normal", "Pulled", "image", "kubelet");
  EXPECT_EQ(events(), 2u) << "the first one is 70 minutes old";
}

TEST_F(InProcessApi, SelectsByLabel) {
  create_pod("a");
  EXPECT_EQ(api_->list(kPods, "", "app=web")->items.size(), 1u);
  EXPECT_EQ(api_->list(kPods, "", "app!=web")->items.size(), 0u);
  EXPECT_EQ(api_->list(kPods, "other", "")->items.size(), 0u);
  EXPECT_FALSE(api_->list(kPods, "", "app=web=x").has_value());
}

TEST_F(InProcessApi, SpecChangesCountAsGenerations) {
  const Resource deployments{"apps", "deployments"};
  Object d = must(api_->create(deployments, "default", parse(R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})")));
  EXPECT_EQ(json::int_at(*d, {"metadata", "generation"}), 1);
  EXPECT_EQ(json::int_at(*d, {"spec", "replicas"}), 1);
  EXPECT_EQ(string_at(*d, {"spec", "strategy", "rollingUpdate", "maxSurge"}), "25%");
  d = must(api_->merge_patch(deployments, "default", "d", parse(R"({"status":{"replicas":1}})"), "status"));
  EXPECT_EQ(json::int_at(*d, {"metadata", "generation"}), 1);
  d = must(api_->merge_patch(deployments, "default", "d", parse(R"({"spec":{"replicas":3}})")));
  EXPECT_EQ(json::int_at(*d, {"metadata", "generation"}), 2);
  const std::string version(string_at(*d, {"metadata", "resourceVersion"}));
  d = must(api_->merge_patch(deployments, "default", "d", parse(R"({"spec":{"replicas":3}})")));
  EXPECT_EQ(string_at(*d, {"metadata", "resourceVersion"}), version) << "nothing changed, nothing written";
}

}  // namespace
}  // namespace tenon::kubesim

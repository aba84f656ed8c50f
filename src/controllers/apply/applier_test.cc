// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/applier.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cloud/testing/memory_provider.h"
#include "json/json.h"
#include "json/patch.h"
#include "kube/resource_types.h"
#include "log/testing/capture.h"
#include "runtime/sim.h"

namespace tenon::controllers {
namespace {

using json::value;

// Records every write as one line and answers with the object's next resource version; fails on request.
class ScriptedClient : public kube::Client {
 public:
  std::vector<std::string> writes;
  std::map<std::string, Error> failures;  // by the beginning of the line
  int lost_answers = 0;                   // for the next creates: they are performed, and time out
  int taken_names = 0;                    // for the next creates: another claim has the name
  std::set<std::string> claims;           // that were created
  std::string version = "8";              // of an object that was patched

  Result<value> get(const kube::ResourceType&, const kube::ObjectName& name, const std::stop_token&) override {
    if (!claims.contains(name.name)) return fail(Code::kNotFound, "not here");
    return value{{"metadata", {{"name", name.name}}}, {"spec", {{"requirements", json::array()}}}};
  }
  Result<kube::ListPage> list(const kube::ResourceType&, const kube::ListOptions&, const std::stop_token&) override {
    return kube::ListPage{};
  }
  Result<value> create(const kube::ResourceType& type, std::string_view, const value& object,
                       const std::stop_token&) override {
    TRY(note("create " + type.plural + " " + std::string(json::string_at(object, {"metadata", "generateName"})) +
             std::string(json::string_at(object, {"reason"}))));
    if (type == kube::kNodeClaims) {
      if (taken_names > 0 && taken_names-- > 0) return fail(Code::kAlreadyExists, "there is one");
      const bool added = claims.emplace(json::string_at(object, {"metadata", "name"})).second;
      if (lost_answers > 0 && lost_answers-- > 0) return fail(Code::kTimeout, "no answer");
      if (!added) return fail(Code::kAlreadyExists, "there is one");
    }
    return object;
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
    return value{{"metadata", {{"resourceVersion", version}}}};
  }
  Status remove(const kube::ResourceType& type, const kube::ObjectName& name, const kube::DeleteOptions& options,
                const std::stop_token&) override {
    return note("delete " + type.plural + "/" + name.name + " uid=" + options.uid);
  }
  Status evict(const kube::ObjectName& pod, std::string_view uid, const std::stop_token&) override {
    return note("evict " + pod.ns + "/" + pod.name + " uid=" + std::string(uid));
  }
  Status watch(const kube::ResourceType&, const kube::ListOptions&, std::string_view,
               const std::function<bool(std::string_view, const value&)>&, const std::stop_token&) override {
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

class ApplierTest : public ::testing::Test {
 protected:
  void SetUp() override { events_.start(); }
  Result<Outcome> apply(const plan::Plan& plan) { return applier_.apply(plan, {}); }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  ScriptedClient client_;
  metrics::Registry registry_;
  kube::EventRecorder events_{*sim_, client_, registry_};
  std::vector<std::string> expected() const {
    std::vector<std::string> names;
    for (const auto& one : ledger_.expected()) names.push_back(one->meta.name);
    return names;
  }

  cloud::testing::MemoryProvider cloud_{*sim_};
  state::Ledger ledger_{*sim_};
  std::vector<std::string> log_, rejected_;
  Applier applier_{{*sim_, client_, events_, cloud_, ledger_, log::testing::messages_to(log_)},
                   {.rejected = [this](const state::Violation& v) { rejected_.push_back(v.invariant); }},
                   {}};
};

// A plan that holds the turn and creates claims, each in a group of its own.
plan::Plan creating(const state::Ledger& ledger, size_t count) {
  model::NodeClaim wanted;
  wanted.meta.generate_name = "default-";
  plan::Plan plan;
  plan.turn = ledger.turns();
  for (size_t i = 0; i < count; ++i) {
    plan.begin_group();
    plan.add(plan::CreateNodeClaim{.claim = wanted, .nominate = true, .log = ": for pod " + std::to_string(i)});
  }
  return plan;
}

model::NodeClaim claim() {
  model::NodeClaim c;
  c.meta.name = "default-abc";
  c.meta.uid = "u1";
  c.meta.resource_version = "7";
  return c;
}

TEST_F(ApplierTest, AClaimWhoseNameIsTakenGetsAnother) {
  client_.taken_names = 2;
  const auto done = apply(creating(ledger_, 1));
  ASSERT_TRUE(done);
  ASSERT_EQ(done->created.size(), 1u);
  EXPECT_EQ(client_.claims, std::set<std::string>{done->created.begin()->second.meta.name});
  EXPECT_EQ(client_.writes.size(), 3u);
}

TEST_F(ApplierTest, AServerThatKnowsEachNameIsAnError) {
  client_.taken_names = 100;
  EXPECT_EQ(apply(creating(ledger_, 1)).error().code, Code::kAlreadyExists);
  EXPECT_EQ(client_.writes.size(), 5u);
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

// The informer shows the new version a moment later.
TEST_F(ApplierTest, ADecisionFromAVersionThatAnOwnWriteHasReplacedIsNotSent) {
  plan::Plan plan;
  model::NodeClaim after = claim();
  after.meta.labels["team"] = "a";
  plan.add(plan::PatchNodeClaim{claim(), after});
  ASSERT_TRUE(apply(plan));
  EXPECT_EQ(apply(plan).error().code, Code::kConflict);
  EXPECT_EQ(client_.writes.size(), 1u);

  plan::Plan others;
  model::NodeClaim newer = claim(), other = claim(), other_after = after;
  newer.meta.resource_version = "7.1";
  other.meta.name = other_after.meta.name = "default-other";
  others.add(plan::PatchNodeClaim{newer, after});
  others.add(plan::PatchNodeClaim{other, other_after});
  EXPECT_TRUE(apply(others)) << "another version, and another object with the same version";
  EXPECT_EQ(client_.writes.size(), 3u);

  sim_->run_for(OwnWrites::kLasts);
  EXPECT_TRUE(apply(plan)) << "the write may have changed nothing";
}

TEST_F(ApplierTest, AWriteThatFailedOrChangedNothingReplacesNoVersion) {
  plan::Plan plan;
  model::NodeClaim before = claim(), after;
  before.meta.resource_version = client_.version;  // the answer has it again
  after = before;
  after.meta.labels["team"] = "a";
  after.provider_id = "aws:///a/i-1";
  plan.add(plan::PatchNodeClaim{before, after});
  client_.failures["patch"] = {Code::kUnavailable, "busy", std::nullopt};
  EXPECT_EQ(apply(plan).error().code, Code::kUnavailable);
  client_.failures.clear();
  EXPECT_TRUE(apply(plan)) << "metadata and status are two writes";
  EXPECT_EQ(client_.writes.size(), 3u);
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

TEST_F(ApplierTest, AFailureEndsItsGroupAlone) {
  client_.failures["patch nodes/a"] = {Code::kConflict, "modified", std::nullopt};
  client_.failures["delete nodeclaims/c"] = {Code::kForbidden, "denied", std::nullopt};
  model::Node before, after;
  before.meta.name = after.meta.name = "a";
  after.meta.labels["team"] = "a";
  const auto named = [](const std::string& name) {
    model::NodeClaim gone;
    gone.meta.name = name;
    return plan::DeleteNodeClaim{gone, "empty"};
  };
  plan::Plan plan;
  plan.add(named("first"));
  plan.begin_group();
  plan.add(plan::PatchNode{before, after});
  plan.add(named("a"));
  plan.begin_group();
  plan.add(named("b"));
  plan.begin_group();
  plan.add(named("c"));
  plan.begin_group();
  plan.add(named("d"));
  const auto writes = [&] {
    std::vector<std::string> out;
    for (const std::string& line : client_.writes) out.push_back(line.substr(0, line.find(" uid")));
    return out;
  };
  const auto outcome = apply(plan);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kForbidden) << "a failure rather than a conflict";
  EXPECT_EQ(outcome.error().message, "DeleteNodeClaim c (empty): denied (and 1 more failed)");
  EXPECT_EQ(writes(), (std::vector<std::string>{"delete nodeclaims/first",
                                                R"(patch nodes/a {"metadata":{"labels":{"team":"a"}}})",
                                                "delete nodeclaims/b", "delete nodeclaims/c", "delete nodeclaims/d"}));
  client_.writes.clear();
  client_.failures["delete nodeclaims/first"] = {Code::kForbidden, "denied", std::nullopt};
  EXPECT_FALSE(apply(plan));
  EXPECT_EQ(writes(), std::vector<std::string>{"delete nodeclaims/first"}) << "everything depends on it";
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

TEST_F(ApplierTest, CreatedClaimsComeBackWithTheirNamesAndAreEntered) {
  plan::Plan plan = creating(ledger_, 1);
  auto& create = std::get<plan::CreateNodeClaim>(plan.actions[0]);
  create.events = {{{"v1", "Pod", "default", "a", "uid-a"}, "Normal", "Nominated", "Pod should schedule on: "}};
  const auto outcome = apply(plan);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const std::string& name = *client_.claims.begin();
  EXPECT_EQ(outcome->created.at(0).meta.name, name);
  EXPECT_EQ(name.substr(0, 8), "default-");
  EXPECT_EQ(expected(), std::vector<std::string>{name});
  EXPECT_EQ(log_, std::vector<std::string>{"nodeclaim/" + name + ": for pod 0"});
  std::vector<scheduling::NodeView> views(1);
  views[0].claim = ledger_.expected().front();
  ledger_.annotate(views, sim_->now());
  EXPECT_TRUE(views[0].nominated);
  events_.stop();
  EXPECT_EQ(client_.writes.back(), "create events Nominated");
}

TEST_F(ApplierTest, AClaimWhoseAnswerIsLostIsCreatedOnce) {
  client_.lost_answers = 1;
  const auto outcome = apply(creating(ledger_, 1));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(client_.claims.size(), 1u);
  EXPECT_EQ(outcome->created.at(0).meta.name, *client_.claims.begin());
}

TEST_F(ApplierTest, AClaimThatMayExistIsExpected) {
  client_.lost_answers = 2;
  ASSERT_FALSE(apply(creating(ledger_, 1)));
  EXPECT_EQ(client_.claims.size(), 1u);
  EXPECT_EQ(expected(), std::vector<std::string>{*client_.claims.begin()}) << "until its informer shows otherwise";
}

TEST_F(ApplierTest, ClaimsOfAPlanAreCreatedTogetherAndFailAlone) {
  client_.lost_answers = 2;  // one claim fails
  Outcome outcome;
  const plan::Plan plan = creating(ledger_, 20);
  bool done = false;
  const auto caller = sim_->spawn("caller", [&](const std::stop_token& stop) {
    EXPECT_FALSE(applier_.apply(plan, outcome, stop));
    done = true;
  });
  sim_->run_for(1s);
  ASSERT_TRUE(done);
  EXPECT_EQ(outcome.created.size() + outcome.failures.size(), 20u);
  EXPECT_GE(outcome.created.size(), 18u);
  EXPECT_FALSE(outcome.failures.empty());
  EXPECT_EQ(outcome.performed.size(), outcome.created.size());
  EXPECT_EQ(expected().size(), 20u);
}

TEST_F(ApplierTest, APlanWhoseTurnIsLostIsNotPerformed) {
  const plan::Plan plan = creating(ledger_, 1);
  {
    const auto other = ledger_.take_turn(ledger_.turns());
  }
  Outcome outcome;
  const Status done = applier_.apply(plan, outcome, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kConflict);
  EXPECT_TRUE(outcome.turn_lost);
  EXPECT_TRUE(client_.writes.empty());
}

TEST_F(ApplierTest, TheTurnEndsWithTheOutcome) {
  {
    const auto outcome = apply(creating(ledger_, 1));
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(ledger_.take_turn(ledger_.turns()));
  }
  EXPECT_TRUE(ledger_.take_turn(ledger_.turns()));
}

TEST_F(ApplierTest, APlanThatBreaksAnInvariantIsRejectedAsAWhole) {
  plan::Plan plan = creating(ledger_, 1);
  plan.turn.reset();
  const auto outcome = apply(plan);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kInternal);
  EXPECT_EQ(outcome.error().message,
            "the plan was rejected, invariant turn: CreateNodeClaim default-: the plan does not hold the turn");
  EXPECT_EQ(rejected_, std::vector<std::string>{"turn"});
  events_.stop();
  EXPECT_EQ(client_.writes, std::vector<std::string>{"create events PlanRejected"});
}

TEST_F(ApplierTest, TestsAbortOnAViolation) {
  Applier strict({*sim_, client_, events_, cloud_, ledger_}, {}, {.abort_on_violation = true});
  plan::Plan plan;
  plan.add(plan::HoldDrain{"c1", 1h});
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)strict.apply(plan, {}), "invariant hold: HoldDrain c1");
}

TEST_F(ApplierTest, AnInstanceThatHasGoneIsReportedAndIsNoFailure) {
  cloud_.put({.provider_id = "aws:///a/i-1"});
  plan::Plan plan;
  plan.add(plan::TerminateInstance{"aws:///a/i-1"});
  plan.log = {{"terminated"}};
  const auto first = apply(plan);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->gone.empty()) << "its termination was requested";
  const auto second = apply(plan);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->gone, std::set<std::string>{"aws:///a/i-1"});
  EXPECT_EQ(log_, (std::vector<std::string>{"terminated", "terminated"}));
}

TEST_F(ApplierTest, TheLogOfAPlanThatFailedIsDropped) {
  client_.failures["delete nodes"] = {Code::kForbidden, "denied", std::nullopt};
  plan::Plan plan;
  plan.add(plan::DeleteNode{"n1", "uid-n"});
  plan.log = {{"deleted"}};
  Outcome outcome;
  ASSERT_FALSE(applier_.apply(plan, outcome, {}));
  ASSERT_EQ(outcome.failures.size(), 1u);
  EXPECT_EQ(outcome.failures[0].error.message, "denied") << "without the action";
  EXPECT_EQ(outcome.failed(0, 1)->code, Code::kForbidden);
  EXPECT_EQ(outcome.failed(1, 2), nullptr);
  EXPECT_TRUE(log_.empty());
}

TEST_F(ApplierTest, ARefusedEvictionIsAnEventAndALaterTry) {
  client_.failures["evict default/a"] = {Code::kThrottled, "budget", std::nullopt};
  plan::Plan plan;
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "a", "uid-a"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "b", "uid-b"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  const auto outcome = apply(plan);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->refused_pods, std::vector<std::string>{"uid-a"});
  EXPECT_EQ(outcome->evicted_pods, std::vector<std::string>{"uid-b"});
  EXPECT_FALSE(outcome->eviction_problem);
  events_.stop();
  EXPECT_EQ(client_.writes, (std::vector<std::string>{"evict default/a uid=uid-a", "evict default/b uid=uid-b",
                                                      "create events FailedDraining", "create events Evicted"}));
}

TEST_F(ApplierTest, AnEvictionThatAWebhookRefusesDoesNotEndThePlan) {
  for (const Code code : {Code::kInvalid, Code::kForbidden, Code::kInternal}) {
    client_.writes.clear();
    client_.failures["evict default/a"] = {code, "denied by keep.example.com", std::nullopt};
    plan::Plan plan;
    plan.add(plan::EvictPod{{"v1", "Pod", "default", "a", "uid-a"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
    plan.add(plan::EvictPod{{"v1", "Pod", "default", "b", "uid-b"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
    const auto outcome = apply(plan);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->refused_pods, std::vector<std::string>{"uid-a"});
    EXPECT_EQ(outcome->evicted_pods, std::vector<std::string>{"uid-b"});
    ASSERT_TRUE(outcome->eviction_problem);
    EXPECT_EQ(outcome->eviction_problem->message, "denied by keep.example.com");
  }
}

TEST_F(ApplierTest, WhereNobodyAnswersTheOtherEvictionsWait) {
  client_.failures["evict default/a"] = {Code::kTimeout, "no answer", std::nullopt};
  plan::Plan plan;
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "a", "uid-a"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  plan.add(plan::EvictPod{{"v1", "Pod", "default", "b", "uid-b"}, {"v1", "Node", "", "n1", "uid-n"}, "Empty"});
  const auto outcome = apply(plan);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->refused_pods, (std::vector<std::string>{"uid-a", "uid-b"})) << "all are tried again";
  EXPECT_EQ(client_.writes, std::vector<std::string>{"evict default/a uid=uid-a"});
}

}  // namespace
}  // namespace tenon::controllers

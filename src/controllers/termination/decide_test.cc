// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/decide.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/termination/drain.h"
#include "model/labels.h"

namespace tenon::controllers::termination {
namespace {

const Instant kNow(2'000'000s);

scheduling::PodPtr pod(const std::string& name, const std::function<void(model::Pod&)>& change = [](auto&) {}) {
  model::Pod p;
  p.meta.name = name;
  p.meta.ns = "default";
  p.meta.uid = "uid-" + name;
  p.phase = "Running";
  p.spec.edit().termination_grace_seconds = 30;
  change(p);
  return std::make_shared<const model::Pod>(p);
}

View view(std::vector<scheduling::PodPtr> pods) {
  View v;
  v.node.meta.name = "n1";
  v.node.meta.deleted_at = kNow;
  v.node.provider_id = "aws:///a/i-1";
  v.node.meta.finalizers = {std::string(model::kFinalizerTermination)};
  v.claim.emplace();
  v.claim->meta.name = "c1";
  v.claim->meta.deleted_at = kNow;
  v.pods = std::move(pods);
  v.now = kNow;
  return v;
}

std::vector<std::string> evicted(const plan::Plan& step) {
  std::vector<std::string> names;
  for (const auto& action : step.actions) {
    if (const auto* e = std::get_if<plan::EvictPod>(&action)) names.push_back(e->pod.name);
  }
  return names;
}

const model::NodeClaim* claim_after(const plan::Plan& step) {
  for (const auto& action : step.actions) {
    if (const auto* p = std::get_if<plan::PatchNodeClaim>(&action)) return &p->after;
  }
  return nullptr;
}

const model::Node* node_after(const plan::Plan& step) {
  for (const auto& action : step.actions) {
    if (const auto* p = std::get_if<plan::PatchNode>(&action)) return &p->after;
  }
  return nullptr;
}

void daemon(model::Pod& p) { p.meta.owners = {{.api_version = "apps/v1", .kind = "DaemonSet", .controller = true}}; }
void critical(model::Pod& p) { p.spec.edit().priority_class_name = "system-node-critical"; }

TEST(Termination, ADrainThatIsHeldTaintsAndEvictsNobody) {
  View v = view({pod("a")});
  v.held_until = kNow + 7s;
  plan::Plan step = decide(v, std::nullopt);
  EXPECT_EQ(evicted(step), std::vector<std::string>{});
  ASSERT_NE(node_after(step), nullptr);
  EXPECT_EQ(node_after(step)->taints.front().key, "karpenter.sh/disrupted");
  EXPECT_EQ(step.again, Duration(7s));
  v.held_until.reset();
  EXPECT_EQ(evicted(decide(v, std::nullopt)), std::vector<std::string>{"a"});
  // Without pods there is nothing to wait for.
  v = view({});
  v.held_until = kNow + 7s;
  step = decide(v, std::nullopt);
  EXPECT_NE(step.again, Duration(7s));
}

TEST(Termination, TaintsAndLeavesTheLoadBalancer) {
  const plan::Plan step = decide(view({pod("a")}), std::nullopt);
  EXPECT_EQ(node_after(step)->taints.front().key, "karpenter.sh/disrupted");
  EXPECT_EQ(node_after(step)->meta.labels.at("node.kubernetes.io/exclude-from-external-load-balancers"), "karpenter");
  EXPECT_EQ(plan::find<plan::TerminateInstance>(step), nullptr);
}

TEST(Termination, DrainsInFourTiers) {
  std::vector<scheduling::PodPtr> pods{pod("d-critical", [](auto& p) { daemon(p), critical(p); }),
                                       pod("critical", critical), pod("daemon", daemon), pod("plain")};
  for (const char* next : {"plain", "daemon", "critical", "d-critical"}) {
    EXPECT_EQ(evicted(decide(view(pods), std::nullopt)), std::vector<std::string>{next});
    pods.pop_back();
  }
}

TEST(Termination, SomePodsDoNotHoldItUp) {
  const auto tolerant =
      pod("tolerant", [](auto& p) { p.spec.edit().tolerations = {{"", "Exists", "", "", std::nullopt}}; });
  const auto done = pod("done", [](auto& p) { p.phase = "Succeeded"; });
  const auto mirror = pod("mirror", [](auto& p) { p.meta.owners = {{.api_version = "v1", .kind = "Node"}}; });
  const auto stuck = pod("stuck", [](auto& p) { p.meta.deleted_at = kNow - 61s; });
  for (const auto& p : {tolerant, done, mirror, stuck}) EXPECT_FALSE(drainable(*p, kNow)) << p->meta.name;
  EXPECT_TRUE(drainable(*pod("dying", [](auto& p) { p.meta.deleted_at = kNow - 59s; }), kNow));
}

TEST(Termination, WaitsWithoutEvictingAgain) {
  View v =
      view({pod("dying", [](auto& p) { p.meta.deleted_at = kNow; }),
            pod("kept", [](auto& p) { p.meta.annotations["karpenter.sh/do-not-disrupt"] = "true"; }), pod("refused")});
  v.not_before = {{"uid-refused", v.now + 300ms}};
  const plan::Plan step = decide(v, std::nullopt);
  EXPECT_TRUE(evicted(step).empty());
  EXPECT_EQ(step.again, Duration(300ms)) << "when the refused one may be tried again";
  EXPECT_EQ(plan::find<plan::TerminateInstance>(step), nullptr);
  EXPECT_EQ(claim_after(step)->conditions.size(), 5u) << "Drained=Unknown is recorded";
}

TEST(Termination, TheGracePeriodForcesPodsInTime) {
  View v = view({pod("kept", [](auto& p) { p.meta.annotations["karpenter.sh/do-not-disrupt"] = "true"; })});
  v.claim->meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] = format_rfc3339(kNow + 31s);
  const auto forced = [](const plan::Plan& step) {
    return std::any_of(step.actions.begin(), step.actions.end(),
                       [](const auto& a) { return std::holds_alternative<plan::DeletePod>(a); });
  };
  EXPECT_FALSE(forced(decide(v, std::nullopt)));
  v.now += 2s;
  EXPECT_TRUE(forced(decide(v, std::nullopt)));
}

TEST(Termination, AnEmptyNodeDrainsAtLeastFiveSeconds) {
  View v = view({});
  plan::Plan step = decide(v, std::nullopt);
  EXPECT_EQ(plan::find<plan::TerminateInstance>(step), nullptr);
  EXPECT_EQ(step.again, Duration(5s));
  v.claim = *claim_after(step);
  v.now += 5s;
  step = decide(v, std::nullopt);
  ASSERT_EQ(step.actions.size(), 1u) << "the answer decides the rest";
  EXPECT_EQ(std::get<plan::TerminateInstance>(step.actions[0]).provider_id, "aws:///a/i-1");
}

TEST(Termination, TheFinalizerGoesWithTheInstance) {
  EXPECT_TRUE(node_after(decide(view({}), true))->meta.finalizers.empty());
  View unmanaged = view({});
  unmanaged.claim.reset();
  EXPECT_TRUE(node_after(decide(unmanaged, std::nullopt)) != nullptr);
}

TEST(Termination, AForeignNodeIsLeftAlone) {
  View v = view({pod("a")});
  v.node.meta.finalizers.clear();
  EXPECT_TRUE(decide(v, std::nullopt).actions.empty());
}

}  // namespace
}  // namespace tenon::controllers::termination

// Explanations: without the named constraints the pod finds a node, without a part of them it does not. They are
// checked by other means than they are made: the plan is carried out on the snapshot, the named fields are removed from
// the manifests, and both solvers run again.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/labels.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/reference/brute_force.h"
#include "scheduling/solver.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling {
namespace {

using model::Operator;
using model::testing::a_pod;
using model::testing::a_pool;
using testing::Cluster;
using ::testing::ElementsAre;
using testing::random_cluster;
using testing::RandomCluster;

const std::string kZone(model::kLabelZone);

// ---- the checker

// Returns the snapshot with the plan carried out. Its nodes and all NodePools but one accept no further pods.
Snapshot carried_out(const Snapshot& snapshot, const Solution& plan, const std::string& open_pool) {
  Snapshot after = testing::carry_out(snapshot, plan, "bought-");  // new nodes will be called new-0 again
  const model::Taint closed{"closed", "", "NoSchedule", {}};
  for (NodeView& view : after.nodes) {
    model::Node node = *view.node;
    node.taints.push_back(closed);
    view.node = std::make_shared<model::Node>(std::move(node));
  }
  for (PoolView& view : after.pools) {
    if (view.pool->meta.name == open_pool) continue;
    model::NodePool pool = *view.pool;
    pool.node_template.taints.push_back(closed);
    view.pool = std::make_shared<model::NodePool>(std::move(pool));
  }
  return after;
}

// "…[2]…[key]" → {"2", "key"}
std::vector<std::string> brackets(const std::string& field) {
  std::vector<std::string> found;
  for (size_t at = field.find('['); at != std::string::npos; at = field.find('[', at + 1)) {
    found.push_back(field.substr(at + 1, field.find(']', at) - at - 1));
  }
  return found;
}

// Pods of the random clusters have one such term at most.
void drop_rule_of(const std::string& owner, Snapshot& world) {
  std::vector<model::PodAffinityTerm> rule;
  for (const NodeView& view : world.nodes) {
    for (const PodPtr& pod : view.pods) {
      if (pod->key() == owner) rule = pod->spec->affinity.required_anti_pods;
    }
  }
  for (NodeView& view : world.nodes) {
    for (PodPtr& pod : view.pods.edit()) {
      if (pod->spec->affinity.required_anti_pods != rule) continue;
      model::Pod kinder = *pod;
      kinder.spec.edit().affinity.required_anti_pods.clear();
      pod = std::make_shared<model::Pod>(std::move(kinder));
    }
  }
}

// Removes the fields from the manifests. List items are only marked first, so that indexes stay valid.
void take_out(const std::vector<std::string>& fields, model::Pod& pod, model::NodePool& pool, Snapshot& world) {
  std::set<size_t> spreads, affinities, antis, requirements;
  std::set<std::pair<size_t, size_t>, std::greater<>> expressions;  // of node affinity: term, index; the last first
  for (const std::string& field : fields) {
    const auto part = brackets(field);
    const auto number = [&](size_t i) { return static_cast<size_t>(std::stoul(part.at(i))); };
    const auto has = [&](const char* text) { return field.find(text) != std::string::npos; };
    if (field.starts_with("pod default/")) {
      drop_rule_of(field.substr(4, field.find(':') - 4), world);
    } else if (has("nodeSelector[")) {
      pod.spec.edit().node_selector.erase(part.at(0));
    } else if (has("nodeAffinity")) {
      expressions.emplace(number(0), number(1));
    } else if (has("requests[")) {
      pod.spec.edit().requests.set(part.at(1), 0);
    } else if (has("ports[")) {
      pod.spec.edit().host_ports.clear();
    } else if (has("topologySpread")) {
      spreads.insert(number(0));
    } else if (has("podAffinity")) {
      affinities.insert(number(0));
    } else if (has("podAntiAffinity")) {
      antis.insert(number(0));
    } else if (has("taints[")) {
      const model::Taint& taint = pool.node_template.taints.at(number(0));
      pod.spec.edit().tolerations.push_back({taint.key, "Exists", "", "", {}});
    } else if (has("requirements[")) {
      requirements.insert(number(0));
    } else if (has("limits[")) {
      pool.limits.reset();  // of one resource
    } else {
      FAIL() << "an unknown field: " << field;
    }
  }
  const auto keep = [](auto list, const std::set<size_t>& out) {
    decltype(list) left;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!out.contains(i)) left.push_back(list[i]);
    }
    return left;
  };
  pool.node_template.requirements = keep(pool.node_template.requirements, requirements);
  for (const auto& [term, place] : expressions) {
    auto& terms = pod.spec.edit().affinity.required_node_terms;
    auto& left = terms.at(term).match_expressions;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
    if (!left.empty()) continue;
    terms.clear();  // a term without requirements matches every node
    break;
  }
  pod.spec.edit().spread = keep(pod.spec->spread, spreads);
  pod.spec.edit().affinity.required_pods = keep(pod.spec->affinity.required_pods, affinities);
  pod.spec.edit().affinity.required_anti_pods = keep(pod.spec->affinity.required_anti_pods, antis);
}

struct Verdicts {
  bool solver = false, reference = false;
};

Verdicts placeable(Snapshot world, const model::Pod& pod, const std::string& pool_name,
                   const std::vector<std::string>& dropped) {
  model::Pod asks = pod;
  for (PoolView& view : world.pools) {
    if (view.pool->meta.name != pool_name) continue;
    model::NodePool pool = *view.pool;
    take_out(dropped, asks, pool, world);
    view.pool = std::make_shared<model::NodePool>(std::move(pool));
    break;
  }
  world.pending = {std::make_shared<model::Pod>(std::move(asks))};
  Verdicts verdicts;
  const Solution s = solve(world, {});
  const Status valid = check_solution(world, {}, s);
  EXPECT_TRUE(valid) << valid.error().message;
  verdicts.solver = s.new_nodes.size() == 1;
  verdicts.reference = reference::brute_force(world).unplaced.empty();
  return verdicts;
}

// ---- the checks

struct Tally {
  int pods = 0, sets = 0, of_several = 0, without_a_name = 0;
};

void judge(const Snapshot& snapshot, const Solution& plan, const PodPtr& pod, uint64_t seed, Tally& tally) {
  std::map<std::string, std::vector<std::string>> by_pool;
  for (const Reason& reason : plan.unschedulable.at(pod->key()).reasons) {
    by_pool[reason.subject].push_back(reason.field);
    EXPECT_NE(reason.detail, "");
  }
  EXPECT_EQ(by_pool.size(), snapshot.pools.size());
  ++tally.pods;
  for (const auto& [pool, fields] : by_pool) {
    if (fields.front().empty()) {
      ++tally.without_a_name;
      continue;
    }
    ++tally.sets;
    tally.of_several += fields.size() > 1 ? 1 : 0;
    const Snapshot world = carried_out(snapshot, plan, pool);
    for (size_t bits = 0; bits < size_t{1} << fields.size(); ++bits) {
      std::vector<std::string> part;
      for (size_t i = 0; i < fields.size(); ++i) {
        if ((bits >> i & 1U) != 0) part.push_back(fields[i]);
      }
      const bool all = part.size() == fields.size();
      const Verdicts verdicts = placeable(world, *pod, pool, part);
      const std::string what = "seed " + std::to_string(seed) + ", " + pod->key() + " in " + pool + " without " +
                               ::testing::PrintToString(part) + " of " + ::testing::PrintToString(fields);
      EXPECT_EQ(verdicts.solver, all) << what;
      EXPECT_EQ(verdicts.reference, all) << what;
    }
  }
}

// ---- the messages

std::vector<std::string> details(const Solution& s, const std::string& pod) {
  std::vector<std::string> texts;
  for (const Reason& reason : s.unschedulable.at("default/" + pod).reasons) texts.push_back(reason.detail);
  return texts;
}

TEST(Binding, EachKindOfConstraintHasItsWords) {
  Cluster c;
  c.pool(a_pool("default").taint("dedicated", "x").limit("cpu", "4").label("team", "a").build());
  auto pod = [](const char* name) { return a_pod(name).cpu("1").label("app", name).tolerate("dedicated"); };
  c.node({.name = "n1", .type = "r5.large", .taints = {{"full", "", "NoSchedule", {}}}},
         {a_pod("db").label("app", "db").without(kZone, "shy").build()});
  for (const char* zone : {"us-east-1b", "us-east-1c", "us-east-1d"}) {
    c.node({.name = std::string("n-") + zone, .zone = zone, .managed = false},
           {a_pod(std::string("db-") + zone).cpu("1800m").label("app", "db").without(kZone, "shy").build()});
  }
  c.daemon(a_pod("agent").host_port(9100).tolerate("").build());
  c.pending(a_pod("intolerant").cpu("1").build());
  c.pending(pod("big").cpu("500").build());
  c.pending(pod("limited").cpu("3").build());
  c.pending(pod("other-team").select("team", "b").build());
  c.pending(pod("unlabelled").select("rack", "7").build());
  c.pending(pod("arm").require({{"kubernetes.io/arch", Operator::kIn, {"arm64"}, {}}}).build());
  c.pending(pod("port").host_port(9100).cpu("1900m").build());
  c.pending(pod("shy").build());
  c.pending(pod("lonely").with(kZone, "nobody").build());
  c.pending(pod("away").without(kZone, "db").build());
  const Solution s = c.solve({.explain = true});
  EXPECT_THAT(details(s, "intolerant"), ElementsAre("taint dedicated=x:NoSchedule is not tolerated"));
  EXPECT_THAT(details(s, "big"), ElementsAre("cpu: 500 asked, 1930m is the most any type that meets the rest has"));
  EXPECT_THAT(details(s, "limited"), ElementsAre("limit of cpu 4: nodes and this plan take 2, too little is left"));
  EXPECT_THAT(details(s, "other-team"), ElementsAre("nodeSelector team In [b]: the NodePool has team In [a]"));
  EXPECT_THAT(details(s, "unlabelled"),
              ElementsAre("nodeSelector rack In [7]: nodes of the NodePool have no label rack"));
  EXPECT_THAT(details(s, "arm"),
              ElementsAre("node affinity kubernetes.io/arch In [arm64]: nothing that the NodePool can launch has it"));
  EXPECT_THAT(details(s, "port"), ElementsAre("host port 9100/TCP is taken by a DaemonSet"));
  EXPECT_THAT(details(s, "shy"),
              ElementsAre("anti-affinity of pod default/db and 3 more by topology.kubernetes.io/zone"));
  EXPECT_THAT(details(s, "lonely"), ElementsAre("pod affinity by topology.kubernetes.io/zone; pods that it counts: "
                                                "none run yet"));
  EXPECT_THAT(details(s, "away"),
              ElementsAre("pod anti-affinity by topology.kubernetes.io/zone; pods that it counts: us-east-1a 1, "
                          "us-east-1b 1, us-east-1c 1, us-east-1d 1"));
}

TEST(Binding, OfAPoolThatCanBuyNothing) {
  Cluster c;
  c.pool(a_pool("default").require(kZone, {"moon-1"}).build());
  c.pool(a_pool("unready").build());
  c.pool(a_pool("many").require(std::string(model::kLabelInstanceType), {"m5.large"}, Operator::kIn, 2).build());
  c.snapshot().pools[1].not_ready = "its node class is missing";
  c.pending(a_pod("p").cpu("1").build());
  const Solution s = c.solve({.explain = true});
  EXPECT_THAT(details(s, "p"),
              ElementsAre("the NodePool's topology.kubernetes.io/zone In [moon-1] leaves nothing to launch",
                          "minValues of node.kubernetes.io/instance-type cannot be met",
                          "the NodePool is not ready: its node class is missing"));
}

TEST(Binding, AVolumeThatIsElsewhere) {
  Cluster c;
  c.pool(a_pool("default").require(kZone, {"us-east-1a"}).build());
  model::PersistentVolume volume;
  volume.meta.name = "pv";
  volume.required_node_terms = {
      {.match_expressions = {{kZone, Operator::kIn, {"us-east-1b"}, {}}}, .match_fields = {}}};
  model::PersistentVolumeClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "data";
  claim.meta.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  claim.volume_name = "pv";
  c.snapshot().volumes["pv"] = volume;
  c.snapshot().volume_claims["default/data"] = claim;
  c.pending(a_pod("p").cpu("1").claim("data").build());
  const Solution s = c.solve({.explain = true});
  ASSERT_EQ(s.unschedulable.at("default/p").reasons.size(), 1u);
  EXPECT_EQ(s.unschedulable.at("default/p").reasons[0].constraint, "volume");
  EXPECT_THAT(details(s, "p")[0],
              ::testing::HasSubstr("can only be attached where topology.kubernetes.io/zone In [us-east-1b]"));
}

// A selector that keeps a spread even: without the selector the spread would count more zones.
TEST(Binding, ASpreadIsNamedWithItsCounts) {
  Cluster c;
  c.pool(a_pool("default").require(kZone, {"us-east-1a"}).build());
  c.node({.name = "n1", .type = "c5.large"}, {a_pod("old").cpu("1900m").label("app", "web").build()});
  c.node({.name = "n2", .type = "c5.large", .zone = "us-east-1b"}, {a_pod("big").cpu("1900m").build()});
  c.pending(a_pod("web").cpu("1").label("app", "web").spread(kZone, "web").build());
  EXPECT_THAT(details(c.solve({.explain = true}), "web"),
              ElementsAre("topology spread (maxSkew 1) by topology.kubernetes.io/zone; pods that it counts: "
                          "us-east-1a 1, us-east-1b 0"));
}

TEST(Binding, WithoutTheOptionOneReasonAPool) {
  Cluster c;
  c.pool(a_pool("default").taint("dedicated", "x").build());
  c.pending(a_pod("p").cpu("500").build());
  EXPECT_THAT(details(c.solve(), "p"), ::testing::SizeIs(1));
  EXPECT_THAT(details(c.solve({.explain = true}), "p"), ::testing::SizeIs(2));
}

// ---- at random

constexpr int kPods = 200;

TEST(Binding, NamesAnIrreducibleSetForRandomPods) {
  Tally tally;
  for (uint64_t seed = 1; tally.pods < kPods; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 10, .kinds = 4, .types = 3, .pools = 3});
    const Snapshot snapshot = c.cluster.build();
    const Solution plan = c.cluster.solve({.explain = true});
    std::set<std::string> kinds;  // pods of one shape have one explanation
    for (const PodPtr& pod : snapshot.pending) {
      if (!plan.unschedulable.contains(pod->key()) || !kinds.insert(pod->meta.labels.at("app")).second) continue;
      judge(snapshot, plan, pod, seed, tally);
    }
  }
  EXPECT_GT(tally.of_several, kPods / 4);
  EXPECT_EQ(tally.without_a_name, 0);
}

}  // namespace
}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/scenario_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/demo/scenario_observer.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using json::value;
using kubesim::Resource;

constexpr Duration kQuiet = 60s;       // without a change, beyond the longest wait of the NodePools
constexpr Duration kValidation = 15s;  // between finding a disruption and its start
constexpr Duration kMostPerStep = 2h;  // virtual time; a step that takes longer has not settled

struct ScenarioKind {
  Resource resource;
  bool namespaced = false;
};

Result<ScenarioKind> find_kind(std::string_view kind) {
  static const std::map<std::string_view, ScenarioKind> kKinds{
      {"AWSNodeTemplate", {{"karpenter.k8s.aws", "awsnodetemplates"}}},
      {"ConfigMap", {{"", "configmaps"}, true}},
      {"DaemonSet", {{"apps", "daemonsets"}, true}},
      {"Deployment", {{"apps", "deployments"}, true}},
      {"EC2NodeClass", {{"karpenter.k8s.aws", "ec2nodeclasses"}}},
      {"Namespace", {{"", "namespaces"}}},
      {"Node", {{"", "nodes"}}},
      {"NodeClaim", {{"karpenter.sh", "nodeclaims"}}},
      {"NodePool", {{"karpenter.sh", "nodepools"}}},
      {"Pod", {{"", "pods"}, true}},
      {"Provisioner", {{"karpenter.sh", "provisioners"}}},
      {"StatefulSet", {{"apps", "statefulsets"}, true}},
      {"StorageClass", {{"storage.k8s.io", "storageclasses"}}}};
  const auto it = kKinds.find(kind);
  if (it == kKinds.end()) return fail(Code::kInvalid, "a scenario cannot change a " + std::string(kind));
  return it->second;
}

constexpr std::string_view kDefaultNamespace = "default";

// Performs what a user does in one step.
class User {
 public:
  User(const Scenario& scenario, kubesim::Api& api) : scenario_(scenario), api_(api) {}

  Status act(const Step& step) {
    for (const std::string& file : step.apply) TRY_IN("apply " + file, apply(file));
    TRY(patch("NodePool", step.patch_node_pool));
    TRY(patch("EC2NodeClass", step.patch_node_class));
    if (!step.delete_all.empty()) TRY(remove(step.delete_all, ""));
    if (!step.delete_kind.empty()) TRY(remove(step.delete_kind, step.delete_name));
    if (!step.scale_deployment.empty()) {
      const value patch{{"spec", {{"replicas", step.scale_replicas}}}};
      TRY(api_.merge_patch({"apps", "deployments"}, "default", step.scale_deployment, patch));
    }
    return ok();
  }

 private:
  Status apply(const std::string& file) {
    const std::string text = TRY(example_manifest(scenario_.manifests, file));
    for (value& object : TRY(json::parse_yaml(text))) {
      const ScenarioKind kind = TRY(find_kind(json::string_at(object, {"kind"})));
      const std::string ns(kind.namespaced ? json::string_at(object, {"metadata", "namespace"}, kDefaultNamespace)
                                           : "");
      TRY(api_.create(kind.resource, ns, std::move(object)));
    }
    return ok();
  }

  Status patch(std::string_view kind, const std::string& text) {
    if (text.empty()) return ok();
    const ScenarioKind found = TRY(find_kind(kind));
    const value patch = TRY(json::parse(text));
    TRY(api_.merge_patch(found.resource, "", "default", patch));
    return ok();
  }

  // Deletes the objects of this name in any namespace; every object of the kind if it is empty.
  Status remove(const std::string& kind, const std::string& name) {
    const ScenarioKind found = TRY(find_kind(kind));
    const auto all = TRY(api_.list(found.resource, ""));
    size_t removed = 0;
    for (const auto& object : all.items) {
      const std::string_view each = json::string_at(*object, {"metadata", "name"});
      if (!name.empty() && each != name) continue;
      TRY(api_.remove(found.resource, json::string_at(*object, {"metadata", "namespace"}), each));
      ++removed;
    }
    if (!name.empty() && removed == 0) return fail(Code::kNotFound, "there is no " + kind + " " + name);
    return ok();
  }

  const Scenario& scenario_;
  kubesim::Api& api_;
};

// Returns the longest consolidateAfter or ttlSecondsAfterEmpty of all pools.
Duration longest_consolidate_after(kubesim::Api& api) {
  Duration longest{0};
  if (const auto pools = api.list({"karpenter.sh", "nodepools"}, "")) {
    for (const auto& pool : pools->items) {
      const auto text = json::string_at(*pool, {"spec", "disruption", "consolidateAfter"});
      longest = std::max(longest, parse_go_duration(text).value_or(Duration(0)));
    }
  }
  if (const auto provisioners = api.list({"karpenter.sh", "provisioners"}, "")) {
    for (const auto& provisioner : provisioners->items) {
      const value* ttl = json::find(*provisioner, {"spec", "ttlSecondsAfterEmpty"});
      if (ttl != nullptr && ttl->is_int64())
        longest = std::max<Duration>(longest, std::chrono::seconds(ttl->get_int64()));
    }
  }
  return longest;
}

bool settle(ScenarioWorld& world, Observer& observer) {
  const Duration quiet = kQuiet + kValidation + longest_consolidate_after(world.api);
  return world.sim.run_until(
      [&] {
        observer.observe();
        return world.sim.now() - observer.last_change() >= quiet;
      },
      kMostPerStep);
}

bool matches(const ExpectedNode& wanted, const Observer::SeenNode& seen) {
  if (wanted.type != seen.node.type || wanted.capacity_type != seen.node.capacity_type ||
      wanted.pods != seen.node.pods) {
    return false;
  }
  return std::all_of(wanted.labels.begin(), wanted.labels.end(),
                     [&](const auto& label) { return model::lookup(seen.node.labels, label.first) == label.second; });
}

// Judges one step: collects the differences as a list of words.
class Judge {
 public:
  Judge(const Expectation& expect, ScenarioWorld& world, const Observer& observer, bool settled)
      : expect_(expect), world_(world), observer_(observer) {
    if (!settled) wrong_.push_back("the cluster did not settle");
    for (const std::string& what : observer.broken()) {
      if (expect.replacement_first || what.starts_with("instance ")) wrong_.push_back(what);
    }
    judge_nodes();
    judge_instances();
    judge_events();
    if (const int pods = observer.pending_pods(); pods != expect.pending_pods)
      wrong_.push_back(counted(pods, "pod") + " pending");
    if (expect.max_disrupted && observer.most_disrupted() > *expect.max_disrupted) {
      wrong_.push_back(std::to_string(observer.most_disrupted()) + " nodes disrupted at once");
    }
    const int gone = observer.nodes_at_start() - observer.nodes_from_before();
    if (expect.kept && gone > 0) wrong_.push_back(std::to_string(gone) + " previous nodes were removed");
    if (expect.replaced && observer.nodes_from_before() > 0) {
      wrong_.push_back(std::to_string(observer.nodes_from_before()) + " previous nodes remain");
    }
    for (const auto& [name, wanted] : expect.pool_resources) {
      const std::string used = observer.pool_resource(name);
      if (used != wanted) wrong_.push_back("the pool uses " + name + " " + used + ", not " + wanted);
    }
    if (const auto empty = observer.shortest_empty(); expect.empty_for > Duration(0)) {
      if (!empty) wrong_.push_back("no empty node was removed");
      if (empty && *empty < expect.empty_for)
        wrong_.push_back("a node was removed after " + format_go_duration(*empty));
    }
    if (!expect.drifted.empty() && !observer.drift_reasons().contains(expect.drifted)) {
      wrong_.push_back("no NodeClaim drifted by " + expect.drifted);
    }
  }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  void judge_nodes() {
    if (!expect_.nodes) return;
    auto seen = observer_.nodes();
    for (const auto& node : seen) {
      if (!node.ready || !node.initialized || node.deleting)
        wrong_.push_back("node " + node.name + " is not ready and initialized");
    }
    for (const ExpectedNode& wanted : *expect_.nodes) {
      const auto at =
          std::find_if(seen.begin(), seen.end(), [&](const auto& candidate) { return matches(wanted, candidate); });
      if (at == seen.end()) {
        wrong_.push_back("no " + wanted.to_string());
      } else {
        seen.erase(at);
      }
    }
    if (!seen.empty()) wrong_.push_back(std::to_string(seen.size()) + " other nodes");
  }

  void judge_instances() {
    model::Price total;
    size_t running = 0;
    for (const auto& instance : world_.aws.instances()) {
      if (instance.state != "running" && instance.state != "pending") continue;
      ++running;
      total += world_.price_of(instance);
      for (const auto& [key, wanted] : expect_.instance_tags) {
        const auto tag = instance.tags.find(key);
        if (tag == instance.tags.end() || (wanted != "*" && tag->second != wanted)) {
          wrong_.push_back("an instance has no tag " + key + "=" + wanted);
        }
      }
    }
    if (running != observer_.nodes().size()) {
      wrong_.push_back(fmt::format("{} instances for {} nodes", running, observer_.nodes().size()));
    }
    if (!expect_.price_per_hour.empty() && model::format_usd(total) != expect_.price_per_hour) {
      wrong_.push_back("price " + model::format_usd(total) + ", not " + expect_.price_per_hour);
    }
  }

  void judge_events() {
    for (const std::string& event : expect_.events) {
      if (!observer_.told(event)) wrong_.push_back("no event " + event);
    }
  }

  const Expectation& expect_;
  ScenarioWorld& world_;
  const Observer& observer_;
  std::vector<std::string> wrong_;
};

std::string list(const std::vector<ExpectedNode>& nodes) {
  std::vector<std::string> texts;
  for (const ExpectedNode& node : nodes) {
    ExpectedNode plain = node;
    plain.labels.clear();
    texts.push_back(plain.to_string());
  }
  std::sort(texts.begin(), texts.end());
  return texts.empty() ? "no node" : join(texts, "; ");
}

std::string list(const std::vector<Observer::SeenNode>& nodes) {
  std::vector<ExpectedNode> plain;
  for (const auto& node : nodes) plain.push_back(node.node);
  return list(plain);
}

}  // namespace

int run_scenario(const Scenario& scenario, ScenarioWorld& world, std::ostream& out) {
  out << scenario.name << ": " << scenario.summary << "\n";
  Observer observer(world.api, world.aws, world.sim);
  User user(scenario, world.api);
  const Instant start = world.sim.now();
  int failed = 0, number = 0;
  for (const Step& step : scenario.steps) {
    observer.begin_step();
    const Status acted = user.act(step);
    if (acted && step.advance > Duration(0)) world.sim.run_for(step.advance);
    const bool settled = acted && settle(world, observer);
    const Judge judge(step.expect, world, observer, settled);
    auto wrong = judge.wrong();
    if (!acted) wrong = {acted.error().message};
    const auto at = std::chrono::duration_cast<std::chrono::seconds>(world.sim.now() - start);
    out << fmt::format("{} {} {}\n     expected {}\n     seen     {} (at {})\n", wrong.empty() ? "ok  " : "FAIL",
                       ++number, step.title, step.expect.nodes ? list(*step.expect.nodes) : "no change",
                       list(observer.nodes()), format_go_duration(at));
    for (const std::string& what : wrong) out << "     wrong    " << what << "\n";
    failed += wrong.empty() ? 0 : 1;
  }
  out << fmt::format("{} of {} steps as expected\n", number - failed, number);
  return failed;
}

}  // namespace tenon::cli

// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/drawn_cluster.h"

#include "model/labels.h"
#include "scheduling/input/overlay.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling::testing {
namespace {

using model::LabelSelector;
using model::Operator;
using model::PodAffinityTerm;
using model::RequirementSpec;

const std::string kZone(model::kLabelZone);
const std::string kCapacityType(model::kLabelCapacityType);
const std::string kGeneration(model::kLabelGeneration);
const std::vector<std::string> kTopologyKeys{kZone, std::string(model::kLabelHostname), kCapacityType, "tier"};
const std::vector<std::string> kZones{"za", "zb", "zc"};
constexpr std::string_view kDriver = "ebs.csi.aws.com";

LabelSelector app_is(std::string app) { return {{{"app", std::move(app)}}, {}}; }

class Adding {
 public:
  Adding(uint64_t seed, DrawnCluster& cluster) : prng_(~seed), out_(cluster) {}
  void run();

 private:
  bool one_in(uint64_t n) { return prng_.chance(1, n); }
  bool rarely(uint64_t n) { return prng_.chance(1, n * mildness_); }
  int upto(int most) { return static_cast<int>(prng_.between(1, most)); }
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[prng_.below(of.size())];
  }
  std::string any_app() { return "app-" + std::to_string(prng_.below(3)); }

  PodAffinityTerm term();
  model::SpreadConstraint spread(const std::string& app);
  RequirementSpec expression();
  void add_preferences(model::PodSpec& spec, const std::string& app);
  void add_rules(model::PodSpec& spec, const std::string& app);
  void add_volume(model::PodSpec& spec);
  void add_to_pod(model::PodSpec& spec, const std::string& app);
  void add_to_pods();
  void add_to_pools();
  void add_overlays();
  void choose_options();

  Prng prng_;
  DrawnCluster& out_;
  uint64_t mildness_ = static_cast<uint64_t>(prng_.between(1, 4));  // how rare rules are that pods must obey
};

PodAffinityTerm Adding::term() {
  PodAffinityTerm t{app_is(any_app()), any(kTopologyKeys), {}, {}, {}, {}};
  if (one_in(4)) t.match_label_keys = {"version"};
  if (one_in(4)) t.mismatch_label_keys = {"version"};
  if (one_in(5)) t.namespaces = {one_in(2) ? "default" : "other"};
  if (one_in(5)) t.namespace_selector = LabelSelector{{{"team", "a"}}, {}};
  return t;
}

model::SpreadConstraint Adding::spread(const std::string& app) {
  model::SpreadConstraint s;
  s.max_skew = upto(2);
  s.topology_key = any(kTopologyKeys);
  s.selector = one_in(4) ? LabelSelector{{}, {{"app", Operator::kExists, {}, {}}}} : app_is(app);
  if (one_in(3)) s.min_domains = upto(3);
  s.honor_node_affinity = !one_in(3);
  s.honor_node_taints = one_in(3);
  if (one_in(3)) s.match_label_keys = {"version"};
  return s;
}

RequirementSpec Adding::expression() {
  switch (prng_.below(6)) {
    case 0: return {kZone, Operator::kNotIn, {any(kZones)}, {}};
    case 1: return {kCapacityType, Operator::kIn, {one_in(2) ? "spot" : "on-demand"}, {}};
    case 2: return {"tier", one_in(2) ? Operator::kExists : Operator::kDoesNotExist, {}, {}};
    case 3: return {kGeneration, one_in(2) ? Operator::kGt : Operator::kLt, {std::to_string(upto(4))}, {}};
    case 4: return {std::string(model::kLabelArch), Operator::kIn, {one_in(2) ? "arm64" : "amd64"}, {}};
    default: return {kZone, Operator::kIn, {any(kZones), any(kZones)}, {}};
  }
}

void Adding::add_preferences(model::PodSpec& spec, const std::string& app) {
  if (one_in(5)) spec.affinity.preferred_node_terms.push_back({upto(100), {{expression()}, {}}});
  if (one_in(6)) spec.affinity.preferred_pods.push_back({upto(100), term()});
  if (one_in(6)) spec.affinity.preferred_anti_pods.push_back({upto(100), term()});
  if (one_in(6)) {
    spec.spread.push_back(spread(app));
    spec.spread.back().schedule_anyway = true;
  }
}

void Adding::add_rules(model::PodSpec& spec, const std::string& app) {
  if (rarely(5)) spec.spread.push_back(spread(app));
  if (rarely(8)) spec.affinity.required_pods.push_back(term());
  if (rarely(8)) spec.affinity.required_anti_pods.push_back(term());
  if (rarely(5)) {
    for (int i = upto(2); i > 0; --i) {
      spec.affinity.required_node_terms.push_back({{expression()}, {}});
      if (one_in(2)) spec.affinity.required_node_terms.back().match_expressions.push_back(expression());
    }
  }
  if (rarely(6)) spec.tolerations.push_back({"", "Exists", "", "", {}});
}

// Bound to a zone, or not yet provisioned in a class that allows it; some pods name a claim that does not exist.
void Adding::add_volume(model::PodSpec& spec) {
  const std::string name = any(std::vector<std::string>{"bound", "first", "anywhere", "missing"});
  if (one_in(4)) {
    spec.volumes.push_back({"scratch", "", true, "first"});
  } else {
    spec.volumes.push_back({"data", name, false, ""});
  }
}

void Adding::add_to_pod(model::PodSpec& spec, const std::string& app) {
  add_preferences(spec, app);
  add_rules(spec, app);
  if (rarely(8)) add_volume(spec);
  if (rarely(12)) spec.requests.set("nvidia.com/gpu", 1);
  if (rarely(25)) spec.uses_resource_claims = true;
}

void Adding::add_to_pods() {
  std::map<std::string, Shared<model::PodSpec>> specs;  // by app: the pods of one template are equal
  for (auto& pending : out_.snapshot.pending) {
    model::Pod pod = *pending;
    const std::string& app = pod.meta.labels.at("app");
    const auto [at, fresh] = specs.try_emplace(app, pod.spec);
    if (fresh) add_to_pod(at->second.edit(), app);
    pod.spec = at->second;
    pod.meta.labels["version"] = one_in(2) ? "1" : "2";
    pending = std::make_shared<const model::Pod>(std::move(pod));
  }
  auto& s = out_.snapshot;
  s.namespace_labels = {{"default", {{"team", "a"}}}, {"other", {}}};
  s.volumes["pv"] = {{}, std::string(kDriver), false, {{{{kZone, Operator::kIn, {any(kZones)}, {}}}, {}}}};
  s.storage_classes["first"] = {
      {}, std::string(kDriver), true, {{{{kZone, Operator::kIn, {"za", any(kZones)}, {}}}, {}}}};
  s.storage_classes["late"] = {{}, std::string(kDriver), true, {}};
  s.volume_claims["default/bound"] = {{}, "late", "pv", false};
  s.volume_claims["default/bound"].meta.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  s.volume_claims["default/first"] = {{}, "first", "", false};
  s.volume_claims["default/anywhere"] = {{}, "late", "", false};
  for (const auto& node : s.nodes) {
    if (one_in(2)) s.csi_nodes[node.name()] = {{}, {{std::string(kDriver), upto(2)}}};
  }
}

void Adding::add_to_pools() {
  auto types = std::make_shared<std::vector<model::InstanceType>>(*out_.snapshot.pools.front().types);
  for (model::InstanceType& type : *types) {
    type.labels[kGeneration] = {std::to_string(upto(5))};
    if (one_in(4)) type.capacity.set("nvidia.com/gpu", 2);
  }
  for (auto& view : out_.snapshot.pools) {
    model::NodePool pool = *view.pool;
    auto& requirements = pool.node_template.requirements;
    if (rarely(4)) requirements.push_back({kGeneration, Operator::kGt, {std::to_string(upto(3) - 1)}, {}});
    if (rarely(5)) requirements.push_back({"tier", Operator::kIn, {"a", "b", "c"}, {}});
    if (rarely(8)) pool.node_template.taints.push_back({"slow", "", "PreferNoSchedule", {}});
    if (rarely(8)) pool.node_template.startup_taints.push_back({"booting", "", "NoSchedule", {}});
    if (rarely(15)) pool.replicas = 2;
    if (rarely(15)) view.not_ready = "NodeClass not ready";
    view.pool = std::make_shared<const model::NodePool>(std::move(pool));
    view.types = types;
  }
}

void Adding::add_overlays() {
  std::vector<model::NodeOverlay> overlays;
  for (int i = static_cast<int>(prng_.below(3)); i > 0; --i) {
    model::NodeOverlay overlay;
    overlay.meta.name = "overlay-" + std::to_string(i);
    overlay.requirements = {expression()};
    overlay.weight = upto(2);
    switch (prng_.below(4)) {
      case 0: overlay.price_adjustment = one_in(2) ? "-25%" : "+0.01"; break;
      case 1: overlay.price = "0.05"; break;
      case 2: overlay.capacity.set("example.com/licence", 3); break;
      default: overlay.price = "cheap";
    }
    overlays.push_back(std::move(overlay));
  }
  out_.overlays_refused = apply_overlays(overlays, out_.snapshot.pools);
}

void Adding::choose_options() {
  SolveOptions& options = out_.options;
  options.explain = true;
  options.runners_up = SIZE_MAX;
  if (one_in(4)) options.preferences = PreferencePolicy::kIgnore;
  if (one_in(4)) options.min_values = MinValuesPolicy::kBestEffort;
  if (one_in(4)) options.node_price = *model::parse_price("0.01");
  if (one_in(6)) options.max_instance_types = 2;
  if (one_in(4)) options.strict_reserved = true;
  if (one_in(8)) options.reserved_capacity = false;
  if (one_in(4)) options.improvement_steps = upto(1000);
}

void Adding::run() {
  add_to_pools();
  add_overlays();
  add_to_pods();
  choose_options();
}

}  // namespace

DrawnCluster drawn_cluster(uint64_t seed, const RandomSizes& sizes) {
  DrawnCluster drawn;
  drawn.snapshot = std::move(random_cluster(seed, sizes).cluster.snapshot());
  Adding(seed, drawn).run();
  return drawn;
}

}  // namespace tenon::scheduling::testing

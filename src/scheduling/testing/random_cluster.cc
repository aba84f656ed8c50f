// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/random_cluster.h"

#include "model/labels.h"

namespace tenon::scheduling::testing {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);
const std::string kCapacityType(model::kLabelCapacityType);
const std::string kArch(model::kLabelArch);
const std::string kInstanceCpu("karpenter.k8s.aws/instance-cpu");
const std::string kInstanceMemory("karpenter.k8s.aws/instance-memory");
const std::string kGeneration(model::kLabelGeneration);
const std::vector<std::string> kZones{"za", "zb", "zc"};

class Drawing {
 public:
  Drawing(uint64_t seed, const RandomSizes& sizes) : prng_(seed), more_(~(seed * 3)), sizes_(sizes) {}
  RandomCluster run();

 private:
  int upto(int most, int least = 1) { return static_cast<int>(prng_.between(least, most)); }
  bool one_in(uint64_t n) { return prng_.chance(1, n); }
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[prng_.below(of.size())];
  }
  std::string milli(int64_t amount) { return std::to_string(amount) + "m"; }
  std::string mebi(int64_t amount) { return std::to_string(amount) + "Mi"; }

  model::InstanceType type(int index);
  model::NodePool pool(int index);
  model::testing::PodBuilder pod(const std::string& name);
  void restrict(model::testing::PodBuilder& pod);
  void relate(model::testing::PodBuilder& pod, const std::string& app);
  void add_nodes();
  void hold_together(model::testing::PoolBuilder& pool);
  void hold_together(model::testing::PodBuilder& pod, const std::string& app);
  model::RequirementSpec bound();
  void tell_apart(model::PodSpec& spec);
  void add_pods(model::testing::PodBuilder pod, int count);

  Prng prng_, more_;  // more_: draws the additions to a cluster that prng_ draws
  RandomSizes sizes_;
  RandomCluster out_;
  int zones_ = 0;
};

model::InstanceType Drawing::type(int index) {
  const int cpu = any(std::vector{1, 2, 2, 4, 4, 8, 16}), gib = cpu * any(std::vector{2, 4, 8});
  auto t = a_type("t" + std::to_string(index) + ".c" + std::to_string(cpu) + "m" + std::to_string(gib));
  t.cpu(std::to_string(cpu)).memory(std::to_string(gib) + "Gi").overhead("cpu", milli(70)).overhead("memory", "200Mi");
  t.capacity("pods", std::to_string(upto(12, 3)));
  if (one_in(4)) t.label(kArch, {"arm64"});
  t.label(kInstanceCpu, {std::to_string(cpu)}).label(kInstanceMemory, {std::to_string(gib * 1024)});
  t.label(kGeneration, {std::to_string(more_.between(3, 7))});
  const int64_t price = (cpu * 20'000 + gib * 3'000) * prng_.between(70, 130) / 100;  // micro-USD
  const auto usd = [](int64_t micro) { return model::format_usd(model::Price(micro * 1'000'000)); };
  for (int z = 0; z < zones_; ++z) {
    const std::string& zone = kZones[static_cast<size_t>(z)];
    if (z == 0 || !one_in(5)) t.offer(zone, "on-demand", usd(price), z == 0 || !one_in(8));
    if (one_in(2)) t.offer(zone, "spot", usd(price * prng_.between(25, 90) / 100));
  }
  if (sizes_.by_node && one_in(4)) t.reserve(kZones[0], "cr-" + std::to_string(index), upto(3), usd(price / 1'000'000));
  return t.build();
}

// On a number that every type has. Most types satisfy it.
model::RequirementSpec Drawing::bound() {
  const bool above = more_.chance(1, 2);
  const auto number = [&](int64_t low, int64_t high) {
    return std::vector{std::to_string(above ? low << more_.below(2) : high >> more_.below(2))};
  };
  const model::Operator op = above ? model::Operator::kGt : model::Operator::kLt;
  switch (more_.below(4)) {
    case 0: return {kInstanceMemory, op, number(2048, 65'536), {}};
    case 1: return {kGeneration, op, number(2, 8), {}};
    default: return {kInstanceCpu, op, number(1, 17), {}};
  }
}

model::NodePool Drawing::pool(int index) {
  auto p = a_pool("pool-" + std::to_string(index));
  if (one_in(3)) p.require(kCapacityType, {one_in(2) ? "spot" : "on-demand"});
  if (one_in(5)) p.require(kZone, {any(kZones)}, one_in(2) ? model::Operator::kIn : model::Operator::kNotIn);
  if (one_in(5)) p.label("team", one_in(2) ? "a" : "b");
  if (one_in(5)) p.taint("dedicated", "x");
  if (one_in(4)) p.weight(upto(3));
  if (one_in(6)) {
    p.limit(one_in(3) ? "nodes" : "cpu", std::to_string(upto(10, 2)));
    out_.limits = true;
  }
  if (sizes_.by_node) hold_together(p);
  model::NodePool pool = p.build();
  for (uint64_t bounds = more_.below(6); bounds < 2; ++bounds) pool.node_template.requirements.push_back(bound());
  return pool;
}

void Drawing::hold_together(model::testing::PoolBuilder& pool) {
  if (one_in(3)) pool.require("tier", {"a", "b"});
  // Not both: then every type that the claim lists counts against the limit.
  const bool limited = pool.build().limits.has_value();
  if (!limited && one_in(4)) {
    pool.require(std::string(one_in(2) ? model::kLabelInstanceType : model::kLabelZone), {}, model::Operator::kExists,
                 2);
  } else if (one_in(4)) {
    pool.limit("cpu", std::to_string(std::max(4, sizes_.pods * upto(20, 8) / 10)));
    out_.limits = true;
  }
}

void Drawing::hold_together(model::testing::PodBuilder& pod, const std::string& app) {
  if (one_in(4) && pod.build().spec->host_ports.empty()) pod.host_port(one_in(2) ? 8080 : 9090);
  if (one_in(4)) pod.select("tier", one_in(2) ? "a" : "b");
  // One term: a pod must match all terms to count, and the reference checks each by itself.
  if (one_in(6) && pod.build().spec->affinity.required_pods.empty()) pod.with(kHost, one_in(2) ? app : "app-0");
}

// Revisions of a Deployment, by the label version; and spreads over more domains than there may be.
void Drawing::tell_apart(model::PodSpec& spec) {
  for (model::SpreadConstraint& spread : spec.spread) {
    if (more_.chance(1, 3)) spread.match_label_keys = {"version"};
    if (more_.chance(1, 4)) spread.min_domains = static_cast<int>(more_.between(1, 4));
  }
  for (auto* terms : {&spec.affinity.required_pods, &spec.affinity.required_anti_pods}) {
    for (model::PodAffinityTerm& term : *terms) {
      if (more_.chance(1, 4)) term.match_label_keys = {"version"};
    }
  }
  for (model::PodAffinityTerm& term : spec.affinity.required_anti_pods) {
    if (term.match_label_keys.empty() && more_.chance(1, 6)) term.mismatch_label_keys = {"version"};
  }
}

// Some in two revisions.
void Drawing::add_pods(model::testing::PodBuilder p, int count) {
  model::Pod pod = p.build();
  tell_apart(pod.spec.edit());
  if (more_.chance(1, 10)) {
    auto& terms = pod.spec.edit().affinity.required_node_terms;
    if (terms.empty()) terms.emplace_back();
    terms.back().match_expressions.push_back(bound());
  }
  pod.meta.labels["version"] = "1";
  const int newer = more_.chance(1, 3) ? count / 2 : 0;
  out_.cluster.pending(pod, count - newer);
  pod.meta.name += "-newer";
  pod.meta.labels["version"] = "2";
  out_.cluster.pending(pod, newer);
}

void Drawing::restrict(model::testing::PodBuilder& pod) {
  if (one_in(6)) pod.select(kZone, any(kZones));
  if (one_in(8)) pod.select(kArch, one_in(2) ? "arm64" : "amd64");
  if (one_in(8)) pod.require({{"team", one_in(2) ? model::Operator::kNotIn : model::Operator::kIn, {"a"}, {}}});
  if (one_in(8)) pod.require({{kCapacityType, model::Operator::kIn, {"on-demand"}, {}}});
  if (one_in(3)) pod.tolerate("dedicated");
  if (one_in(12)) pod.host_port(8080);
  if (one_in(6)) pod.priority(upto(2) * 100);
}

void Drawing::relate(model::testing::PodBuilder& pod, const std::string& app) {
  const std::string& key = one_in(2) && !sizes_.by_node ? kZone : kHost;
  switch (prng_.below(9)) {
    case 0: pod.spread(key, app, upto(2)); break;
    case 1: pod.without(key, one_in(2) ? app : "app-0"); break;
    case 2: pod.with(key, app); break;
    default: return;
  }
  out_.topology = true;
}

model::testing::PodBuilder Drawing::pod(const std::string& name) {
  auto p = a_pod(name);
  return p.cpu(milli(100 * upto(30))).memory(mebi(128 * upto(48)));
}

void Drawing::add_nodes() {
  const int count = one_in(2) ? 0 : upto(sizes_.nodes);
  for (int i = 0; i < count; ++i) {
    NodeSpec spec;
    spec.name = "node-" + std::to_string(i);
    spec.type = any(out_.types).name;
    spec.zone = kZones[prng_.below(static_cast<uint64_t>(zones_))];
    spec.pool = "pool-0";
    if (one_in(4)) spec.taints = {{"dedicated", "x", "NoSchedule", {}}};
    std::vector<model::Pod> running;
    if (one_in(2)) running.push_back(pod("old-" + std::to_string(i)).label("app", "app-0").build());
    out_.cluster.node(spec, running);
    out_.nodes = true;
  }
}

RandomCluster Drawing::run() {
  zones_ = upto(3);
  const int types = upto(sizes_.types), pools = upto(sizes_.pools), kinds = upto(sizes_.kinds);
  for (int i = 0; i < types; ++i) out_.types.push_back(type(i));
  out_.cluster.types(out_.types);
  for (int i = 0; i < pools; ++i) out_.cluster.pool(pool(i));
  if (one_in(3)) {
    auto daemon = a_pod("agent");
    daemon.cpu(milli(100 * upto(8))).memory(mebi(128 * upto(4))).tolerate("");
    if (one_in(3)) daemon.select(kArch, "amd64");
    out_.cluster.daemon(daemon.build());
  }
  add_nodes();
  int left = upto(sizes_.pods);
  for (int kind = 0; kind < kinds && left > 0; ++kind) {
    const std::string app = "app-" + std::to_string(kind);
    auto p = pod(app);
    p.label("app", app);
    restrict(p);
    relate(p, app);
    if (sizes_.by_node) hold_together(p, app);
    const int count = kind + 1 == kinds ? left : upto(left);
    add_pods(p, count);
    left -= count;
  }
  out_.cluster.build();
  return std::move(out_);
}

}  // namespace

RandomCluster random_cluster(uint64_t seed, const RandomSizes& sizes) { return Drawing(seed, sizes).run(); }

}  // namespace tenon::scheduling::testing

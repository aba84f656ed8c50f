// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/tied_clusters.h"

#include <algorithm>

#include "base/prng.h"
#include "model/labels.h"

namespace tenon::scheduling::testing {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using model::testing::PodBuilder;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);
const std::vector<std::string> kZones{"za", "zb", "zc"};
const std::vector<int> kCpus{1, 2, 4, 8, 16};
constexpr int kMostNewCpus = 4;  // of the nodes that may be launched if each group has a domain
constexpr int kGibPerCpu = 4;
constexpr std::string_view kDriver = "ebs.csi.aws.com";

// A volume that exists.
void put_in_zone(Snapshot& s, model::Pod& pod, const std::string& zone) {
  const std::string claim = "claim-" + pod.meta.name, volume = "pv-" + zone;
  s.volumes[volume] = {{}, std::string(kDriver), false, {{{{kZone, model::Operator::kIn, {zone}, {}}}, {}}}};
  s.storage_classes["late"] = {{}, std::string(kDriver), true, {}};
  s.volume_claims["default/" + claim] = {{}, "late", volume, false};
  s.volume_claims["default/" + claim].meta.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  pod.spec.edit().volumes.push_back({"data", claim, false, ""});
}

class Drawing {
 public:
  explicit Drawing(uint64_t seed) : prng_(seed) {}
  Cluster by_host();
  Cluster by_zone();
  Cluster by_volumes();

 private:
  int upto(int most, int least = 1) { return static_cast<int>(prng_.between(least, most)); }
  bool one_in(uint64_t n) { return prng_.chance(1, n); }
  static std::string type_name(int cpu) { return "t" + std::to_string(cpu); }
  static PodBuilder pod(const std::string& name, int millis);
  std::vector<model::InstanceType> types();
  model::NodePool pool_of_small(const std::string& name);
  void add_node(int cpu, std::vector<model::Pod> running);
  int add_group(const std::string& app, const std::string& key);
  void add_plain(int most);

  Prng prng_;
  Cluster cluster_;
  int nodes_ = 0;
};

PodBuilder Drawing::pod(const std::string& name, int millis) {
  auto p = a_pod(name);
  return p.cpu(std::to_string(millis) + "m").memory(std::to_string(millis) + "Mi");
}

std::vector<model::InstanceType> Drawing::types() {
  std::vector<model::InstanceType> all;
  for (const int cpu : kCpus) {
    auto t = a_type(type_name(cpu));
    t.cpu(std::to_string(cpu)).memory(std::to_string(cpu * kGibPerCpu) + "Gi").capacity("pods", "110");
    const std::string price = "0.0" + std::to_string(10 + cpu * upto(5, 4));
    for (const std::string& zone : kZones) t.offer(zone, "on-demand", price, true);
    all.push_back(t.build());
  }
  return all;
}

// The order of the nodes' names differs from that of their sizes.
void Drawing::add_node(int cpu, std::vector<model::Pod> running) {
  NodeSpec spec;
  spec.name = "node-" + std::to_string(upto(999, 100)) + "-" + std::to_string(nodes_++);
  spec.type = type_name(cpu);
  spec.zone = kZones[prng_.below(kZones.size())];
  spec.pool = "small";
  cluster_.node(spec, std::move(running));
}

// One to three classes of pods; returns their CPU in thousandths.
int Drawing::add_group(const std::string& app, const std::string& key) {
  int sum = 0;
  for (int c = upto(3); c > 0; --c) {
    const int millis = 100 * upto(12), count = upto(4);
    cluster_.pending(pod(app + "-" + std::to_string(c), millis).label("app", app).with(key, app).build(), count);
    sum += millis * count;
  }
  return sum;
}

void Drawing::add_plain(int most) {
  for (int kind = upto(3); kind > 0; --kind) {
    cluster_.pending(pod("plain-" + std::to_string(kind), 100 * upto(15)).build(), upto(most));
  }
}

model::NodePool Drawing::pool_of_small(const std::string& name) {
  std::vector<std::string> names;
  for (const int cpu : kCpus) {
    if (cpu <= kMostNewCpus) names.push_back(type_name(cpu));
  }
  auto p = a_pool(name);
  return p.require(std::string(model::kLabelInstanceType), names).build();
}

// A home is an existing node with room for the whole group, or a new node; other nodes are too small or too full.
Cluster Drawing::by_host() {
  cluster_.types(types()).pool(pool_of_small("small"));
  for (int group = upto(4); group > 0; --group) {
    const std::string app = "group-" + std::to_string(group);
    const int sum = add_group(app, kHost);
    const int share = upto(95, 85);  // of the home that the group uses, at most
    const auto fits = [&](int cpu) { return cpu * 10 * share >= sum || cpu == kCpus.back(); };
    const auto home = std::find_if(kCpus.begin(), kCpus.end(), fits);
    if (*home <= kMostNewCpus && one_in(2)) continue;  // a new one
    std::vector<model::Pod> running;
    if (one_in(3)) running.push_back(pod("old-" + app, 10).label("app", app).build());
    add_node(*home, running);
  }
  for (int decoys = upto(6, 0); decoys > 0; --decoys) {
    const int cpu = kCpus[prng_.below(kCpus.size())];
    add_node(cpu, {pod("old-" + std::to_string(decoys), cpu * 10 * upto(95, 30)).build()});
  }
  add_plain(12);
  return std::move(cluster_);
}

// A pool for each zone; only one has no limit, and it is the home of all groups.
Cluster Drawing::by_zone() {
  cluster_.types(types());
  const size_t home = prng_.below(kZones.size());
  for (size_t z = 0; z < kZones.size(); ++z) {
    auto p = a_pool("pool-" + std::to_string(upto(9)) + kZones[z]);
    p.require(kZone, {kZones[z]});
    if (z != home) p.limit(one_in(2) ? "cpu" : "nodes", std::to_string(upto(4)));
    cluster_.pool(p.build());
  }
  for (int group = upto(4); group > 0; --group) add_group("group-" + std::to_string(group), kZone);
  for (int nodes = upto(4, 0); nodes > 0; --nodes) {
    const int cpu = kCpus[prng_.below(kCpus.size())];
    add_node(cpu, {pod("old-" + std::to_string(nodes), cpu * 10 * upto(95, 30)).build()});
  }
  add_plain(12);
  return std::move(cluster_);
}

// Draws numbers of pods per zone that the spread allows. Volumes bind most pods of a zone to it; the others are free.
Cluster Drawing::by_volumes() {
  cluster_.types(types()).pool(a_pool("default").build());
  for (int apps = upto(2); apps > 0; --apps) {
    const std::string app = "app-" + std::to_string(apps);
    const int skew = upto(2), least = upto(8), millis = 100 * upto(15);
    int free = 0;
    for (const std::string& zone : kZones) {
      const int all = least + upto(skew, 0), bound = upto(all, 0);
      free += all - bound;
      for (int i = 0; i < bound; ++i) {
        model::Pod p = pod(app + "-" + zone + "-" + std::to_string(i), one_in(3) ? 100 * upto(15) : millis)
                           .label("app", app)
                           .spread(kZone, app, skew)
                           .build();
        put_in_zone(cluster_.snapshot(), p, zone);
        cluster_.pending(p);
      }
    }
    const int bigger = free > 0 ? upto(free, 0) : 0;
    const auto others = [&](const char* name, int size, int count) {
      if (count > 0) cluster_.pending(pod(app + name, size).label("app", app).spread(kZone, app, skew).build(), count);
    };
    others("-bigger", millis + 100, bigger);
    others("-free", millis, free - bigger);
  }
  if (one_in(2)) add_plain(12);
  return std::move(cluster_);
}

}  // namespace

Cluster feasible_cluster(uint64_t seed) {
  Drawing drawing(seed);
  switch (seed % 3) {
    case 0: return drawing.by_host();
    case 1: return drawing.by_zone();
    default: return drawing.by_volumes();
  }
}

Cluster small_tied_cluster(uint64_t seed) {
  Cluster cluster = random_cluster(seed, {.pods = 5, .types = 3}).cluster;
  const std::string app = "app-0";  // some running pods may have it, too
  Snapshot& snapshot = cluster.snapshot();
  for (PodPtr& pending : snapshot.pending) {
    model::Pod pod = *pending;
    model::PodSpec& spec = pod.spec.edit();
    spec.spread.clear();
    spec.affinity.required_pods.clear();
    spec.affinity.required_anti_pods.clear();
    pod.meta.labels["app"] = app;
    spec.affinity.required_pods =
        a_pod("").with(seed % 2 == 0 ? kHost : kZone, app).build().spec->affinity.required_pods;
    pending = std::make_shared<const model::Pod>(std::move(pod));
  }
  return cluster;
}

Cluster small_bound_cluster(uint64_t seed) {
  Cluster cluster = random_cluster(seed, {.pods = 5, .types = 3}).cluster;
  Prng prng(~seed);
  Snapshot& snapshot = cluster.snapshot();
  for (PodPtr& pending : snapshot.pending) {
    if (prng.chance(1, 3)) continue;
    model::Pod pod = *pending;
    const std::string& app = pod.meta.labels.at("app");
    const bool spread = prng.chance(1, 2) && pod.spec->spread.empty();
    if (spread) pod.spec.edit().spread = a_pod("").spread(kZone, app, 1).build().spec->spread;
    put_in_zone(snapshot, pod, kZones[prng.below(kZones.size())]);
    pending = std::make_shared<const model::Pod>(std::move(pod));
  }
  return cluster;
}

}  // namespace tenon::scheduling::testing

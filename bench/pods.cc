// SPDX-License-Identifier: Apache-2.0
#include "pods.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/prng.h"
#include "model/labels.h"
#include "model/pod_specs.h"
#include "model/testing/builders.h"
#include "scheduling/input/snapshot.h"

namespace tenon::bench {
namespace {

using model::testing::a_pod;
using model::testing::PodBuilder;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);

std::string numbered(const std::string& name, size_t number) { return name + "-" + std::to_string(100'000 + number); }

class Diverse {
 public:
  explicit Diverse(size_t count) : count_(count) { pods_.reserve(count); }

  Pods all() {
    const size_t share = count_ / 5;
    for (size_t i = 0; i < share; ++i) add(labelled());
    for (const std::string& key : {kZone, kHost}) {
      for (size_t i = 0; i < share; ++i) {
        PodBuilder pod = labelled();
        add(pod.spread(key, "x"), letter());
      }
    }
    for (size_t i = 0; i < share; ++i) {
      const std::string value = letter();
      PodBuilder pod = next();
      add(pod.label("my-affininity", value).with(kZone, value), value, "my-affininity");
    }
    for (size_t i = 0; i < share; ++i) {
      PodBuilder pod = next();
      add(pod.label("app", "nginx").without(kHost, "nginx"));
    }
    return plain();
  }
  Pods plain() {
    while (pods_.size() < count_) add(labelled());
    return std::move(pods_);
  }

 private:
  PodBuilder next() { return a_pod(numbered("pod", pods_.size())); }
  PodBuilder labelled() {
    PodBuilder pod = next();
    pod.label("my-label", letter());
    return pod;
  }
  std::string letter() { return std::string(1, static_cast<char>('a' + prng_.below(7))); }
  // Selectors of the pod's rules become key=value, if a value is given.
  void add(PodBuilder builder, const std::string& value = "", const std::string& key = "my-label") {
    static const std::vector<int> kCpus{100, 250, 500, 1000, 1500}, kMemories{100, 256, 512, 1024, 2048, 4096};
    builder.cpu(std::to_string(kCpus[prng_.below(kCpus.size())]) + "m");
    builder.memory(std::to_string(kMemories[prng_.below(kMemories.size())]) + "Mi");
    model::Pod pod = builder.build();
    if (!value.empty()) {
      model::PodSpec& spec = pod.spec.edit();
      for (auto& spread : spec.spread) spread.selector = model::LabelSelector{{{key, value}}, {}};
      for (auto& term : spec.affinity.required_pods) term.selector = model::LabelSelector{{{key, value}}, {}};
    }
    pod.spec = specs_.share(std::move(pod.spec));
    pods_.push_back(std::make_shared<model::Pod>(std::move(pod)));
  }

  const size_t count_;
  Prng prng_{42};
  model::PodSpecs specs_;
  Pods pods_;
};

}  // namespace

Pods diverse_pods(size_t count) { return Diverse(count).all(); }
Pods plain_pods(size_t count) { return Diverse(count).plain(); }

Pods deployments(size_t count, size_t number, uint64_t seed) {
  Prng prng(seed);
  Pods pods;
  pods.reserve(count);
  for (size_t d = 0; d < number; ++d) {
    const int64_t cpu = 50 * prng.between(2, 60), memory = cpu * prng.between(5, 80) / 10;
    const size_t replicas = count / number + (d < count % number ? 1 : 0);
    const std::string app = "app-" + std::to_string(100 + d);
    model::Pod pod =
        a_pod(app).label("app", app).cpu(std::to_string(cpu) + "m").memory(std::to_string(memory) + "Mi").build();
    for (size_t i = 0; i < replicas; ++i) {
      pod.meta.name = numbered(app, i);
      pods.push_back(std::make_shared<model::Pod>(pod));
    }
  }
  return pods;
}

// Karpenter's own: all pods prefer the first zone and a host of their own, which they can get, and a zone of their own,
// which they cannot.
Pods preferring_pods(size_t count) {
  const model::RequirementSpec first_zone{kZone, model::Operator::kIn, {"test-zone-1"}, std::nullopt};
  PodBuilder builder = a_pod("pod").label("app", "nginx").cpu("500m").memory("1Gi").prefer(1, {first_zone});
  model::Pod pod = builder.prefer_without(10, kZone, "nginx").prefer_without(1, kHost, "nginx").build();
  Pods pods;
  pods.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    pod.meta.name = numbered("pod", i);
    pods.push_back(std::make_shared<model::Pod>(pod));
  }
  return pods;
}

// Deployments of ten pods: no two pods of one Deployment on a host, and spread over the zones.
Pods apart_pods(size_t count) {
  Pods pods = deployments(count, std::max<size_t>(1, count / 10), 42);
  model::PodSpecs specs;
  for (scheduling::PodPtr& plain : pods) {
    const std::string& app = plain->meta.labels.at("app");
    const model::Pod rules = a_pod("rules").spread(kZone, app).without(kHost, app).build();
    model::Pod pod = *plain;
    pod.spec.edit().spread = rules.spec->spread;
    pod.spec.edit().affinity = rules.spec->affinity;
    pod.spec = specs.share(std::move(pod.spec));
    plain = std::make_shared<model::Pod>(std::move(pod));
  }
  return pods;
}

}  // namespace tenon::bench

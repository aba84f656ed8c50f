// SPDX-License-Identifier: Apache-2.0
#include "simulation/best.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "catalog/formulas.h"

namespace tenon::simulation {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

int fits(const LifeOptions& options, const catalog::InstanceFacts& facts) {
  const auto capacity = catalog::capacity_of(facts, {});
  const auto overhead = catalog::overhead_of(facts, {});
  CHECK(overhead.has_value());
  const model::Resources room = capacity - overhead->total();
  const int64_t by_cpu = room.get("cpu") / options.pod_millicores;
  const int64_t by_memory = room.get("memory") / (options.pod_mib * kMib);
  return static_cast<int>(std::max<int64_t>(0, std::min({by_cpu, by_memory, room.get("pods")})));
}

const Kind* find(const std::vector<Kind>& all, const std::string& type) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Kind& k) { return k.type == type; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace

model::Price price_now(const LifeOptions& options, const std::string& type, const std::string& zone) {
  const auto* facts = catalog::find_instance_type(type);
  CHECK(facts != nullptr, type);
  if (options.capacity_type != "spot") return *facts->on_demand;
  for (const catalog::Zone& z : catalog::demo_zones()) {
    if (z.name == zone) return *catalog::demo_spot_price(*facts, z);
  }
  CHECK(false, zone);
}

std::vector<Kind> kinds(const LifeOptions& options) {
  std::vector<Kind> all;
  for (const std::string& type : options.types) {
    const auto* facts = catalog::find_instance_type(type);
    CHECK(facts != nullptr, type);
    Kind kind{type, fits(options, *facts), model::Price(std::numeric_limits<int64_t>::max())};
    for (const catalog::Zone& zone : catalog::demo_zones()) {
      kind.price = std::min(kind.price, price_now(options, type, std::string(zone.name)));
    }
    if (kind.fits > 0) all.push_back(kind);
  }
  return all;
}

// best(n) = the least over types of price + best(n − the pods that fit).
model::Price cheapest(const LifeOptions& options, int pods) {
  const auto all = kinds(options);
  CHECK(!all.empty(), "the pod fits on no type");
  std::vector<model::Price> best{model::Price{}};
  for (int n = 1; n <= pods; ++n) {
    model::Price least(std::numeric_limits<int64_t>::max());
    for (const Kind& kind : all)
      least = std::min(least, best[static_cast<size_t>(std::max(0, n - kind.fits))] + kind.price);
    best.push_back(least);
  }
  return best.back();
}

int free_room(const LifeOptions& options, const std::vector<LiveNode>& nodes) {
  const auto all = kinds(options);
  int room = 0;
  for (const LiveNode& node : nodes) room += find(all, node.type)->fits - node.pods;
  return room;
}

std::string better_move(const LifeOptions& options, const std::vector<LiveNode>& nodes, int most) {
  const auto all = kinds(options);
  CHECK(nodes.size() < 16, "too many nodes to try every set");
  for (uint32_t set = 1; set < (1u << nodes.size()); ++set) {
    if (std::popcount(set) > most) continue;
    int moving = 0, room = 0;
    model::Price paid;
    std::string names;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const LiveNode& node = nodes[i];
      if (set >> i & 1) {
        moving += node.pods;
        paid += price_now(options, node.type, node.zone);
        names += " " + node.name + "(" + node.type + ")";
      } else {
        room += find(all, node.type)->fits - node.pods;
      }
    }
    if (moving <= room) return names + " could go";
    for (const Kind& kind : all) {
      if (kind.price < paid && moving <= room + kind.fits) return names + " could become one " + kind.type;
    }
  }
  return "";
}

}  // namespace tenon::simulation

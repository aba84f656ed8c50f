// SPDX-License-Identifier: Apache-2.0
#include "scheduling/answer/topology_text.h"

#include <map>

namespace tenon::scheduling {
namespace {

constexpr size_t kShownDomains = 25;
constexpr size_t kDigits = 4;  // of the number in a placeholder

std::string_view kind_of(const Group& group) {
  switch (group.kind) {
    case GroupKind::kSpread: return "topology spread";
    case GroupKind::kAffinity: return "pod affinity";
    case GroupKind::kAntiAffinity:
    case GroupKind::kPreferredAntiAffinity: return "pod anti-affinity";
  }
  return "";
}

struct Counts {
  std::map<std::string, int> by_domain;
  size_t fresh = 0;  // new nodes
};

Counts counts_of(const State& state, const Group& group) {
  const Problem& problem = state.problem();
  const auto index = static_cast<size_t>(&group - problem.groups.data());
  const TopologyKey& key = problem.keys[static_cast<size_t>(group.key)];
  Counts counts;
  for (size_t d = 0; d < key.values.size(); ++d) counts.by_domain[key.values[d]] = state.domain_count(index, d);
  if (group.key != kHostKey) return counts;
  for (const Bin& bin : state.bins()) {
    if (bin.fresh() && bin.placed.empty()) continue;
    const std::string name =
        bin.fresh() ? name_to_come(++counts.fresh) : problem.nodes[static_cast<size_t>(bin.node)].name;
    counts.by_domain[name] = bin.host_count(index).matched;
  }
  return counts;
}

}  // namespace

std::string name_to_come(size_t number) {
  const std::string digits = std::to_string(number);
  const size_t zeros = digits.size() < kDigits ? kDigits - digits.size() : 0;
  return "hostname-placeholder-" + std::string(zeros, '0') + digits;
}

std::string topology_text(const State& state, const Group& group, const PoolProblem& pool, const Variant& variant) {
  const TopologyKey& key = state.problem().keys[static_cast<size_t>(group.key)];
  const Counts all = counts_of(state, group);
  std::string counts;
  size_t shown = 0;
  for (const auto& [domain, count] : all.by_domain) {
    if (shown == kShownDomains) break;
    counts += (shown++ == 0 ? "" : ", ") + domain + ": " + std::to_string(count);
  }
  if (shown < all.by_domain.size()) counts += " and " + std::to_string(all.by_domain.size() - shown) + " other(s)";
  model::Requirements node = pool.requirements;
  node.add(variant.all);
  if (group.key == kHostKey) node.replace(model::Requirement::in(key.name, {name_to_come(all.fresh + 1)}));
  return "unsatisfiable topology constraint for " + std::string(kind_of(group)) + ", key=" + key.name +
         " (counts = " + counts + ", podDomains = " + variant.node.get(key.name).to_string() +
         ", nodeDomains = " + node.get(key.name).to_string();
}

}  // namespace tenon::scheduling

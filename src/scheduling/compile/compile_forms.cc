// Computes the rows and existing nodes that each class of pods may use, at each step of relaxing its preferences
// (Form), for each alternative of its required node terms and volumes (Variant). The results are sets of row and node
// indexes: the solver intersects them in place of comparing labels.
//
// Cost: an index from labels to nodes and rows is built once for each label key. Classes × forms × variants × pools set
// operations follow, fewer if classes have equal node selectors, node affinity and tolerations, or equal requests.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/check.h"
#include "scheduling/compile/parts.h"
#include "scheduling/compile/preferences.h"
#include "scheduling/compile/problem.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/pod_check.h"

namespace tenon::scheduling {
namespace {

// Returns the rows of the types whose capacity is within the limits that are left.
RowSet rows_within_limits(const PoolProblem& pool) {
  RowSet rows(pool.rows.size());
  for (const TypeProblem& type : pool.types) {
    const bool within = std::equal(type.charge.begin(), type.charge.end(), pool.left.begin(), std::less_equal<>());
    if (!within) continue;
    for (const size_t row : type.rows) rows.set(row);
  }
  return rows;
}

// Returns those of `rows` that can hold one such pod beside the daemons.
RowSet rows_with_room(const PodClass& c, const PoolProblem& pool, RowSet rows) {
  if (!pool.room.keep(c.requests, rows)) return RowSet(pool.rows.size());
  pool.drop_port_conflicts(c.ports, rows);
  return rows;
}

std::vector<Variant> with_room(std::vector<Variant> variants, const std::vector<RowSet>& room) {
  for (Variant& variant : variants) {
    for (size_t p = 0; p < room.size(); ++p) variant.rows[p] &= room[p];
  }
  return variants;
}

// An index from labels to existing nodes.
class NodesByLabel {
 public:
  explicit NodesByLabel(const std::vector<NodeProblem>& nodes) : nodes_(nodes) {}
  RowSet that_satisfy(const model::Requirements& requirements);

 private:
  struct Values {
    std::unordered_map<std::string_view, std::vector<size_t>> nodes;
    std::vector<size_t> without;  // nodes that lack the label
  };
  const Values& values_of(const std::string& key);

  const std::vector<NodeProblem>& nodes_;
  std::map<std::string, Values> known_;  // by key
};

const NodesByLabel::Values& NodesByLabel::values_of(const std::string& key) {
  const auto [at, fresh] = known_.try_emplace(key);
  for (size_t n = 0; fresh && n < nodes_.size(); ++n) {
    const auto label = nodes_[n].labels->find(key);
    (label == nodes_[n].labels->end() ? at->second.without : at->second.nodes[label->second]).push_back(n);
  }
  return at->second;
}

RowSet NodesByLabel::that_satisfy(const model::Requirements& requirements) {
  RowSet all(nodes_.size(), true);
  for (const auto& [key, r] : requirements.by_key()) {
    const Values& values = values_of(key);
    RowSet some(nodes_.size());
    const auto add = [&](const std::vector<size_t>& nodes) {
      for (const size_t n : nodes) some.set(n);
    };
    if (r.tolerates_absence()) add(values.without);
    if (r.complement()) {
      for (const auto& [value, nodes] : values.nodes) {
        if (r.allows(value)) add(nodes);
      }
    } else {
      for (const std::string& value : r.values()) {
        const auto at = values.nodes.find(value);
        if (at != values.nodes.end() && r.allows(value)) add(at->second);
      }
    }
    all &= some;
  }
  return all;
}

// Finds the rows and nodes that node selectors, node affinity, tolerations and volumes allow. Many classes differ in
// other fields only, so the results are cached.
class Places {
 public:
  explicit Places(const Problem& problem) : problem_(problem), nodes_(problem.nodes) {}
  const std::vector<Variant>& of(const PodPtr& pod);

 private:
  std::vector<Variant> find(const model::Pod& pod);
  static bool same(const model::Pod& a, const model::Pod& b) {
    return a.spec->volumes.empty() && b.spec->volumes.empty() && a.spec->node_selector == b.spec->node_selector &&
           a.spec->tolerations == b.spec->tolerations &&
           a.spec->affinity.required_node_terms == b.spec->affinity.required_node_terms &&
           a.spec->affinity.preferred_node_terms == b.spec->affinity.preferred_node_terms;
  }

  const Problem& problem_;
  NodesByLabel nodes_;
  struct Known {
    PodPtr pod;
    std::vector<Variant> variants;
  };
  std::unordered_map<size_t, std::deque<Known>> known_;
};

const std::vector<Variant>& Places::of(const PodPtr& pod) {
  size_t hash = pod->spec->tolerations.size() + 31 * pod->spec->affinity.required_node_terms.size();
  for (const auto& [key, value] : pod->spec->node_selector) hash = hash * 31 + std::hash<std::string>()(value);
  auto& bucket = known_[hash];
  const auto at = std::find_if(bucket.begin(), bucket.end(), [&](const Known& k) { return same(*k.pod, *pod); });
  if (at != bucket.end()) return at->variants;
  return bucket.emplace_back(Known{pod, find(*pod)}).variants;
}

std::vector<Variant> Places::find(const model::Pod& pod) {
  std::vector<Variant> variants;
  const auto terms = node_terms(pod);
  const auto volumes = volume_alternatives(*problem_.snapshot, pod);
  if (!terms || !volumes) return variants;
  for (const model::Requirements& term : *terms) {
    for (const model::Requirements& volume : *volumes) {
      Variant variant{term, term, {}, {}};
      variant.all.add(volume);
      if (term.intersects(volume)) variants.push_back(std::move(variant));
    }
  }
  for (Variant& variant : variants) {
    for (const PoolProblem& pool : problem_.pools) {
      RowSet rows(pool.rows.size());
      const bool stands = !model::first_untolerated(pool.pool->node_template.taints, pod.spec->tolerations, true);
      if (!stands || !pool.rows_for(variant.all, rows)) rows = RowSet(pool.rows.size());
      variant.rows.push_back(std::move(rows));
    }
    variant.nodes = nodes_.that_satisfy(variant.all);
    for (size_t n = variant.nodes.first(); n != RowSet::kNone; n = variant.nodes.next(n)) {
      if (model::first_untolerated(problem_.nodes[n].taints, pod.spec->tolerations, true)) variant.nodes.reset(n);
    }
  }
  return variants;
}

}  // namespace

void compile_forms(Problem& problem) {
  Places places(problem);
  std::map<std::pair<Amounts, std::vector<model::HostPort>>, std::vector<RowSet>> known_room;
  std::map<std::pair<const std::vector<Variant>*, const std::vector<RowSet>*>, Shared<std::vector<Variant>>>
      known;  // by the places and the rows with room
  std::vector<RowSet> within_limits;
  for (const PoolProblem& pool : problem.pools) within_limits.push_back(rows_within_limits(pool));
  for (PodClass& c : problem.classes) {
    if (!c.problem.empty()) continue;
    const auto [room, first] = known_room.try_emplace({c.requests, c.ports});
    for (size_t p = 0; first && p < problem.pools.size(); ++p) {
      room->second.push_back(rows_with_room(c, problem.pools[p], within_limits[p]));
    }
    const PodPtr& sample = problem.pods[c.pods.front()].pod;
    for (const RelaxedPod& stage : relaxations(sample, problem.options.preferences, problem.soft_taints)) {
      Form form;
      form.relaxed = stage.relaxed;
      form.tolerations = stage.pod->spec->tolerations;
      const std::vector<Variant>& allowed = places.of(stage.pod);
      const auto [at, fresh] = known.try_emplace({&allowed, &room->second});
      if (fresh) at->second = Shared(with_room(allowed, room->second));
      form.variants = at->second;
      c.forms.push_back(std::move(form));
    }
    CHECK(!c.forms.empty());
  }
}

}  // namespace tenon::scheduling

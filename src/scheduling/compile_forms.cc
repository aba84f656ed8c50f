// What each class of pods may use, at each stage of giving up preferences. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "scheduling/problem.h"

namespace tenon::scheduling {
namespace {

// Room may be negative: daemons that do not fit themselves rule the type out.
bool fits(const Amounts& requests, const Amounts& room) {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] > room[i]) return false;
  }
  return true;
}

// The rows of a pool that can hold one such pod beside the daemons.
RowSet rows_with_room(const PodClass& c, const PoolProblem& pool) {
  RowSet rows(pool.rows.size());
  for (const TypeProblem& type : pool.types) {
    const bool within = std::all_of(type.charge.begin(), type.charge.end(), [&](const int64_t& amount) {
      return amount <= pool.left[static_cast<size_t>(&amount - type.charge.data())];
    });
    if (!within || !fits(c.requests, type.free) || ports_conflict(c.ports, type.daemon_ports)) continue;
    for (const size_t row : type.rows) rows.set(row);
  }
  return rows;
}

std::vector<Variant> variants_of(const Problem& problem, const model::Pod& pod) {
  std::vector<Variant> variants;
  const auto terms = node_terms(pod);
  const auto volumes = volume_alternatives(*problem.snapshot, pod);
  if (!terms || !volumes) return variants;
  for (const model::Requirements& term : *terms) {
    for (const model::Requirements& volume : *volumes) {
      Variant variant{term, term, {}, {}};
      variant.all.add(volume);
      if (term.intersects(volume)) variants.push_back(std::move(variant));
    }
  }
  return variants;
}

}  // namespace

void compile_forms(Problem& problem) {
  for (PodClass& c : problem.classes) {
    if (!c.problem.empty()) continue;
    std::vector<RowSet> room;
    for (const PoolProblem& pool : problem.pools) room.push_back(rows_with_room(c, pool));
    for (const RelaxedPod& stage : relaxations(*c.sample, problem.options.preferences, problem.soft_taints)) {
      Form form;
      form.tolerations = stage.pod.tolerations;
      form.relaxed = stage.relaxed;
      form.variants = variants_of(problem, stage.pod);
      RowSet tolerated(problem.nodes.size());
      for (size_t i = 0; i < problem.nodes.size(); ++i) {
        if (!model::first_untolerated(problem.nodes[i].taints, form.tolerations, true)) tolerated.set(i);
      }
      for (Variant& variant : form.variants) {
        for (size_t p = 0; p < problem.pools.size(); ++p) {
          const PoolProblem& pool = problem.pools[p];
          RowSet rows(pool.rows.size());
          const bool stands = !model::first_untolerated(pool.pool->node_template.taints, form.tolerations, true);
          if (stands && room[p].any() && pool.rows_for(variant.all, rows)) {
            rows &= room[p];
          } else {
            rows = RowSet(pool.rows.size());
          }
          variant.rows.push_back(std::move(rows));
        }
        for (size_t i = tolerated.first(); i != RowSet::kNone; i = tolerated.next(i)) {
          if (labels_satisfy(problem.nodes[i].labels, variant.all)) variant.nodes.set(i);
        }
      }
      c.forms.push_back(std::move(form));
    }
    CHECK(!c.forms.empty());
  }
}

}  // namespace tenon::scheduling

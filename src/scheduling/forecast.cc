// SPDX-License-Identifier: Apache-2.0
#include "scheduling/forecast.h"

#include <algorithm>
#include <cmath>

#include "model/labels.h"

namespace tenon::scheduling {
namespace {

// parity: kube-scheduler's minFeasibleNodesToFind: it scores no more nodes than this in a large cluster
constexpr size_t kScored = 100;

}  // namespace

Forecast::Forecast(State now, std::vector<RowSet> room)
    : state_(std::move(now)), room_(std::move(room)), shapes_(state_.bins().size()) {
  no_nodes_.assign(room_.size(), RowSet(state_.problem().nodes.size()));
  for (const PodProblem& pod : state_.problem().pods) {
    const auto* owner = pod.pod->controller();
    owner_of_.push_back(owner == nullptr ? kNone
                                         : owners_.emplace(owner->uid, static_cast<int>(owners_.size())).first->second);
  }
}

void Forecast::undo() {
  if (!open_) return;
  state_.undo();
  shapes_.resize(state_.bins().size());
  open_ = false;
}

void Forecast::keep() {
  if (!open_) return;
  state_.keep();
  for (RowSet& nodes : room_) {
    for (const size_t node : gone_) nodes.reset(node);
  }
  open_ = false;
}

const Forecast::Shape& Forecast::shape(size_t index) {
  Shape& shape = shapes_[index];
  if (shape.known) return shape;
  const Bin& bin = state_.bins()[index];
  const Problem& problem = state_.problem();
  model::Resources allocatable;
  if (bin.fresh()) {
    const PoolProblem& pool = problem.pools[static_cast<size_t>(bin.pool)];
    allocatable = pool.types[pool.rows[bin.row].type].type->allocatable();
  } else {
    const NodeView& node = *problem.nodes[static_cast<size_t>(bin.node)].view;
    allocatable = node.allocatable();
    for (const PodPtr& pod : node.pods) {
      const auto* owner = pod->controller();
      const auto at = owner == nullptr ? owners_.end() : owners_.find(owner->uid);
      if (at != owners_.end()) ++shape.pods[at->second];
    }
  }
  shape.cpu = static_cast<double>(allocatable.get(model::kCpu));
  shape.memory = static_cast<double>(allocatable.get(model::kMemory));
  shape.known = true;
  return shape;
}

int Forecast::alike(size_t index, int owner) {
  if (owner == kNone) return 0;
  const auto there = shape(index).pods.find(owner);
  const auto& placed = state_.bins()[index].placed;
  return (there == shape(index).pods.end() ? 0 : there->second) +
         static_cast<int>(std::count_if(placed.begin(), placed.end(),
                                        [&](const Placed& other) { return owner_of_[other.pod] == owner; }));
}

// parity: kube-scheduler's NodeResourcesFit (LeastAllocated) and NodeResourcesBalancedAllocation with default weights
double Forecast::room_score(size_t index, const PodClass& c) {
  const Bin& bin = state_.bins()[index];
  const Problem& problem = state_.problem();
  const Amounts* free = nullptr;
  if (bin.fresh()) {
    const PoolProblem& pool = problem.pools[static_cast<size_t>(bin.pool)];
    free = &pool.types[pool.rows[bin.row].type].free;
  } else {
    free = &problem.nodes[static_cast<size_t>(bin.node)].free;
  }
  const auto left = [&](std::string_view name, double size) {
    const size_t i = problem.resource(name);
    if (i == free->size() || size <= 0) return 0.0;
    return static_cast<double>((*free)[i] - bin.used[i] - c.requests[i]) / size;
  };
  const double cpu = left(model::kCpu, shape(index).cpu), memory = left(model::kMemory, shape(index).memory);
  return (cpu + memory) / 2 + 1 - std::abs(cpu - memory) / 2;
}

bool Forecast::look_at(Candidate& candidate, const Ask& ask, int owner) {
  ++steps_;
  if (state_.fits(candidate.bin, ask, candidate.fit) != Verdict::kFits) return false;
  candidate.alike = alike(candidate.bin, owner);
  candidate.room = room_score(candidate.bin, state_.problem().classes[ask.pod_class]);
  return true;
}

void Forecast::gather(const Ask& ask, int owner) {
  candidates_.clear();
  for_class_ = ask.pod_class;
  for_owner_ = owner;
  const auto consider = [&](size_t bin) {
    Candidate candidate{.bin = bin, .fit = {}};
    if (look_at(candidate, ask, owner)) candidates_.push_back(std::move(candidate));
  };
  for (size_t bin = state_.bins().size(); bin-- > state_.problem().nodes.size() && candidates_.size() < kScored;) {
    consider(bin);
  }
  const RowSet& room = room_[ask.pod_class];
  for (size_t bin = room.first(); bin != RowSet::kNone && candidates_.size() < kScored; bin = room.next(bin)) {
    if (std::find(gone_.begin(), gone_.end(), bin) == gone_.end()) consider(bin);
  }
}

// parity: kube-scheduler's PodTopologySpread with its default constraint by hostname, maxSkew 3, at its default weight
size_t Forecast::best(bool spread, Prng* draw) const {
  const double weight = std::log(static_cast<double>(candidates_.size()) + 2);
  const auto points = [&](const Candidate& candidate) { return candidate.alike * weight + 2; };
  const auto [least, most] = std::minmax_element(candidates_.begin(), candidates_.end(),
                                                 [](const auto& a, const auto& b) { return a.alike < b.alike; });
  const double low = points(*least), high = points(*most);
  const auto score = [&](const Candidate& candidate) {
    return candidate.room + (spread ? 2 * (high + low - points(candidate)) / high : 0);
  };
  size_t best = 0, equals = 1;
  double highest = score(candidates_.front());
  for (size_t i = 1; i < candidates_.size(); ++i) {
    const double here = score(candidates_[i]);
    if (here < highest) continue;
    equals = here == highest ? equals + 1 : 1;
    if (here > highest || (draw != nullptr && draw->below(equals) == 0)) best = i;
    highest = here;
  }
  return best;
}

bool Forecast::place_one(size_t pod, Prng* draw) {
  const Problem& problem = state_.problem();
  const size_t pod_class = problem.pods[pod].pod_class;
  const PodClass& c = problem.classes[pod_class];
  const int owner = owner_of_[pod];
  // kube-scheduler never refuses a pod for a preference.
  const Ask ask{.pod_class = pod_class, .form = c.forms.size() - 1};
  if (candidates_.empty() || for_class_ != pod_class || for_owner_ != owner) gather(ask, owner);
  if (candidates_.empty()) return false;
  const size_t chosen = best(problem.pods[pod].pod->spec->spread.empty(), draw);
  Candidate& candidate = candidates_[chosen];
  state_.place(candidate.bin, ask, pod, candidate.fit);
  // For the next such pod only this node has changed, unless the pods' rules look at other nodes.
  if (!c.forms.back().uses.empty()) {
    candidates_.clear();
  } else if (!look_at(candidate, ask, owner)) {
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return true;
}

std::vector<size_t> Forecast::place(std::vector<size_t> pods, Prng* draw) {
  for (bool progress = true; progress && !pods.empty();) {
    std::vector<size_t> left;
    for (const size_t pod : pods) {
      if (!place_one(pod, draw)) left.push_back(pod);
    }
    progress = left.size() < pods.size();
    pods = std::move(left);
  }
  return pods;
}

// The provisioner's answer to pods that stay pending.
std::optional<model::Price> Forecast::launch_for(const std::vector<size_t>& pods) {
  Terms terms;
  terms.nodes = &no_nodes_;
  terms.closed = RowSet(state_.problem().nodes.size());
  terms.first_new = state_.bins().size();
  FirstFit first_fit(state_, terms);
  const bool placed = first_fit.place(pods).empty();
  steps_ += first_fit.steps();
  shapes_.resize(state_.bins().size());
  if (!placed) return std::nullopt;
  model::Price price;
  for (size_t b = terms.first_new; b < state_.bins().size(); ++b) price += state_.price(state_.bins()[b]);
  return price;
}

Aftermath Forecast::of(const Leaving& leaving) {
  undo();
  state_.begin();
  open_ = true;
  candidates_.clear();
  gone_.assign(leaving.nodes.begin(), leaving.nodes.end());
  std::vector<size_t> pods(leaving.pods.begin(), leaving.pods.end());
  for (const size_t node : gone_) {
    for (const Placed& placed : state_.bins()[node].placed) pods.push_back(placed.pod);
    state_.take_out(node);
  }
  for (const auto& [pool, row] : leaving.plan) state_.launch(state_.open(pool), row);
  shapes_.resize(state_.bins().size());
  const std::vector<size_t> left = place(std::move(pods), leaving.draw);
  if (left.empty()) return {std::nullopt, model::Price()};
  return {left.front(), launch_for(left)};
}

}  // namespace tenon::scheduling

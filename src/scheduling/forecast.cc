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
    : state_(std::move(now)), room_(std::move(room)), shapes_(state_.bins().size()) {}

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
      if (const auto* controller = pod->controller()) ++shape.pods[controller->uid];
    }
  }
  shape.cpu = static_cast<double>(allocatable.get(model::kCpu));
  shape.memory = static_cast<double>(allocatable.get(model::kMemory));
  shape.known = true;
  return shape;
}

int Forecast::alike(size_t index, const model::Pod& pod) {
  const auto* controller = pod.controller();
  if (controller == nullptr) return 0;
  const auto there = shape(index).pods.find(controller->uid);
  int pods = there == shape(index).pods.end() ? 0 : there->second;
  for (const Placed& placed : state_.bins()[index].placed) {
    const auto* other = state_.problem().pods[placed.pod].pod->controller();
    pods += other != nullptr && other->uid == controller->uid ? 1 : 0;
  }
  return pods;
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

void Forecast::look_at(size_t bin, const Ask& ask, const model::Pod& pod) {
  ++steps_;
  Candidate candidate{.bin = bin, .fit = {}};
  if (state_.fits(bin, ask, candidate.fit) != Verdict::kFits) return;
  candidate.alike = alike(bin, pod);
  candidate.score = room_score(bin, state_.problem().classes[ask.pod_class]);
  candidates_.push_back(std::move(candidate));
}

bool Forecast::place_one(size_t pod, bool last_of_equals) {
  const Problem& problem = state_.problem();
  const size_t pod_class = problem.pods[pod].pod_class;
  const model::Pod& p = *problem.pods[pod].pod;
  // kube-scheduler never refuses a pod for a preference.
  const Ask ask{.pod_class = pod_class, .form = problem.classes[pod_class].forms.size() - 1};
  candidates_.clear();
  for (size_t bin = state_.bins().size(); bin-- > problem.nodes.size() && candidates_.size() < kScored;) {
    look_at(bin, ask, p);
  }
  const RowSet& room = room_[pod_class];
  for (size_t bin = room.first(); bin != RowSet::kNone && candidates_.size() < kScored; bin = room.next(bin)) {
    if (std::find(gone_.begin(), gone_.end(), bin) == gone_.end()) look_at(bin, ask, p);
  }
  if (candidates_.empty()) return false;
  if (p.spec->spread.empty()) add_spread_scores();
  const Candidate* best = &candidates_.front();
  for (const Candidate& candidate : candidates_) {
    if (candidate.score > best->score || (last_of_equals && candidate.score == best->score)) best = &candidate;
  }
  state_.place(best->bin, ask, pod, best->fit);
  return true;
}

// parity: kube-scheduler's PodTopologySpread with its default constraint by hostname, maxSkew 3, at its default weight
void Forecast::add_spread_scores() {
  const double weight = std::log(static_cast<double>(candidates_.size()) + 2);
  const auto points = [&](const Candidate& candidate) { return candidate.alike * weight + 2; };
  const auto [least, most] = std::minmax_element(candidates_.begin(), candidates_.end(),
                                                 [](const auto& a, const auto& b) { return a.alike < b.alike; });
  const double low = points(*least), high = points(*most);
  for (Candidate& candidate : candidates_) candidate.score += 2 * (high + low - points(candidate)) / high;
}

std::vector<size_t> Forecast::place(std::vector<size_t> pods, bool last_of_equals) {
  for (bool progress = true; progress && !pods.empty();) {
    std::vector<size_t> left;
    for (const size_t pod : pods) {
      if (!place_one(pod, last_of_equals)) left.push_back(pod);
    }
    progress = left.size() < pods.size();
    pods = std::move(left);
  }
  return pods;
}

std::optional<size_t> Forecast::left_out(const Leaving& leaving) {
  undo();
  state_.begin();
  open_ = true;
  gone_.assign(leaving.nodes.begin(), leaving.nodes.end());
  std::vector<size_t> pods(leaving.pods.begin(), leaving.pods.end());
  for (const size_t node : gone_) {
    for (const Placed& placed : state_.bins()[node].placed) pods.push_back(placed.pod);
    state_.take_out(node);
  }
  for (const auto& [pool, row] : leaving.plan) state_.launch(state_.open(pool), row);
  shapes_.resize(state_.bins().size());
  const std::vector<size_t> left = place(std::move(pods), leaving.last_of_equals);
  return left.empty() ? std::nullopt : std::optional(left.front());
}

}  // namespace tenon::scheduling

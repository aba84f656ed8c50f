// SPDX-License-Identifier: Apache-2.0
#include "scheduling/forecast.h"

#include <algorithm>

namespace tenon::scheduling {
namespace {

// parity: kube-scheduler's minFeasibleNodesToFind: it scores no more nodes than this in a large cluster
constexpr size_t kScored = 100;

}  // namespace

Forecast::Forecast(State now, Room room, std::vector<size_t> on_their_way)
    : state_(std::move(now)),
      room_(std::move(room)),
      on_their_way_(std::move(on_their_way)),
      shapes_(state_.bins().size()) {
  no_nodes_.assign(room_.now.size(), RowSet(state_.problem().nodes.size()));
  for (const PodProblem& pod : state_.problem().pods) {
    const auto* owner = pod.pod->controller();
    owner_of_.push_back(owner == nullptr ? kNone
                                         : owners_.emplace(owner->uid, static_cast<int>(owners_.size())).first->second);
  }
  in_zone_.resize(owners_.size());
  for (size_t node = 0; node < state_.problem().nodes.size(); ++node) {
    count_pods_of(node, 1);
    for (const Placed& placed : state_.bins()[node].placed) count(owner_of_[placed.pod], shape(node).zone, 1);
  }
  zone_changes_.clear();
}

int Forecast::zone(std::string_view name) {
  if (name.empty()) return kNone;
  const auto at = zones_.find(name);
  if (at != zones_.end()) return at->second;
  return zones_.emplace(name, static_cast<int>(zones_.size())).first->second;
}

void Forecast::count(int owner, int zone, int pods) {
  if (owner == kNone || zone == kNone) return;
  std::vector<int>& counts = in_zone_[static_cast<size_t>(owner)];
  if (counts.size() <= static_cast<size_t>(zone)) counts.resize(zones_.size());
  counts[static_cast<size_t>(zone)] += pods;
  zone_changes_.push_back({owner, zone, pods});
}

void Forecast::count_pods_of(size_t node, int sign) {
  for (const auto& [owner, pods] : shape(node).pods) count(owner, shape(node).zone, sign * pods);
}

void Forecast::undo() {
  if (!open_) return;
  state_.undo();
  shapes_.resize(state_.bins().size());
  for (const auto& [owner, zone, pods] : zone_changes_) {
    in_zone_[static_cast<size_t>(owner)][static_cast<size_t>(zone)] -= pods;
  }
  zone_changes_.clear();
  open_ = false;
}

void Forecast::keep() {
  if (!open_) return;
  state_.keep();
  zone_changes_.clear();
  for (auto* room : {&room_.now, &room_.soon}) {
    for (RowSet& nodes : *room) {
      for (const size_t node : gone_) nodes.reset(node);
    }
  }
  on_their_way_.clear();
  open_ = false;
}

bool Forecast::look_at(Candidate& candidate, const Ask& ask, int owner) {
  ++steps_;
  if (state_.fits(candidate.bin, ask, candidate.fit) != Verdict::kFits) return false;
  candidate.alike = alike(candidate.bin, owner);
  candidate.zone = shape(candidate.bin).zone;
  candidate.room = room_score(candidate.bin, state_.problem().classes[ask.pod_class]);
  return true;
}

void Forecast::gather(const Ask& ask, int owner, bool later) {
  candidates_.clear();
  for_later_ = later;
  for_class_ = ask.pod_class;
  for_owner_ = owner;
  const auto consider = [&](size_t bin) {
    Candidate candidate{.bin = bin, .fit = {}};
    if (look_at(candidate, ask, owner)) candidates_.push_back(std::move(candidate));
  };
  for (size_t bin = state_.bins().size(); bin-- > state_.problem().nodes.size() && candidates_.size() < kScored;) {
    consider(bin);
  }
  const RowSet& room = (later ? room_.soon : room_.now)[ask.pod_class];
  for (size_t bin = room.first(); bin != RowSet::kNone && candidates_.size() < kScored; bin = room.next(bin)) {
    if (std::find(gone_.begin(), gone_.end(), bin) == gone_.end()) consider(bin);
  }
}

bool Forecast::place_one(size_t pod, Prng* draw) {
  const Problem& problem = state_.problem();
  const size_t pod_class = problem.pods[pod].pod_class;
  const PodClass& c = problem.classes[pod_class];
  const int owner = owner_of_[pod];
  // kube-scheduler never refuses a pod for a preference.
  const Ask ask{.pod_class = pod_class, .form = c.forms.size() - 1};
  const bool later = amid_ || !problem.pods[pod].runs;
  const bool same = for_class_ == pod_class && for_owner_ == owner && for_later_ == later;
  if (candidates_.empty() || !same) gather(ask, owner, later);
  if (candidates_.empty()) return false;
  const size_t chosen = best(owner, problem.pods[pod].pod->spec->spread.empty(), draw);
  Candidate& candidate = candidates_[chosen];
  state_.place(candidate.bin, ask, pod, candidate.fit);
  count(owner, candidate.zone, 1);
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

// Inserts the pods on their way at random places of the order.
std::vector<size_t> Forecast::amid(std::vector<size_t> pods, Prng& draw) const {
  for (const size_t pod : on_their_way_) {
    pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(draw.below(pods.size() + 1)), pod);
  }
  return pods;
}

Aftermath Forecast::of(const Leaving& leaving) {
  undo();
  state_.begin();
  open_ = true;
  candidates_.clear();
  gone_.assign(leaving.nodes.begin(), leaving.nodes.end());
  std::vector<size_t> pods(leaving.pods.begin(), leaving.pods.end());
  for (const size_t node : gone_) {
    for (const Placed& placed : state_.bins()[node].placed) {
      pods.push_back(placed.pod);
      count(owner_of_[placed.pod], shape(node).zone, -1);
    }
    count_pods_of(node, -1);
    state_.take_out(node);
  }
  amid_ = leaving.amid && leaving.draw != nullptr && !on_their_way_.empty();
  std::vector<size_t> left;
  if (!amid_) left = place(leaving.draw != nullptr ? amid({}, *leaving.draw) : on_their_way_, leaving.draw);
  for (const auto& [pool, row] : leaving.plan) state_.launch(state_.open(pool), row);
  shapes_.resize(state_.bins().size());
  candidates_.clear();
  if (left.empty()) left = place(amid_ ? amid(std::move(pods), *leaving.draw) : std::move(pods), leaving.draw);
  if (left.empty()) return {std::nullopt, model::Price()};
  return {left.front(), launch_for(left)};
}

}  // namespace tenon::scheduling

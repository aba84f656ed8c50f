// A simulation of kube-scheduler.
//
// The problem: a consolidation proves that the evicted pods fit on other nodes, but kube-scheduler binds them without
// regard to the proof. It schedules one pod at a time: it filters the nodes, scores those that fit, and binds the pod
// to the highest score. Small pods go to the emptiest nodes. If they take the room of a large pod, that pod stays
// pending, and the provisioner launches again what was just removed (docs/decisions/0016, 0018).
//
// The method: the same cycle on a State, one pod after the other. The filter is State::fits() with the pod's last form,
// since kube-scheduler rejects no node for a preference. At most kScored nodes are scored (forecast_scores.cc), and
// equal scores are drawn. Pods without room are tried again while a round places any. For the rest, first fit launches
// nodes, as the provisioner will. Only the order of evictions and the draws are unknown; the caller runs several
// forecasts.
//
// Example: of two nodes of one type, n1 has 3 CPU free and n2 has 4. Pods of 1 and 4 CPU are evicted. The plan has the
// small pod on n1 and the large pod on n2. If the small pod comes first, it is bound to n2, which is emptier, and the
// large pod is left out.
//
// Cost: P pods score up to P × kScored nodes, fewer if equal pods follow each other. Nodes that fit are listed with
// their scores for each class and controller, so that a forecast tests again only the nodes that it has changed itself
// (docs/decisions/0027).
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/what_if/forecast.h"

#include <algorithm>

#include "base/check.h"

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
  no_nodes_.resize(room_.now.size());
  const size_t nodes = state_.problem().nodes.size();
  is_gone_.resize(nodes, 0);
  changed_.resize(nodes, 0);
  touched_.resize(nodes, 0);
  cpu_ = state_.problem().resource(model::kCpu);
  memory_ = state_.problem().resource(model::kMemory);
  for (const PodProblem& pod : state_.problem().pods) {
    const auto* owner = pod.pod->controller();
    owner_of_.push_back(owner == nullptr ? kNone
                                         : owners_.emplace(owner->uid, static_cast<int>(owners_.size())).first->second);
  }
  in_zone_.resize(owners_.size());
  launched_.resize(state_.problem().pools.size());
  for (size_t node = 0; node < nodes; ++node) {
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
  for (const size_t node : gone_) is_gone_[node] = 0;
  list_launched();
  for (const auto& [owner, zone, pods] : zone_changes_) {
    in_zone_[static_cast<size_t>(owner)][static_cast<size_t>(zone)] -= pods;
  }
  zone_changes_.clear();
  open_ = false;
}

// Updates launched_ and shapes_ after bins were added or removed.
void Forecast::list_launched() {
  const size_t bins = state_.bins().size();
  for (std::vector<size_t>& of_pool : launched_) {
    while (!of_pool.empty() && of_pool.back() >= bins) of_pool.pop_back();
  }
  for (size_t bin = shapes_.size(); bin < bins; ++bin) {
    launched_[static_cast<size_t>(state_.bins()[bin].pool)].push_back(bin);
  }
  shapes_.resize(bins);
}

void Forecast::commit() {
  if (!open_) return;
  state_.commit();
  zone_changes_.clear();
  for (const size_t node : touched_nodes_) changed_[node] = kept_;
  ++kept_;
  gone_.clear();  // for good
  on_their_way_.clear();
  open_ = false;
}

bool Forecast::look_at(Candidate& candidate, const Ask& ask, int owner) {
  ++steps_;
  if (state_.fits(candidate.bin, ask, fit_) != Verdict::kFits) return false;
  candidate.alike = alike(candidate.bin, owner);
  candidate.zone = shape(candidate.bin).zone;
  candidate.room = room_score(candidate.bin, state_.problem().classes[ask.pod_class]);
  return true;
}

// Returns true if the pod fits on a node, or not, whatever happens on other nodes: it has no rules by domain and no
// affinity by hostname.
bool Forecast::depends_on_one_node(const Ask& ask) const {
  const Problem& problem = state_.problem();
  const Form& form = problem.classes[ask.pod_class].forms[ask.form];
  return form.uses.empty() && std::none_of(form.host_uses.begin(), form.host_uses.end(), [&](const GroupUse& use) {
           return problem.groups[use.group].kind == GroupKind::kAffinity;
         });
}

void Forecast::touch(size_t bin) {
  if (bin >= touched_.size() || touched_[bin] == forecasts_) return;
  touched_[bin] = forecasts_;
  touched_nodes_.push_back(bin);
}

void Forecast::gather(const Ask& ask, int owner, bool later) {
  candidates_.clear();
  for_later_ = later;
  for_class_ = ask.pod_class;
  for_owner_ = owner;
  const auto consider = [&](size_t bin) {
    Candidate candidate{.bin = static_cast<uint32_t>(bin)};
    if (look_at(candidate, ask, owner)) candidates_.push_back(candidate);
  };
  // The nodes that were launched last come first.
  std::vector<std::span<const size_t>> launched;
  for (const size_t pool : state_.problem().classes[ask.pod_class].pools) {
    if (!launched_[pool].empty()) launched.emplace_back(launched_[pool]);
  }
  while (!launched.empty() && candidates_.size() < kScored) {
    auto& last = *std::max_element(launched.begin(), launched.end(),
                                   [](const auto& a, const auto& b) { return a.back() < b.back(); });
    consider(last.back());
    last = last.first(last.size() - 1);
    std::erase_if(launched, [](const auto& bins) { return bins.empty(); });
  }
  if (depends_on_one_node(ask)) return gather_listed(ask, owner, later);
  const RowSet& room = (later ? room_.soon : room_.now)[ask.pod_class];
  for (size_t bin = room.first(); bin != RowSet::kNone && candidates_.size() < kScored; bin = room.next(bin)) {
    if (is_gone_[bin] == 0) consider(bin);
  }
}

// As gather(), for pods that depend on one node. Nodes only get fuller or are removed. So a node on which the pod does
// not fit, without the changes of this forecast, is dropped from the list.
void Forecast::gather_listed(const Ask& ask, int owner, bool later) {
  const RowSet& room = (later ? room_.soon : room_.now)[ask.pod_class];
  const auto [at, fresh] = lists_.try_emplace({ask.pod_class, owner, later});
  List& list = at->second;
  if (fresh) list.next = room.first();
  bool useless = false;  // some nodes of the list
  const auto consider = [&](Known& known) {
    const size_t bin = known.candidate.bin;
    if (is_gone_[bin] != 0) return;
    if (touched_[bin] == forecasts_) {
      Candidate candidate{.bin = static_cast<uint32_t>(bin)};
      if (look_at(candidate, ask, owner)) candidates_.push_back(candidate);
      return;
    }
    if (known.since <= changed_[bin]) {
      known.since = look_at(known.candidate, ask, owner) ? kept_ : 0;
      useless = useless || known.since == 0;
    }
    if (known.since != 0) candidates_.push_back(known.candidate);
  };
  size_t seen = 0;
  for (; seen < list.nodes.size() && candidates_.size() < kScored; ++seen) consider(list.nodes[seen]);
  for (; list.next != RowSet::kNone && candidates_.size() < kScored; ++seen) {
    list.nodes.push_back({.candidate = {.bin = static_cast<uint32_t>(list.next)}});
    list.next = room.next(list.next);
    consider(list.nodes.back());
  }
  if (!useless) return;
  size_t index = 0;
  std::erase_if(list.nodes, [&](const Known& known) {
    const size_t bin = known.candidate.bin;
    return index++ < seen && known.since == 0 && is_gone_[bin] == 0 && touched_[bin] != forecasts_;
  });
}

bool Forecast::place_one(size_t pod, Prng* draw) {
  const Problem& problem = state_.problem();
  const size_t pod_class = problem.pods[pod].pod_class;
  const PodClass& c = problem.classes[pod_class];
  const int owner = owner_of_[pod];
  // kube-scheduler rejects no node for a preference.
  const Ask ask{.pod_class = pod_class, .form = c.forms.size() - 1};
  const bool later = amid_ || !problem.pods[pod].runs;
  const bool same = for_class_ == pod_class && for_owner_ == owner && for_later_ == later;
  if (candidates_.empty() || !same) gather(ask, owner, later);
  if (candidates_.empty()) return false;
  const size_t chosen = best(owner, problem.pods[pod].pod->spec->spread.empty(), draw);
  Candidate& candidate = candidates_[chosen];
  CHECK(state_.fits(candidate.bin, ask, fit_) == Verdict::kFits, "as it did when it was looked at");
  state_.place(candidate.bin, ask, pod, fit_);
  touch(candidate.bin);
  count(owner, candidate.zone, 1);
  // For the next such pod only this node has changed, unless the pods' rules look at other nodes.
  if (!depends_on_one_node(ask)) {
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

// Launches nodes for pods that stay pending, as the provisioner does. Returns their price; std::nullopt if a pod
// remains.
std::optional<model::Price> Forecast::launch_for(const std::vector<size_t>& pods) {
  Terms terms;
  terms.nodes = &no_nodes_;
  terms.closed = RowSet(state_.problem().nodes.size());
  terms.first_new = state_.bins().size();
  FirstFit first_fit(state_, terms);
  const bool placed = first_fit.place(pods).empty();
  steps_ += first_fit.steps();
  list_launched();
  if (!placed) return std::nullopt;
  model::Price price;
  for (size_t b = terms.first_new; b < state_.bins().size(); ++b) price += state_.price(state_.bins()[b]);
  return price;
}

// Inserts the pods on their way at random positions of the order.
std::vector<size_t> Forecast::amid(std::vector<size_t> pods, Prng& draw) const {
  for (const size_t pod : on_their_way_) {
    pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(draw.below(pods.size() + 1)), pod);
  }
  return pods;
}

// Begins a forecast: removes the nodes. Returns `pods` and the pods that kept forecasts placed on these nodes.
std::vector<size_t> Forecast::begin(std::span<const size_t> nodes, std::span<const size_t> pods) {
  undo();
  state_.begin();
  open_ = true;
  ++forecasts_;
  touched_nodes_.clear();
  candidates_.clear();
  gone_.assign(nodes.begin(), nodes.end());
  std::vector<size_t> all(pods.begin(), pods.end());
  for (const size_t node : gone_) {
    for (const Placed& placed : state_.bins()[node].placed) {
      all.push_back(placed.pod);
      count(owner_of_[placed.pod], shape(node).zone, -1);
    }
    count_pods_of(node, -1);
    state_.remove_node(node);
    is_gone_[node] = 1;
  }
  return all;
}

// Each pod changes at most one node. So if as many nodes have room for a pod as there are pods, at least one of them is
// unchanged when the pod is scheduled (pigeonhole principle). The nodes of a plan only add room.
bool Forecast::always_fits(std::span<const size_t> nodes, std::span<const size_t> pods) {
  const Problem& problem = state_.problem();
  std::vector<size_t> all = begin(nodes, pods);
  all.insert(all.end(), on_their_way_.begin(), on_their_way_.end());
  const auto fits = [&](size_t pod) {
    const size_t pod_class = problem.pods[pod].pod_class;
    const Ask ask{.pod_class = pod_class, .form = problem.classes[pod_class].forms.size() - 1};
    if (!depends_on_one_node(ask)) return false;
    const int owner = owner_of_[pod];
    const bool later = !problem.pods[pod].runs;
    if (for_class_ != pod_class || for_owner_ != owner || for_later_ != later || candidates_.empty())
      gather(ask, owner, later);
    return candidates_.size() >= all.size();
  };
  return all.size() <= kScored && std::all_of(all.begin(), all.end(), fits);
}

ForecastResult Forecast::of(const Removal& removal) {
  std::vector<size_t> pods = begin(removal.nodes, removal.pods);
  amid_ = removal.amid && removal.draw != nullptr && !on_their_way_.empty();
  std::vector<size_t> left;
  if (!amid_) left = place(removal.draw != nullptr ? amid({}, *removal.draw) : on_their_way_, removal.draw);
  for (const auto& [pool, row] : removal.plan) state_.launch(state_.open(pool), row);
  list_launched();
  candidates_.clear();
  if (left.empty()) left = place(amid_ ? amid(std::move(pods), *removal.draw) : std::move(pods), removal.draw);
  if (left.empty()) return {std::nullopt, model::Price()};
  return {left.front(), launch_for(left)};
}

}  // namespace tenon::scheduling

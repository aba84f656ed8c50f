// State stores all sums that decide whether one more pod fits, so that a placement costs what it changes (delta
// evaluation) and not another pass over the whole plan:
//
//   bin       sums of requests, the set of open rows, agreed labels, domains, counts of rules by hostname
//   group     pods by domain, for rules by zone and other topology keys
//   pool      what its limits leave; reservation: instances that are left
//
// A new node is not one instance type but a set of rows: all that still hold its pods. Its price is that of the
// cheapest one. Each pod narrows the set.
//
//   rows {t3.medium, c5.large, m5.large}, price of t3.medium; a pod of 6 GiB leaves {m5.large} and its price
//
// fits() computes the change (Fit) without making it; place() applies it. The other parts of the class are in
// state_fits.cc (resources, labels), state_rules.cc (topology), state_rows.cc (prices, limits, reservations,
// minValues) and state_undo.cc (the journal).
//
// Cost: fits() does a few set operations of rows / 64 words each, one per resource and requirement, plus domains for
// each topology rule. place() is linear in the pods placed and the rules of their class.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/search_state/state.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::scheduling {

HostCount Bin::host_count(size_t group) const {
  const auto at = std::find_if(host.begin(), host.end(), [&](const HostCount& h) { return h.group == group; });
  return at == host.end() ? HostCount{group, 0, 0} : *at;
}

State::State(const Problem& problem)
    : problem_(&problem), bin_of_(problem.pods.size(), kNone), nodes_left_(problem.node_room) {
  for (const Group& group : problem.groups) {
    counts_.matched.push_back(group.counts);
    counts_.owners.push_back(group.owners);
    counts_.total.push_back(group.total);
  }
  bins_.reserve(problem.nodes.size());
  for (size_t n = 0; n < problem.nodes.size(); ++n) {
    const NodeProblem& node = problem.nodes[n];
    Bin bin;
    bin.node = static_cast<int>(n);
    bin.used.assign(problem.resources.size(), 0);
    bin.domains = node.domains;
    if (!node.ports.empty() || !node.volume_room.empty() || !node.volumes.empty()) {
      bin.held.edit() = {node.ports, node.volume_room, node.volumes};
    }
    bin.host = node.host;
    bins_.push_back(std::move(bin));
  }
  for (const auto& [id, instances] : problem.reservations) reservations_.push_back(instances);
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const PoolProblem& pool = problem.pools[p];
    left_.push_back(pool.left);
    Bin bin;
    bin.pool = static_cast<int>(p);
    bin.used.assign(problem.resources.size(), 0);
    bin.rows = pool.all();
    bin.charge.assign(pool.limited.size(), 0);
    for (const KeyInPool& key : pool.keys) bin.domains.push_back(key.settled);
    blank_.push_back(std::move(bin));
  }
}

size_t State::open(size_t pool) {
  // Few nodes are launched beside many existing ones: doubling would hold the memory of as many bins again.
  const size_t nodes = problem_->nodes.size();
  if (bins_.size() == nodes && bins_.capacity() == nodes) bins_.reserve(nodes + nodes / 8 + 8);
  if (spare_.empty()) {
    bins_.push_back(blank_[pool]);
  } else {
    bins_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    bins_.back() = blank_[pool];
  }
  return bins_.size() - 1;
}

void State::place(size_t index, const Ask& ask, std::span<const size_t> pods, const Fit& fit) {
  save_bin(index);
  Bin& bin = bins_[index];
  const PodClass& c = problem_->classes[ask.pod_class];
  const auto number = static_cast<int>(pods.size());
  CHECK(number == ask.count, "as many pods as were asked for");
  for (const size_t pod : pods) {
    bin.placed.push_back({static_cast<uint32_t>(pod), static_cast<uint32_t>(ask.pod_class),
                          static_cast<uint32_t>(ask.form), static_cast<uint32_t>(fit.variant)});
    save_pod(pod);
    bin_of_[pod] = static_cast<int>(index);
  }
  for (size_t i = 0; i < c.requests.size(); ++i) bin.used[i] += number * c.requests[i];
  if (!c.ports.empty()) {
    std::vector<model::HostPort>& ports = bin.held.edit().ports;
    ports.insert(ports.end(), c.ports.begin(), c.ports.end());
  }
  bin.domains = fit.domains;
  if (bin.fresh()) {
    bin.narrowed = fit.narrowed;
    charge_row(bin, fit);
  } else if (!bin.held->volume_room.empty()) {
    for (const size_t pod : pods) {
      for (const auto& [driver, claim] : *problem_->pods[pod].volumes) {
        PortsAndVolumes& held = bin.held.edit();
        const auto room = held.volume_room.find(driver);
        if (room != held.volume_room.end() && held.volumes.insert(claim).second) --room->second;
      }
    }
  }
  count(bin, bin.placed.back(), number);
  for (const GroupUse& use : c.forms[ask.form].host_uses) {
    const bool counted = use.matched && (use.owned || counts_bin(problem_->groups[use.group], bin));
    if (!counted && !use.owned) continue;
    auto at = std::find_if(bin.host.begin(), bin.host.end(), [&](const HostCount& h) { return h.group == use.group; });
    if (at == bin.host.end()) at = bin.host.insert(at, {use.group, 0, 0});
    if (counted) at->matched += number;
    if (use.owned) at->owners += number;
  }
}

model::Price State::price() const {
  model::Price sum;
  for (const Bin& bin : bins_) {
    if (bin.fresh() && !bin.placed.empty()) sum += price(bin);
  }
  return sum;
}

size_t State::fresh_bins() const {
  return static_cast<size_t>(
      std::count_if(bins_.begin(), bins_.end(), [](const Bin& b) { return b.fresh() && !b.placed.empty(); }));
}

}  // namespace tenon::scheduling

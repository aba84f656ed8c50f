// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/node_pods.h"

#include <algorithm>

#include "base/hash.h"

namespace tenon::scheduling {
namespace {

PodTotals add_up(const std::vector<PodPtr>& pods) {
  PodTotals totals;
  for (const PodPtr& pod : pods) {
    const model::PodSpec& spec = *pod->spec;
    totals.requests += spec.requests;
    if (pod->owned_by_daemon_set()) totals.of_daemons += spec.requests;
    totals.ports.insert(totals.ports.end(), spec.host_ports.begin(), spec.host_ports.end());
    if (!spec.volumes.empty()) totals.with_volumes.push_back(pod);
    if (!spec.affinity.required_anti_pods.empty()) totals.apart.push_back(pod);
  }
  return totals;
}

// Returns the value in `known`. If there is none, stores the result of `make`. If several threads do so at the same
// time, the first result is kept and all of them return it.
template <class T, class Make>
const T& once(std::atomic<const T*>& known, Make make) {
  const T* there = known.load(std::memory_order_acquire);
  if (there) return *there;
  auto made = std::make_unique<const T>(make());
  if (!known.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) return *there;
  return *made.release();
}

}  // namespace

void NodePods::List::forget() {
  delete totals.exchange(nullptr);
  delete labels.exchange(nullptr);
}

std::vector<PodPtr>& NodePods::edit() {
  List& list = list_.edit();
  list.forget();
  return list.pods;
}

const PodTotals& NodePods::totals() const {
  return once(list_->totals, [&] { return add_up(list()); });
}

NodePods::LabelHash NodePods::label_hash(std::string_view key, std::string_view value) {
  Hash hash;
  hash.add(key);
  hash.add(value);
  return static_cast<LabelHash>(hash.value() ^ (hash.value() >> 32));
}

NodePods::Labels::Labels(const std::vector<PodPtr>& pods) {
  for (size_t i = 0; i < pods.size(); ++i) {
    for (const auto& [key, value] : pods[i]->meta.labels) {
      const LabelHash label = label_hash(key, value);
      filter[label / 64 % filter.size()] |= uint64_t{1} << label % 64;
      positions.emplace_back(label, static_cast<uint32_t>(i));
    }
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  positions.shrink_to_fit();
}

std::vector<uint32_t> NodePods::maybe_with_label(LabelHash label) const {
  const Labels& labels = once(list_->labels, [&] { return Labels(list()); });
  std::vector<uint32_t> positions;
  if (!labels.maybe(label)) return positions;
  const auto& all = labels.positions;
  for (auto at = std::lower_bound(all.begin(), all.end(), std::pair{label, uint32_t{0}});
       at != all.end() && at->first == label; ++at) {
    positions.push_back(at->second);
  }
  return positions;
}

}  // namespace tenon::scheduling

// SPDX-License-Identifier: Apache-2.0
#include "state/default_spread.h"

#include <algorithm>

namespace tenon::state {

void SnapshotSpread::apply(scheduling::Snapshot& snapshot) {
  if (!enabled()) return;
  const std::lock_guard lock(mutex_);
  const uint64_t version = version_;  // read before the selectors: a change in between is applied by the next call
  if (!spread_ || version != spread_version_) {
    spread_.emplace(constraints_);
    for (auto& selector : selectors_()) spread_->add(std::move(selector));
    spread_version_ = version;
    known_.clear();
  }
  ++round_;
  for (scheduling::PodPtr& pod : snapshot.pending) pod = with_spread(pod);
  for (scheduling::NodeView& node : snapshot.nodes) {
    const auto changes = [&](const scheduling::PodPtr& pod) { return with_spread(pod) != pod; };
    if (std::none_of(node.pods.begin(), node.pods.end(), changes)) continue;
    for (scheduling::PodPtr& pod : node.pods.edit()) pod = with_spread(pod);
  }
  std::erase_if(known_, [this](const auto& entry) { return entry.second.seen != round_; });
}

scheduling::PodPtr SnapshotSpread::with_spread(const scheduling::PodPtr& pod) {
  Entry& entry = known_[pod.get()];
  if (!entry.before) {
    entry.before = entry.after = pod;
    model::Pod changed = *pod;
    if (spread_->apply(changed)) {
      changed.spec = specs_.share(std::move(changed.spec));
      entry.after = std::make_shared<const model::Pod>(std::move(changed));
    }
  }
  entry.seen = round_;
  return entry.after;
}

}  // namespace tenon::state

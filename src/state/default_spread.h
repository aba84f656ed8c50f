// Adds the cluster's default topology spread to the pods of a snapshot. Caches the result for each pod, since every
// decision reads up to 100 000 pods.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/pod_specs.h"
#include "scheduling/input/default_spread.h"
#include "scheduling/input/snapshot.h"

namespace tenon::state {

class SnapshotSpread {
 public:
  using PodSelectors = std::vector<std::shared_ptr<const model::PodSelector>>;
  // `selectors` returns the current Services and owners of pods, in a stable order.
  SnapshotSpread(scheduling::SpreadConstraints constraints, std::function<PodSelectors()> selectors)
      : constraints_(std::move(constraints)), selectors_(std::move(selectors)) {}

  bool enabled() const { return !constraints_.empty(); }
  // Invalidates the cached results.
  void selectors_changed() { ++version_; }
  // Adds the spread to pending pods and to pods on nodes.
  void apply(scheduling::Snapshot& snapshot);

 private:
  struct Entry {
    scheduling::PodPtr before, after;  // `before` keeps the address that is the key valid
    uint64_t seen = 0;                 // the last round_ that used it
  };
  scheduling::PodPtr with_spread(const scheduling::PodPtr& pod);  // needs mutex_

  const scheduling::SpreadConstraints constraints_;
  const std::function<PodSelectors()> selectors_;
  std::atomic<uint64_t> version_ = 0;
  std::mutex mutex_;
  std::optional<scheduling::DefaultSpread> spread_;  // of spread_version_
  uint64_t spread_version_ = 0, round_ = 0;
  model::PodSpecs specs_;
  std::unordered_map<const model::Pod*, Entry> known_;
};

}  // namespace tenon::state

// Gives the pods of a snapshot the cluster's default topology spread, and remembers which got what: a hundred thousand
// pods are looked at for every decision.
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
#include "scheduling/default_spread.h"
#include "scheduling/snapshot.h"

namespace tenon::state {

class SnapshotSpread {
 public:
  using PodSelectors = std::vector<std::shared_ptr<const model::PodSelector>>;
  // `selectors` answers the Services and owners of pods as they are now, in an order that does not change by itself.
  SnapshotSpread(scheduling::SpreadConstraints constraints, std::function<PodSelectors()> selectors)
      : constraints_(std::move(constraints)), selectors_(std::move(selectors)) {}

  bool enabled() const { return !constraints_.empty(); }
  // Selectors have changed.
  void selectors_changed() { ++version_; }
  // The pods that are pending and those on nodes.
  void apply(scheduling::Snapshot& snapshot);

 private:
  struct Entry {
    scheduling::PodPtr before, after;  // `before` keeps the address that is the key
    uint64_t seen = 0;                 // by which apply()
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

// NodePods: the pods of one node, and what decisions need of them all together. Copies are one object until somebody
// edits theirs, and the totals are worked out once for each object: a snapshot of 300,000 pods is copied and compiled
// at the cost of its nodes.
//
//   NodePods pods;
//   pods.edit().push_back(pod);          // forgets the totals
//   pods.totals().requests.get("cpu");
//
// Thread rule: as for any value. Copies that are one object may be read, edited and destroyed by different threads: of
// those that ask first each works the totals out, and one's answer is kept for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared.h"
#include "model/pod.h"

namespace tenon::scheduling {

using PodPtr = std::shared_ptr<const model::Pod>;

// Of the pods of one node.
struct PodTotals {
  model::Resources requests, of_daemons;  // of_daemons: of those that a DaemonSet owns
  std::vector<model::HostPort> ports;
  std::vector<PodPtr> apart, with_volumes;  // those with required anti-affinity, those with volumes; in their order
};

class NodePods {
 public:
  using value_type = PodPtr;
  using const_iterator = std::vector<PodPtr>::const_iterator;

  NodePods() = default;
  NodePods(std::vector<PodPtr> pods) { edit() = std::move(pods); }  // NOLINT: a list of pods is one
  NodePods(std::initializer_list<PodPtr> pods) : NodePods(std::vector<PodPtr>(pods)) {}

  const std::vector<PodPtr>& list() const { return list_->pods; }
  operator const std::vector<PodPtr>&() const { return list(); }  // NOLINT: as above
  const_iterator begin() const { return list().begin(); }
  const_iterator end() const { return list().end(); }
  size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const PodPtr& operator[](size_t i) const { return list()[i]; }
  const PodPtr& front() const { return list().front(); }
  const PodPtr& back() const { return list().back(); }

  // The reference is good until this object is used in any other way.
  std::vector<PodPtr>& edit();

  const PodTotals& totals() const;
  // The positions of all pods that have this label, and perhaps of some others, upwards.
  std::vector<uint32_t> maybe_with_label(std::string_view key, std::string_view value) const;

 private:
  // Of each label of each pod a hash, and the pod's position; sorted.
  using Labels = std::vector<std::pair<uint32_t, uint32_t>>;
  struct List {
    List() = default;
    List(const List& other) : pods(other.pods) {}  // copies and moves start without totals
    List(List&& other) noexcept : pods(std::move(other.pods)) {}
    List& operator=(const List&) = delete;
    ~List() { forget(); }
    void forget();

    std::vector<PodPtr> pods;
    // Null until somebody asks.
    mutable std::atomic<const PodTotals*> totals = nullptr;
    mutable std::atomic<const Labels*> labels = nullptr;
  };

  Shared<List> list_;
};

}  // namespace tenon::scheduling

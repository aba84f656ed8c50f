// NodePods: the pods of one node and their totals. Copies share one list until one of them is edited, and the totals
// are computed once for each list. So the time to copy and compile a snapshot depends on its number of nodes, not of
// pods.
//
//   NodePods pods;
//   pods.edit().push_back(pod);          // discards the totals
//   pods.totals().requests.get("cpu");
//
// Thread rule: as for any value. Different threads may read, edit and destroy copies that share a list. If several of
// them read the totals first, each computes them, and one result is kept for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

// Sums and lists over the pods of one node.
struct PodTotals {
  model::Resources requests, of_daemons;  // of_daemons: the requests of pods that a DaemonSet owns
  std::vector<model::HostPort> ports;
  std::vector<PodPtr> apart, with_volumes;  // pods with required anti-affinity; pods with volumes; in the list's order
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

  // The reference is valid until the next call of any other function of this object.
  std::vector<PodPtr>& edit();

  const PodTotals& totals() const;
  using LabelHash = uint32_t;
  static LabelHash label_hash(std::string_view key, std::string_view value);
  // Returns the positions of all pods that have this label, in ascending order. Hash collisions may add other pods.
  std::vector<uint32_t> maybe_with_label(LabelHash label) const;

 private:
  struct Labels {
    explicit Labels(const std::vector<PodPtr>& pods);
    bool maybe(LabelHash label) const { return (filter[label / 64 % filter.size()] >> label % 64 & 1) != 0; }

    // A Bloom filter with one hash. For most nodes, one read of memory shows that no pod has the label.
    std::array<uint64_t, 8> filter{};
    std::vector<std::pair<LabelHash, uint32_t>> positions;  // of the pods that have a label, sorted
  };
  struct List {
    List() = default;
    List(const List& other) : pods(other.pods) {}  // does not copy the totals
    List(List&& other) noexcept : pods(std::move(other.pods)) {}
    List& operator=(const List&) = delete;
    ~List() { forget(); }
    void forget();

    std::vector<PodPtr> pods;
    // Null until the first call of totals() or maybe_with_label().
    mutable std::atomic<const PodTotals*> totals = nullptr;
    mutable std::atomic<const Labels*> labels = nullptr;
  };

  Shared<List> list_;
};

}  // namespace tenon::scheduling

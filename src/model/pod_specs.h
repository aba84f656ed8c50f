// PodSpecs: a table of the distinct specs among many pods, so that pods of one template share one object. A reader of
// pods keeps one table for as long as it reads.
//
//   PodSpecs specs;
//   pod.spec = specs.share(std::move(pod.spec));
//
// When the table grows, it drops specs that no pod uses any more. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <unordered_map>

#include "model/pod.h"

namespace tenon::model {

// Returns a hash: equal for equal specs, and mostly different for others.
size_t hash_of(const PodSpec& spec);

class PodSpecs {
 public:
  Shared<PodSpec> share(Shared<PodSpec> spec);
  size_t size() const { return by_hash_.size(); }

 private:
  void forget_unused();

  std::unordered_multimap<size_t, Shared<PodSpec>> by_hash_;
  size_t limit_ = 64;  // entries; at this size, unused ones are dropped
};

}  // namespace tenon::model

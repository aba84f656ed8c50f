// PodSpecs: the distinct specs among many pods, so that pods of one template hold one object. Whoever reads pods keeps
// one for as long as it reads.
//
//   PodSpecs specs;
//   pod.spec = specs.share(std::move(pod.spec));
//
// Specs that no pod has any more leave the table when it grows. One thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <unordered_map>

#include "model/pod.h"

namespace tenon::model {

// Equal for equal specs, and mostly different for others.
size_t hash_of(const PodSpec& spec);

class PodSpecs {
 public:
  Shared<PodSpec> share(Shared<PodSpec> spec);
  size_t size() const { return by_hash_.size(); }

 private:
  void forget_unused();

  std::unordered_multimap<size_t, Shared<PodSpec>> by_hash_;
  size_t limit_ = 64;  // of entries, before the unused ones go
};

}  // namespace tenon::model

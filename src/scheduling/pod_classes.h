// Which pods make no difference to the solver: those of one class. Pods share their specs, so that few are ever
// compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/problem.h"

namespace tenon::scheduling {

// The specs that differ for the solver. Borrows them.
class DistinctSpecs {
 public:
  // True: the first pod with this very object.
  bool add(const model::PodSpec& spec);
  // Of one that was added; equal for specs that are alike.
  size_t of(const model::PodSpec& spec) const { return by_address_.at(&spec); }

 private:
  std::vector<const model::PodSpec*> specs_;
  std::unordered_map<const model::PodSpec*, size_t> by_address_;
  std::unordered_multimap<size_t, size_t> by_hash_;
};

// What the solver sees of a pod.
struct PodShape {
  const model::Pod* pod = nullptr;
  size_t spec = 0;                         // of DistinctSpecs
  std::vector<const std::string*> labels;  // that some rule looks at, by name; null where missing
  std::vector<model::Requirements> volumes;
  std::vector<std::pair<std::string, std::string>> attached;  // (driver, claim; empty: no other pod uses it)
  std::string problem;                                        // of volumes; else the pod's
};

// Makes a problem's classes. Borrows the problem and the pods.
class PodClasses {
 public:
  explicit PodClasses(Problem& problem) : problem_(problem) {}
  // The class of this shape; a new one if there is none yet.
  size_t of(const PodShape& shape);

 private:
  Problem& problem_;
  std::vector<PodShape> shapes_;                   // one per class
  std::unordered_multimap<size_t, size_t> known_;  // hash → class
};

}  // namespace tenon::scheduling

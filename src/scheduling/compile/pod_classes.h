// Groups pods into classes: the solver does not distinguish pods of one class. Pods share their specs, so few specs are
// compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/compile/problem.h"

namespace tenon::scheduling {

// The specs that differ for the solver. Borrows them.
class DistinctSpecs {
 public:
  // Returns true if this object (by address) was not added before.
  bool add(const model::PodSpec& spec);
  // Returns the index of an added spec; equal for specs that are alike.
  size_t of(const model::PodSpec& spec) const { return by_address_.at(&spec); }

 private:
  std::vector<const model::PodSpec*> specs_;
  std::unordered_map<const model::PodSpec*, size_t> by_address_;
  std::unordered_multimap<size_t, size_t> by_hash_;
};

// The properties of a pod that the solver uses.
struct PodShape {
  const model::Pod* pod = nullptr;
  size_t spec = 0;                         // of DistinctSpecs
  std::vector<const std::string*> labels;  // values of the labels that some rule uses, by name; null: missing
  std::vector<model::Requirements> volumes;
  std::vector<std::pair<std::string, std::string>> attached;  // (driver, claim; empty: no other pod uses it)
  std::string problem;                                        // of pods with volumes
};

// Makes a problem's classes. Borrows the problem and the pods.
class PodClasses {
 public:
  explicit PodClasses(Problem& problem) : problem_(problem) {}
  // Returns the class of this shape, which is added if there is none yet.
  size_t of(const PodShape& shape);

 private:
  Problem& problem_;
  std::vector<PodShape> shapes_;                   // one per class
  std::unordered_multimap<size_t, size_t> known_;  // hash → class
};

}  // namespace tenon::scheduling

// Scenarios without the field that carries their rule (rule.h). Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tenon::scenarios {

enum class Outcome {
  kFails,    // as it must: the expectation does not hold
  kPasses,   // the field makes no difference
  kInvalid,  // what is left is not valid, which shows nothing; or the scenario names no rule
};

struct Ablation {
  std::string path;  // of what was removed
  Outcome outcome;
  std::string why;  // kInvalid
};
std::string describe(const Ablation& ablation);

// One for each rule of a scenario's file; none if it says why it has no rule.
std::vector<Ablation> ablate(const std::string& file);
// One for each field.
std::vector<Ablation> ablate_fields(const std::string& file);

}  // namespace tenon::scenarios

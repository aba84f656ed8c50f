// Runs scenarios without the field that carries their rule (rule.h). Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tenon::scenarios {

enum class Outcome {
  kFails,    // as required: the expectation does not hold
  kPasses,   // the field makes no difference
  kInvalid,  // the rest is not valid, which proves nothing; or the scenario names no rule
};

struct Ablation {
  std::string path;  // of the removed field
  Outcome outcome;
  std::string why;  // kInvalid
};
std::string describe(const Ablation& ablation);

// Returns one entry for each rule of a scenario's file; none if the file says why it has no rule.
std::vector<Ablation> ablate(const std::string& file);
// Returns one entry for each field.
std::vector<Ablation> ablate_fields(const std::string& file);

}  // namespace tenon::scenarios

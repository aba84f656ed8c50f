// The contents of a plan's NodeClaims beside their instance types: requirements and labels. Nodes with equal contents
// share one Claim.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

struct Claim {
  model::Requirements requirements;
  Shared<model::StringMap> labels;
};

// The only zone that a price cap leaves open for a node; std::nullopt: it pins none.
using PinnedZone = std::optional<std::string>;

// Not thread-safe; borrows the problem.
class Claims {
 public:
  explicit Claims(const Problem& problem) : problem_(problem) {}

  // Returns the claim of a node that may be launched as these rows. The reference is valid until the next call.
  const Claim& of(const Bin& bin, const RowSet& rows, const PinnedZone& pinned);
  model::Requirements requirements(const Bin& bin, const RowSet& rows, const PinnedZone& pinned) const;

 private:
  // Everything that a claim without a pinned zone depends on.
  struct Reasons {
    size_t pool = 0;
    int reservation = kNone;
    const model::Requirements* narrowed = nullptr;
    std::vector<int> domains, min_values;
    std::vector<std::string> capacity_types;
    std::vector<const model::Requirements*> asked;
    friend auto operator<=>(const Reasons&, const Reasons&) = default;
  };
  std::vector<const model::Requirements*> asked_on(const Bin& bin) const;
  std::vector<std::string> capacity_types(const PoolProblem& pool, const RowSet& rows) const;
  Claim make(const Bin& bin, const RowSet& rows, const PinnedZone& pinned) const;

  const Problem& problem_;
  std::map<Reasons, Claim> known_;
  Claim only_;
};

}  // namespace tenon::scheduling

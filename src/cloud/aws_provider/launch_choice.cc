// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch_choice.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "cloud/aws_provider/type_match.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

bool is_exotic(const model::InstanceType& type) {
  constexpr std::array<std::string_view, 5> kDevices = {"aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
                                                        "amd.com/gpu", "nvidia.com/gpu", "habana.ai/gaudi"};
  if (type.name.find("metal") != std::string::npos) return true;
  return std::any_of(kDevices.begin(), kDevices.end(),
                     [&](std::string_view device) { return type.capacity.get(device) > 0; });
}

bool has_min_values(const model::Requirements& requirements) {
  const auto& all = requirements.by_key();
  return std::any_of(all.begin(), all.end(), [](const auto& entry) { return entry.second.min_values().has_value(); });
}

std::vector<LaunchCandidate> compatible(const model::NodeClaim& claim, const model::Requirements& requirements,
                                        const std::vector<model::InstanceType>& types) {
  std::vector<LaunchCandidate> candidates;
  for (const model::InstanceType& type : types) {
    if (!type_matches(type, requirements) || !claim.requests.fits(type.allocatable())) continue;
    LaunchCandidate candidate{&type, {}};
    for (const model::Offering& offering : type.offerings) {
      if (offering.available && offering_matches(offering, requirements)) candidate.offerings.push_back(&offering);
    }
    if (!candidate.offerings.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Machines without what most pods do not need are preferred, if there are any.
void drop_exotic(std::vector<LaunchCandidate>& candidates) {
  const auto exotic = [](const LaunchCandidate& candidate) { return is_exotic(*candidate.type); };
  if (std::all_of(candidates.begin(), candidates.end(), exotic)) return;
  std::erase_if(candidates, exotic);
}

void drop_empty(std::vector<LaunchCandidate>& candidates) {
  std::erase_if(candidates, [](const LaunchCandidate& candidate) { return candidate.offerings.empty(); });
}

// Spot must not cost more than the cheapest on-demand offering that would do.
void drop_dear_spot(std::vector<LaunchCandidate>& candidates) {
  std::optional<model::Price> cheapest;
  for (const LaunchCandidate& candidate : candidates) {
    for (const model::Offering* offering : candidate.offerings) {
      if (offering->capacity_type != model::kCapacityOnDemand) continue;
      if (!cheapest || offering->price < *cheapest) cheapest = offering->price;
    }
  }
  if (!cheapest) return;
  for (LaunchCandidate& candidate : candidates) {
    std::erase_if(candidate.offerings, [&](const model::Offering* offering) {
      return offering->capacity_type == model::kCapacitySpot && offering->price > *cheapest;
    });
  }
  drop_empty(candidates);
}

std::string pick_capacity_type(const std::vector<LaunchCandidate>& candidates) {
  for (const LaunchCandidate& candidate : candidates) {
    for (const model::Offering* offering : candidate.offerings) {
      if (offering->capacity_type == model::kCapacitySpot) return std::string(model::kCapacitySpot);
    }
  }
  return std::string(model::kCapacityOnDemand);
}

void order_by_price(std::vector<LaunchCandidate>& candidates) {
  for (LaunchCandidate& candidate : candidates) {
    std::stable_sort(candidate.offerings.begin(), candidate.offerings.end(),
                     [](const auto* a, const auto* b) { return a->price < b->price; });
  }
  std::sort(candidates.begin(), candidates.end(), [](const LaunchCandidate& a, const LaunchCandidate& b) {
    const model::Price pa = a.offerings.front()->price, pb = b.offerings.front()->price;
    return pa != pb ? pa < pb : a.type->name < b.type->name;
  });
}

Status check_min_values(const model::Requirements& requirements, const std::vector<LaunchCandidate>& candidates) {
  for (const auto& [key, requirement] : requirements.by_key()) {
    if (!requirement.min_values()) continue;
    std::set<std::string> values;
    for (const LaunchCandidate& candidate : candidates) {
      const auto it = candidate.type->labels.find(key);
      if (it == candidate.type->labels.end()) continue;
      for (const std::string& value : it->second) {
        if (requirement.allows(value)) values.insert(value);
      }
    }
    if (static_cast<int>(values.size()) >= *requirement.min_values()) continue;
    return fail(Code::kInsufficientCapacity, "truncating instance types, minValues of " + key + " asks for " +
                                                 std::to_string(*requirement.min_values()) + " values, " +
                                                 std::to_string(values.size()) + " are left");
  }
  return ok();
}

}  // namespace

Result<LaunchChoice> choose_launch(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  const model::Requirements requirements = TRY_IN("spec.requirements", model::Requirements::make(claim.requirements));
  const bool flexible = has_min_values(requirements);
  std::vector<LaunchCandidate> candidates = compatible(claim, requirements, types);
  if (!flexible) {
    drop_exotic(candidates);
    drop_dear_spot(candidates);
  }
  LaunchChoice choice;
  choice.capacity_type = pick_capacity_type(candidates);
  for (LaunchCandidate& candidate : candidates) {
    std::erase_if(candidate.offerings,
                  [&](const model::Offering* o) { return o->capacity_type != choice.capacity_type; });
  }
  drop_empty(candidates);
  if (candidates.empty()) {
    return fail(Code::kInsufficientCapacity, "all requested instance types were unavailable during launch");
  }
  order_by_price(candidates);
  if (candidates.size() > kMaxLaunchTypes) candidates.resize(kMaxLaunchTypes);
  const bool relaxed = model::lookup(claim.meta.annotations, model::kAnnotationMinValuesRelaxed) == "true";
  if (flexible && !relaxed) TRY(check_min_values(requirements, candidates));
  choice.candidates = std::move(candidates);
  return choice;
}

}  // namespace tenon::cloud

// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cloud/aws_provider/util/type_match.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr std::string_view kCapacityBlock = "capacity-block";

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

// Keeps only types without accelerators and not bare metal, if there are any: most pods do not need either.
void drop_exotic(std::vector<LaunchCandidate>& candidates) {
  const auto exotic = [](const LaunchCandidate& candidate) { return is_exotic(*candidate.type); };
  if (std::all_of(candidates.begin(), candidates.end(), exotic)) return;
  std::erase_if(candidates, exotic);
}

void drop_empty(std::vector<LaunchCandidate>& candidates) {
  std::erase_if(candidates, [](const LaunchCandidate& candidate) { return candidate.offerings.empty(); });
}

// Removes spot offerings that cost more than the lowest-priced on-demand offering of the candidates.
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

// One Fleet launches into reservations of one kind: the kind of the lowest-priced offering.
struct ReservationKind {
  int rank = 0;  // the lower rank wins at equal price
  static ReservationKind of(const model::Offering& offering) {
    const bool block = offering.reservation_type == kCapacityBlock;
    return {block ? 1 : offering.reservation_interruptible ? 2 : 0};
  }
  friend auto operator<=>(const ReservationKind&, const ReservationKind&) = default;
};

bool is_reserved(const model::Offering* offering) { return offering->capacity_type == model::kCapacityReserved; }

template <class Keep>
void keep_offerings(std::vector<LaunchCandidate>& candidates, const Keep& keep) {
  for (LaunchCandidate& candidate : candidates) {
    std::erase_if(candidate.offerings, [&](const model::Offering* offering) { return !keep(offering); });
  }
  drop_empty(candidates);
}

// If a type has several reservations in one zone, the Fleet's answer does not say which one it used. Keeps the largest.
void keep_roomiest_of_a_zone(LaunchCandidate& candidate) {
  std::map<std::string, const model::Offering*> best;
  for (const model::Offering* offering : candidate.offerings) {
    const auto [it, fresh] = best.try_emplace(offering->zone, offering);
    if (!fresh && offering->reservation_capacity > it->second->reservation_capacity) it->second = offering;
  }
  std::erase_if(candidate.offerings, [&](const model::Offering* offering) { return best[offering->zone] != offering; });
}

// If there are reserved offerings, drops all others. parity: the filters capacity-reservation-type, capacity-block and
// reserved-offering
void prefer_reservations(std::vector<LaunchCandidate>& candidates) {
  using Cheapest = std::tuple<model::Price, ReservationKind, std::string_view, std::string_view>;
  std::optional<Cheapest> best;
  const model::Offering* chosen = nullptr;
  for (const LaunchCandidate& candidate : candidates) {
    for (const model::Offering* offering : candidate.offerings) {
      if (!is_reserved(offering)) continue;
      const Cheapest rank{offering->price, ReservationKind::of(*offering), candidate.type->name, offering->zone};
      if (best && *best <= rank) continue;
      best = rank;
      chosen = offering;
    }
  }
  if (chosen == nullptr) return;
  const ReservationKind kind = ReservationKind::of(*chosen);
  keep_offerings(candidates, [&](const model::Offering* offering) {
    return is_reserved(offering) && ReservationKind::of(*offering) == kind;
  });
  if (chosen->reservation_type == kCapacityBlock) {
    keep_offerings(candidates, [&](const model::Offering* offering) { return offering == chosen; });
  }
  for (LaunchCandidate& candidate : candidates) keep_roomiest_of_a_zone(candidate);
}

std::string pick_capacity_type(const std::vector<LaunchCandidate>& candidates) {
  for (const std::string_view type : {model::kCapacityReserved, model::kCapacitySpot}) {
    for (const LaunchCandidate& candidate : candidates) {
      for (const model::Offering* offering : candidate.offerings) {
        if (offering->capacity_type == type) return std::string(type);
      }
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

// Applies a filter and records the types that it removes entirely. Filters keep the order of types.
template <class Filter>
void apply(std::string_view name, const Filter& filter, std::vector<LaunchCandidate>& candidates,
           std::vector<LeftOut>& left_out) {
  std::vector<const model::InstanceType*> before;
  before.reserve(candidates.size());
  for (const LaunchCandidate& candidate : candidates) before.push_back(candidate.type);
  filter(candidates);
  if (candidates.size() == before.size()) return;
  LeftOut out{name, {}};
  auto kept = candidates.begin();
  for (const model::InstanceType* type : before) {
    if (kept != candidates.end() && kept->type == type) {
      ++kept;
    } else {
      out.types.push_back(type);
    }
  }
  left_out.push_back(std::move(out));
}

}  // namespace

void keep_offerings(LaunchChoice& choice, const KeepOffering& keep) {
  for (LaunchCandidate& candidate : choice.candidates) {
    std::erase_if(candidate.offerings,
                  [&](const model::Offering* offering) { return !keep(*candidate.type, *offering); });
  }
  drop_empty(choice.candidates);
}

model::Price highest_price_of(const LaunchChoice& choice) {
  model::Price highest;
  for (const LaunchCandidate& candidate : choice.candidates) {
    for (const model::Offering* offering : candidate.offerings) highest = std::max(highest, offering->price);
  }
  return highest;
}

std::vector<std::string> left_out_lines(const model::NodeClaim& claim, const LaunchChoice& choice) {
  std::vector<std::string> lines;
  for (const auto& [filter, types] : choice.left_out) {
    std::string line = "nodeclaim/" + claim.meta.name + ": the " + std::string(filter) + " leaves out ";
    for (size_t i = 0; i < std::min(types.size(), kNamesLogged); ++i) line += (i == 0 ? "" : ", ") + types[i]->name;
    if (types.size() > kNamesLogged) line += " and " + std::to_string(types.size() - kNamesLogged) + " more";
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<LaunchChoice> choose_launch(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  const model::Requirements requirements = TRY_IN("spec.requirements", model::Requirements::make(claim.requirements));
  const bool flexible = has_min_values(requirements);
  std::vector<LaunchCandidate> candidates = compatible(claim, requirements, types);
  LaunchChoice choice;
  apply("reserved-offering-filter", prefer_reservations, candidates, choice.left_out);
  if (!flexible) {
    apply("exotic-instance-filter", drop_exotic, candidates, choice.left_out);
    apply("spot-offering-filter", drop_dear_spot, candidates, choice.left_out);
  }
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

const model::Offering* reservation_in(const LaunchCandidate& candidate, const std::string& zone) {
  for (const model::Offering* offering : candidate.offerings) {
    if (offering->zone == zone && !offering->reservation_id.empty()) return offering;
  }
  return nullptr;
}

}  // namespace tenon::cloud

// The part of launcher.h that learns from launches: unavailable offerings, full subnets, used-up reservations.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "aws/errors.h"
#include "base/text.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

// EC2's message when a spread placement group has its seven instances in a zone.
constexpr std::string_view kSpreadIsFull = "limit of instances in this spread placement group";

std::string zone_id_of(const std::string& zone, const model::NodeClass& node_class) {
  for (const model::ResolvedSubnet& subnet : node_class.subnets) {
    if (subnet.zone == zone) return subnet.zone_id;
  }
  return {};
}

// Formats " (placement group pg-1 partition 2)"; empty without a group.
std::string words_of_group(const OfferingKey& offering) {
  if (offering.placement_group.empty()) return {};
  const std::string partition = offering.partition > 0 ? " partition " + std::to_string(offering.partition) : "";
  return " (placement group " + offering.placement_group + partition + ")";
}

}  // namespace

// Limits the mark to the placement group and partition: they may have insufficient capacity although the rest of the
// zone does not. A quota applies to the whole account.
OfferingKey Launcher::within_group(OfferingKey offering, const Attempt& attempt, const aws::FleetError& error) {
  if (!attempt.placement_group || aws::classify(error.code) == Code::kQuota) return offering;
  offering.placement_group = attempt.placement_group->id;
  offering.partition = attempt.partition;
  return offering;
}

// Marks the reservations of the error's override as exhausted; all of the choice, if the error names none.
void Launcher::record_reserved_error(const Attempt& attempt, const aws::FleetError& error) {
  const std::string zone = zone_of(error.overrides, attempt.order.node_class);
  for (const LaunchCandidate& candidate : attempt.choice.candidates) {
    if (!error.overrides.instance_type.empty() && candidate.type->name != error.overrides.instance_type) continue;
    for (const model::Offering* offering : candidate.offerings) {
      if (zone.empty() || offering->zone == zone) services_.reservations.exhausted(offering->reservation_id);
    }
  }
}

// Holds at most `wanted` places in each reservation of the choice and drops the offerings of full ones. Returns the
// number of instances that can launch, at most `wanted`. Errors: kInsufficientCapacity, no place is left.
Result<size_t> Launcher::take_reserved_places(LaunchChoice& choice, size_t wanted, ReservedPlaces& held) {
  if (choice.capacity_type != model::kCapacityReserved) return wanted;
  size_t places = 0;
  for (LaunchCandidate& candidate : choice.candidates) {
    std::erase_if(candidate.offerings, [&](const model::Offering* offering) {
      const auto [it, fresh] = held.try_emplace(offering->reservation_id, 0);
      for (size_t i = 0; fresh && i < wanted && services_.reservations.hold(it->first); ++i) ++it->second;
      if (fresh) places += static_cast<size_t>(it->second);
      return it->second == 0;
    });
  }
  std::erase_if(choice.candidates, [](const LaunchCandidate& candidate) { return candidate.offerings.empty(); });
  if (places > 0) return std::min(places, wanted);
  return fail(Code::kInsufficientCapacity, "the capacity reservations were used up by other launches");
}

void Launcher::return_unused_places(const ReservedPlaces& held, const Instances& instances) {
  for (const auto& [id, places] : held) {
    int64_t used = 0;
    for (const auto& [key, instance] : instances) {
      used += model::lookup(instance.labels, model::kLabelReservationId) == id ? 1 : 0;
    }
    for (int64_t i = 0; i < places; ++i)
      i < used ? services_.reservations.took(id) : services_.reservations.release(id);
  }
}

void Launcher::record_errors(const Attempt& attempt, const std::vector<aws::FleetError>& errors) {
  const Instant now = services_.client.runtime().now();
  std::map<std::string, std::set<std::string>> gone;  // by code
  for (const aws::FleetError& error : errors) {
    const bool reserved = attempt.choice.capacity_type == model::kCapacityReserved;
    const LaunchProblem problem = classify_launch(error.code);
    const std::string where = zone_of(error.overrides, attempt.order.node_class);
    services_.metrics.launch_failed({where, zone_id_of(where, attempt.order.node_class)}, attempt.choice.capacity_type,
                                    launch_reason(error.code + ": " + error.message).reason);
    if (reserved && problem == LaunchProblem::kOfferingGone) {
      record_reserved_error(attempt, error);
      continue;
    }
    if (attempt.placement_group && error.message.find(kSpreadIsFull) != std::string::npos) {
      for (const LaunchCandidate& candidate : attempt.choice.candidates) {
        services_.unavailable.mark(
            {candidate.type->name, where, attempt.choice.capacity_type, attempt.placement_group->id}, now);
      }
      continue;
    }
    const OfferingKey offering{error.overrides.instance_type, where, attempt.choice.capacity_type};
    switch (problem) {
      case LaunchProblem::kOfferingGone: {
        const OfferingKey short_of = within_group(offering, attempt, error);
        services_.unavailable.mark(short_of, now);
        gone[error.code].insert(offering.instance_type + " in " + where + words_of_group(short_of));
        break;
      }
      case LaunchProblem::kSubnetFull:
        services_.subnets.mark_full(error.overrides.subnet_id);
        services_.unavailable.mark_subnet(error.overrides.subnet_id, now);
        services_.unavailable.mark(offering, now);
        break;
      case LaunchProblem::kSpotNotAllowed:
        services_.unavailable.mark_capacity_type(std::string(model::kCapacitySpot), now);
        break;
      case LaunchProblem::kTemplateGone:
      case LaunchProblem::kTokenReused:
      case LaunchProblem::kOther: break;
    }
  }
  for (const auto& [code, offerings] : gone) {
    options_.log.warn("EC2 has no " + attempt.choice.capacity_type + " " +
                      join(std::vector(offerings.begin(), offerings.end()), ", ") +
                      ", which is not asked for again for " + format_go_duration(kUnavailableFor) + ": " + code);
  }
}

}  // namespace tenon::cloud

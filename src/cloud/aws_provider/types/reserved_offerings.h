// The offerings of a node class in its capacity reservations. parity: provider-aws pkg/providers/instancetype/offering
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cloud/aws_provider/resources/capacity_reservations.h"
#include "cloud/aws_provider/types/instance_types.h"

namespace tenon::cloud {

// A reservation is paid for whether used or not: its price only ranks it before other offerings and among reservations.
inline constexpr int64_t kReservedPriceDivisor = 10'000'000;

// Returns the offerings of one type. Pure except for the locks of its arguments.
std::vector<model::Offering> reserved_offerings_of(const Market::Entry& entry, const model::NodeClass& node_class,
                                                   const CapacityReservations& reservations,
                                                   const OfferingContext& context);

}  // namespace tenon::cloud

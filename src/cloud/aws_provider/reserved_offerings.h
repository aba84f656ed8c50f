// What a node class can launch into its capacity reservations. parity: provider-aws pkg/providers/instancetype/offering
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cloud/aws_provider/capacity_reservations.h"
#include "cloud/aws_provider/instance_types.h"

namespace tenon::cloud {

// A reservation is paid for, used or not: its price only says that it comes first, and which of two.
inline constexpr int64_t kReservedPriceDivisor = 10'000'000;

// Of one type. Pure but for the locks of what it borrows.
std::vector<model::Offering> reserved_offerings_of(const Market::Entry& entry, const model::NodeClass& node_class,
                                                   const CapacityReservations& reservations,
                                                   const OfferingContext& context);

}  // namespace tenon::cloud

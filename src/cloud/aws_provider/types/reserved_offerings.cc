// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/reserved_offerings.h"

#include "model/labels.h"

namespace tenon::cloud {

std::vector<model::Offering> reserved_offerings_of(const Market::Entry& entry, const model::NodeClass& node_class,
                                                   const CapacityReservations& reservations,
                                                   const OfferingContext& context) {
  std::vector<model::Offering> offerings;
  const auto list_price = context.prices.on_demand_price(entry.facts.name);
  for (const model::ResolvedReservation& reservation : node_class.reservations) {
    if (reservation.instance_type != entry.facts.name) continue;
    model::Offering offering;
    bool in_class = false, has_addresses = false;
    for (const model::ResolvedSubnet& subnet : node_class.subnets) {
      if (subnet.zone != reservation.zone) continue;
      in_class = true;
      offering.zone_id = subnet.zone_id;
      has_addresses |= !context.unavailable.subnet_unavailable(subnet.id, context.now);
    }
    if (!in_class) continue;
    offering.zone = reservation.zone;
    offering.capacity_type = model::kCapacityReserved;
    offering.price = model::Price(list_price ? list_price->value() / kReservedPriceDivisor : 0);
    offering.reservation_id = reservation.id;
    offering.reservation_type = reservation.type;
    offering.reservation_interruptible = reservation.interruptible;
    offering.reservation_capacity = static_cast<int>(reservations.left(reservation.id));
    offering.available = has_addresses && offering.reservation_capacity > 0 && reservation.state == "active" &&
                         !context.unavailable.zone_shifted(offering.zone_id);
    offerings.push_back(std::move(offering));
  }
  return offerings;
}

}  // namespace tenon::cloud

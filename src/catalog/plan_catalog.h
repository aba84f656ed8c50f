// The catalog that `tenon plan` plans with: instance types as a JSON document, or the demo's, built in.
//
//   { "version": 1, "name": "…", "region": "us-east-1", "labelKeys": ["kubernetes.io/arch", …],
//     "instanceTypes": [ { "name", "arch", "os": [], "labels": {key: [values]}, "capacity": {resource: quantity},
//       "overhead": { "kubeReserved": {}, "systemReserved": {}, "evictionThreshold": {} },
//       "offerings": [ { "zone", "zoneID", "capacityType", "price", "available", "reservationID", "reservationType",
//                        "reservationInterruptible", "reservationCapacity" } ] } ] }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "model/instance_type.h"

namespace tenon::catalog {

struct PlanCatalog {
  std::string name, region;
  std::vector<std::string> label_keys;  // well-known; one that a type's labels lack must not exist there
  std::vector<model::InstanceType> types;
  friend bool operator==(const PlanCatalog&, const PlanCatalog&) = default;
};

// Wrong syntax or types, and quantities that cannot be read: kInvalid, "instanceTypes[3] (m5.large): capacity.cpu: …".
// A type that is well formed but of no use (no offering, no price, a negative amount, a second one of the name) is
// kept, with its problem.
Result<PlanCatalog> parse_plan_catalog(std::string_view text);
// Parses back to the same; overheads are written as one sum. Indented, a newline at the end.
std::string render_plan_catalog(const PlanCatalog& catalog);

// Every zone of the demo, on demand and as spot; none if the type is not on the price list.
std::vector<model::Offering> demo_offerings(const InstanceFacts& facts);
// The demo's types with default node settings.
PlanCatalog demo_catalog();

}  // namespace tenon::catalog

// The catalog of `tenon plan`: instance types of a JSON document, or the built-in ones of the demo.
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
  std::vector<std::string> label_keys;  // well-known keys; a type without one of them does not have this label
  std::vector<model::InstanceType> types;
  friend bool operator==(const PlanCatalog&, const PlanCatalog&) = default;
};

// Errors: kInvalid for wrong syntax, wrong types and malformed quantities: "instanceTypes[3] (m5.large): capacity.cpu:
// …". A type that is well formed but unusable (no offering, no price, a negative amount, a duplicate name) is kept,
// with its problem.
Result<PlanCatalog> parse_plan_catalog(std::string_view text);
// Renders indented JSON with a newline at the end. Parsing it returns an equal catalog. Writes overheads as one sum.
std::string render_plan_catalog(const PlanCatalog& catalog);

// Returns on-demand and spot offerings in every zone of the demo; empty if the type is not on the price list.
std::vector<model::Offering> demo_offerings(const InstanceFacts& facts);
// Returns the types of the demo with default node settings.
PlanCatalog demo_catalog();

}  // namespace tenon::catalog

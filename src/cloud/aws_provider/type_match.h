// Whether an instance type, or one of its offerings, is what requirements ask for. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/instance_type.h"
#include "model/requirement.h"

namespace tenon::cloud {

// By the type's own labels; zone, zone id and capacity type are the offerings' matter. A label of ours that the type
// lacks must not exist: only NotIn and DoesNotExist tolerate that. Keys that no type defines do not count.
bool type_matches(const model::InstanceType& type, const model::Requirements& requirements);
bool offering_matches(const model::Offering& offering, const model::Requirements& requirements);

}  // namespace tenon::cloud

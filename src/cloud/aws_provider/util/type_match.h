// Checks whether an instance type, or one of its offerings, satisfies requirements. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/instance_type.h"
#include "model/requirement.h"

namespace tenon::cloud {

// Compares with the type's own labels; offering_matches() checks zone, capacity type and reservation. If the type lacks
// a label that our types define, the requirement must tolerate absence (NotIn, DoesNotExist). Other missing keys are
// ignored.
bool type_matches(const model::InstanceType& type, const model::Requirements& requirements);
bool offering_matches(const model::Offering& offering, const model::Requirements& requirements);

}  // namespace tenon::cloud

// Requirements on labels that instance types and offerings decide. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/instance_type.h"
#include "model/requirement.h"

namespace tenon::scheduling {

// The labels whose value an offering decides, and the value; std::nullopt for other labels.
std::span<const std::string_view> offering_keys();
std::optional<std::string_view> offering_value(std::string_view key, const model::Offering& offering);
// Return true if a requirement on a label that types (or types and offerings) decide holds.
bool type_allowed(const model::Requirement& r, const model::InstanceType& type);
bool row_allowed(const model::Requirement& r, const model::InstanceType& type, const model::Offering& offering);

}  // namespace tenon::scheduling

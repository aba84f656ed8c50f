// The texts of validation errors. parity: k8s.io/apimachinery pkg/util/validation/field/errors.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace tenon::schema {

// field: empty for an error of the whole object, which an API server reports as <nil>.
Cause invalid(std::string_view field, const boost::json::value& bad_value, std::string_view detail);
Cause type_invalid(std::string_view field, std::string_view bad_type, std::string_view detail);
Cause required(std::string_view field, std::string_view detail = {});
Cause not_supported(std::string_view field, const boost::json::value& bad_value, const boost::json::value& allowed);
Cause too_long(std::string_view field, int64_t max);
Cause too_many(std::string_view field, size_t actual, int64_t max);
Cause duplicate(std::string_view field, const boost::json::value& bad_value);
Cause forbidden(std::string_view field, std::string_view detail);

// Quotes like Go's strconv.Quote.
std::string quote(std::string_view text);
// Serializes like Go's encoding/json: keys sorted, <, > and & escaped.
std::string canonical_json(const boost::json::value& v);

}  // namespace tenon::schema

// The text of durations and timestamps in CEL and in OpenAPI formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace tenon::cel {

// Parses Go's syntax with an optional sign: "1h30m", "-1.5h", "0", "300ms".
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration d);  // seconds: "5400s", "0.678s"
std::string format_timestamp(Instant t);  // RFC 3339 with as many digits as needed: "2024-02-29T13:14:15.678Z"
// Returns the offset from UTC for "UTC", "02:00", "-08:30"; std::nullopt for other names of zones.
std::optional<Duration> parse_offset(std::string_view zone);

}  // namespace tenon::cel

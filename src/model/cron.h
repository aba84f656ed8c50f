// Five-field cron expressions and their @descriptors, in UTC.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace tenon::model {

class Cron {
 public:
  // Parses "*/15 9-17 * * mon-fri" or "@daily". Errors: kInvalid, with the name of the field.
  static Result<Cron> parse(std::string_view text);
  // Returns the first matching minute strictly after t, in UTC; kNever if there is none within five years.
  Instant next(Instant t) const;

 private:
  uint64_t minutes_ = 0;
  uint32_t hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace tenon::model

// The pages events.md, conditions.md and logs.md of docs/reference, made of the tables in src/plan and src/log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::house {

std::string events_page();
std::string conditions_page();
std::string logs_page();

}  // namespace tenon::house

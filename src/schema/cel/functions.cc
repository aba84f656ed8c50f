// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/functions.h"

#include <array>

namespace tenon::cel {
namespace {

std::array<std::span<const Function>, 5> all_functions() {
  return {conversion_functions(), text_functions(), time_functions(), list_functions(), other_functions()};
}

}  // namespace

const Function* find_function(std::string_view name, bool method, size_t args) {
  for (const std::span<const Function> group : all_functions())
    for (const Function& function : group)
      if (function.name == name && function.method == method && args >= function.min_args && args <= function.max_args)
        return &function;
  return nullptr;
}

bool function_exists(std::string_view name) {
  for (const std::span<const Function> group : all_functions())
    for (const Function& function : group)
      if (function.name == name) return true;
  return false;
}

Status spend_text(Budget& budget, size_t bytes) { return budget.spend(1 + static_cast<int64_t>(bytes / 10)); }

}  // namespace tenon::cel

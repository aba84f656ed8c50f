// Reads one page of a list object by object, so that only a batch of its objects is in memory as JSON values.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::kube {

struct ListHead {
  std::string resource_version;
  std::string next;  // continue token; empty: the last page
};

// Calls `on_items` at least once, with at most `batch` objects each time, in the order of the list. `items` may be
// absent or null. Errors: kInvalid, "offset 17: ..."; batches before the error were delivered.
Result<ListHead> read_list(std::string_view text, size_t batch,
                           const std::function<void(std::vector<boost::json::value> items)>& on_items);

}  // namespace tenon::kube

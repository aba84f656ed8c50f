// Reads one page of a list object by object, so that only a few of its objects are in memory as JSON values.
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
#include "json/stream.h"

namespace tenon::kube {

struct ListHead {
  std::string resource_version;
  std::string next;  // continue token; empty: the last page
};

// Calls `on_items` at least once, with at most `batch` objects each time, in the order of the list. `items` may be
// absent or null. Errors: kInvalid, "offset 17: ..."; batches before the error were delivered.
Result<ListHead> read_list(std::string_view text, size_t batch,
                           const std::function<void(std::vector<boost::json::value> items)>& on_items);
// Hands over the items one by one; an item is valid during the call only. Builds no values of the members that
// `left_out` names, which applies to each item. Errors: as those of read_list().
Result<ListHead> stream_list(std::string_view text, const std::vector<json::LeftOut>& left_out,
                             const std::function<void(const boost::json::value& item)>& on_item);

}  // namespace tenon::kube

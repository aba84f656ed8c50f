// RFC 7386 merge patches and RFC 6902 JSON patches on the DOM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace tenon::json {

void apply_merge_patch(boost::json::value& target, const boost::json::value& patch);
// Returns the merge patch that turns `from` into `to`; an empty object if they are equal.
boost::json::value make_merge_patch(const boost::json::value& from, const boost::json::value& to);
// Errors: kInvalid, with the operation's index; the target is unchanged then.
Status apply_json_patch(boost::json::value& target, const boost::json::value& operations);

}  // namespace tenon::json

// Writes that retry with the stored object after a conflict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kubesim/actors/objects.h"
#include "kubesim/api.h"

namespace tenon::kubesim {

struct WriteTarget {
  Resource resource;
  std::string_view subresource = {};  // "" or "status"
};

// Applies `change` to a copy of `base` (which may be stale) and writes it, under a resourceVersion precondition.
// `change` returns false when there is nothing to write. A conflict restarts with the stored object if it has the same
// uid. Returns the stored object. Errors: kNotFound (also when the uid differs), kConflict after kMaxWriteAttempts.
inline constexpr int kMaxWriteAttempts = 5;
Result<Object> write(Api& api, const WriteTarget& target, const Object& base,
                     const std::function<bool(boost::json::value&)>& change);

}  // namespace tenon::kubesim

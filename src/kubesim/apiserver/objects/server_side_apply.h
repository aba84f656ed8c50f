// Server-side apply: PATCH with application/apply-patch+yaml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

struct Applied {
  Object object;
  bool created = false;
};

// Applies a configuration; creates the object if it does not exist. `config` has the served version. Errors: 409 with a
// cause FieldManagerConflict for each changed field of another manager, unless `force` is set.
Answer<Applied> server_side_apply(Objects& objects, const Target& target, const ResourceInfo& served,
                                  const boost::json::value& config, const WriteContext& context, bool force);

}  // namespace tenon::kubesim::apiserver

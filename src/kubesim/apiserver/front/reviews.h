// Reviews of authentication and authorization. They are not stored. Every authenticated user has all permissions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/front/server.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

struct Reviewer {
  const std::string& user;
  const std::vector<std::string>& groups;
  const ApiServerOptions& options;
  Answer<boost::json::value> review(const ResourceInfo& info, boost::json::value body) const;
};

}  // namespace tenon::kubesim::apiserver

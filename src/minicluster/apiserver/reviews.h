// Reviews of authentication and authorization. They are not stored. Every authenticated user has all permissions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "minicluster/apiserver/error.h"
#include "minicluster/apiserver/registry.h"
#include "minicluster/apiserver/server.h"

namespace tenon::minicluster::apiserver {

struct Reviewer {
  const std::string& user;
  const std::vector<std::string>& groups;
  const ApiServerOptions& options;
  Answer<boost::json::value> review(const ResourceInfo& info, boost::json::value body) const;
};

}  // namespace tenon::minicluster::apiserver

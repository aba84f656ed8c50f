// Discovery documents: legacy (APIVersions, APIGroupList, APIResourceList) and aggregated (APIGroupDiscoveryList).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

boost::json::value api_versions(std::string_view server_address);  // /api
boost::json::value api_group_list(const Registry& registry);       // /apis
// /apis/<group>; null if the group does not exist.
boost::json::value api_group(const Registry& registry, std::string_view group);
// /api/v1, /apis/<group>/<version>; null if the group version does not exist.
boost::json::value api_resource_list(const Registry& registry, std::string_view group, std::string_view version);
// core: true for /api, false for /apis. version: v2 or v2beta1.
boost::json::value aggregated_discovery(const Registry& registry, bool core, std::string_view version);

}  // namespace tenon::kubesim::apiserver

// Creates and changes objects as a user of the cluster. Thread rule: of the actor that runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "minicluster/api.h"

namespace tenon::storm {

// Ends the program if the API server refuses it.
void create_object(minicluster::Api& api, const minicluster::Resource& resource, const std::string& ns,
                   const std::string& yaml);
// A merge patch. An object that was deleted meanwhile is not an error; any other refusal ends the program.
void patch_object(minicluster::Api& api, const minicluster::Resource& resource, const std::string& ns,
                  const std::string& name, const std::string& json, std::string_view subresource = {});

}  // namespace tenon::storm

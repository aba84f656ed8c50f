// Creates and changes objects as a user of the cluster. Thread rule: the running actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kubesim/api.h"

namespace tenon::storm {

// Ends the program if the API server rejects it.
void create_object(kubesim::Api& api, const kubesim::Resource& resource, const std::string& ns,
                   const std::string& yaml);
// Sends a merge patch. An object that was deleted meanwhile is not an error; any other rejection ends the program.
void patch_object(kubesim::Api& api, const kubesim::Resource& resource, const std::string& ns,
                  const std::string& name, const std::string& json, std::string_view subresource = {});

}  // namespace tenon::storm

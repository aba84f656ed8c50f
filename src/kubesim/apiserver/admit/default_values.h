// Helpers that set defaults, and the defaults that several kinds share. See strategy.h for apply_defaults.
// operator[] may move the members of an object even if the field exists: keep no reference to a member across a call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string_view>

#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver::defaults {

using boost::json::object;
using boost::json::value;

// Sets the field to `otherwise` if it is missing or null.
void fill(object& at, std::string_view field, value otherwise);
// Returns the object under a field; null if the field is missing or no object.
object* child(object& at, std::string_view field);
// Calls `visit` for each object in the list under a field.
void for_each(object& at, std::string_view field, const std::function<void(object&)>& visit);

// default_pods.cc
void default_pod(object& spec);
void default_template(object& spec);  // of a spec that has a pod template
// default_status.cc: sets the defaults outside of a spec, and the zero values that Go writes for an unset status.
void default_other(const ResourceInfo& info, object& root);

}  // namespace tenon::kubesim::apiserver::defaults

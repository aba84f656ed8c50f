// How defaults are put into objects, and the parts that several kinds have. See strategy.h for apply_defaults.
// operator[] may move the members of an object, even of a field that is there: no reference is kept across another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string_view>

#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver::defaults {

using boost::json::object;
using boost::json::value;

// Where there is nothing, or null.
void fill(object& at, std::string_view field, value otherwise);
// The object under a field; null if there is none.
object* child(object& at, std::string_view field);
// Each object in the list under a field.
void for_each(object& at, std::string_view field, const std::function<void(object&)>& visit);

// default_pods.cc
void default_pod(object& spec);
void default_template(object& spec);  // of a spec that has a pod template
// default_status.cc: of kinds whose fields are not below a spec, and what Go writes of a status that nobody has set.
void default_other(const ResourceInfo& info, object& root);

}  // namespace tenon::minicluster::apiserver::defaults

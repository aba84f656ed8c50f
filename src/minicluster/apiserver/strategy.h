// What differs from kind to kind when an object is written: the parts of an object that a write may touch, defaults and
// validation. Pure functions on JSON; admission (admission.h) is what needs other objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "minicluster/apiserver/error.h"
#include "minicluster/apiserver/objects.h"
#include "minicluster/apiserver/registry.h"

namespace tenon::minicluster::apiserver {

// Types of fields; unknown ones are dropped, refused or warned of as the context says.
Done check_fields(const ResourceInfo& info, boost::json::value& object, const WriteContext& context);
// A new object's status.
void begin_life(const ResourceInfo& info, boost::json::value& object);
// On update: what this endpoint (the object itself, its status, ...) may not change stays as it was.
void keep_other_parts(const ResourceInfo& info, std::string_view subresource, const boost::json::value& old,
                      boost::json::value& next);
void apply_defaults(const ResourceInfo& info, boost::json::value& object);
// old: null for a new object.
std::vector<Cause> validate(const ResourceInfo& info, std::string_view subresource, const boost::json::value& object,
                            const boost::json::value* old);
// A DaemonSet's annotation that counts its templates. old: null for a new object.
void count_template(const ResourceInfo& info, const boost::json::value* old, boost::json::value& next);
// Whether metadata.generation moves.
bool spec_changed(const ResourceInfo& info, const boost::json::value& old, const boost::json::value& next);

}  // namespace tenon::minicluster::apiserver

// The kind-specific steps of a write: the parts of an object that the write may change, defaults and validation. Pure
// functions on JSON. The steps that read other objects are in admission.h.
// fields.cc, defaults.cc and validation.cc define the larger steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/base/write_context.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

// Checks the types of fields. Drops unknown fields; the context decides whether they cause an error or a warning.
Done check_fields(const ResourceInfo& info, boost::json::value& object, const WriteContext& context);
// Sets the initial status of a new object, the finalizer of a Namespace, and the selector and pod labels of a Job.
void begin_life(const ResourceInfo& info, boost::json::value& object);
// Restores the parts that an update of this endpoint (the object itself, its status, ...) cannot change.
void keep_other_parts(const ResourceInfo& info, std::string_view subresource, const boost::json::value& old,
                      boost::json::value& next);
void apply_defaults(const ResourceInfo& info, boost::json::value& object);
// Validates an object. old: null for a new object.
std::vector<Cause> validate(const ResourceInfo& info, std::string_view subresource, const boost::json::value& object,
                            const boost::json::value* old);
// Sets the annotation of a DaemonSet that counts the changes of its template. old: null for a new object.
void count_template(const ResourceInfo& info, const boost::json::value* old, boost::json::value& next);
// Whether an update increments metadata.generation.
bool spec_changed(const ResourceInfo& info, const boost::json::value& old, const boost::json::value& next);

}  // namespace tenon::kubesim::apiserver

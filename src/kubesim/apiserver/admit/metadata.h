// Checks and changes of an object's metadata on a write.
// parity: k8s.io/apiserver/pkg/registry/rest/{create,update,meta}.go, k8s.io/apimachinery/pkg/api/validation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/store/store.h"
#include "runtime/runtime.h"

namespace tenon::kubesim::apiserver {

StoreKey key_of(const boost::json::value& object);

// Check apiVersion, kind and metadata, and the namespace; fill them if they are missing. Reject an object that belongs
// to another endpoint. They do not check the name.
Done check_type(const ResourceInfo& info, boost::json::value& object);
Done check_namespace(const ResourceInfo& info, std::string_view ns, boost::json::value& object);

// Sets the name (generated from generateName), uid, creationTimestamp and generation.
Done stamp_new(const ResourceInfo& info, boost::json::value& object, runtime::Runtime& runtime);
// Restores the metadata that an update cannot change. Errors: 409 if the resourceVersion is not the current one, 422 if
// the uid differs.
Done carry_over(const ResourceInfo& info, const boost::json::value& old, boost::json::value& next);

// Validates metadata. old: null on create.
std::vector<Cause> validate_metadata(const ResourceInfo& info, const boost::json::value& object,
                                     const boost::json::value* old);

// The object has a deletionTimestamp.
bool is_deleting(const boost::json::value& object);
bool has_finalizer(const boost::json::value& object, std::string_view name);
void add_finalizer(boost::json::value& object, std::string_view name);
void drop_finalizer(boost::json::value& object, std::string_view name);

}  // namespace tenon::kubesim::apiserver

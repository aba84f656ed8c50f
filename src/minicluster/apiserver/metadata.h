// What the API server does to an object's metadata on its way in, and what it asks of it.
// parity: k8s.io/apiserver/pkg/registry/rest/{create,update,meta}.go, k8s.io/apimachinery/pkg/api/validation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "minicluster/apiserver/error.h"
#include "minicluster/apiserver/registry.h"
#include "minicluster/store/store.h"
#include "runtime/runtime.h"

namespace tenon::minicluster::apiserver {

StoreKey key_of(const boost::json::value& object);

// apiVersion, kind, metadata, namespace; refuses what belongs to another endpoint. Does not look at the name.
Done check_type(const ResourceInfo& info, boost::json::value& object);
Done check_namespace(const ResourceInfo& info, std::string_view ns, boost::json::value& object);

// name (generated if asked for), uid, creationTimestamp, generation.
Done stamp_new(const ResourceInfo& info, boost::json::value& object, runtime::Runtime& runtime);
// Restores what an update cannot change.
Done carry_over(const ResourceInfo& info, const boost::json::value& old, boost::json::value& next);

// old: null on create.
std::vector<Cause> validate_metadata(const ResourceInfo& info, const boost::json::value& object,
                                     const boost::json::value* old);

bool has_finalizer(const boost::json::value& object, std::string_view name);
void add_finalizer(boost::json::value& object, std::string_view name);
void drop_finalizer(boost::json::value& object, std::string_view name);

std::string new_uid(runtime::Runtime& runtime);
std::string random_suffix(runtime::Runtime& runtime);  // five characters

}  // namespace tenon::minicluster::apiserver
